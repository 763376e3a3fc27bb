package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/nasight/nasight/collectors/windows"
	"github.com/nasight/nasight/collectors/windows/psout"
)

// windowsFile are the names that answers of a Windows host are recorded under.
var windowsFile = regexp.MustCompile(`^windows/[A-Za-z]+\.(json|txt)$`)

// answerMasks are the properties of a Windows host's answers that name something and are kept under another name. People
// name the interfaces of Windows, so they get other names, too.
var answerMasks = map[string]func(*mask, string) string{
	"servername":                  (*mask).windowsServer,
	"sharename":                   (*mask).windowsShare,
	"remotepath":                  (*mask).instance,
	"path":                        (*mask).counterPath,
	"instancename":                (*mask).instance,
	"serveripaddress":             (*mask).anyAddress,
	"clientipaddress":             (*mask).anyAddress,
	"clientip":                    (*mask).anyAddress,
	"serverip":                    (*mask).anyAddress,
	"friendlyname":                (*mask).alias,
	"clientinterfacefriendlyname": (*mask).alias,
	"interfacedescription":        (*mask).adapter,
	"dialect":                     (*mask).dialect,
	"localpath":                   (*mask).drive,
	"smbinstance":                 (*mask).ownClient,
}

// plainProperties are those that are kept as they are where they are plain: the counts, truths and speeds that are read.
var plainProperties = strings.Fields(`
	selected failed failurecount maxchannels currentchannels tcpconnectioncount rdmaconnectioncount quicconnectioncount
	clientinterfaceindex serverinterfaceindex clientlinkspeed serverlinkspeed
	clientrsscapable serverrsscapable clientrdmacapable serverrdmacapable
	numopens continuouslyavailable encrypted signed
	connectioncountperrssnetworkinterface maximumconnectioncountperserver sessiontimeout maxcmds directorycachelifetime
	fileinfocachelifetime filenotfoundcachelifetime enablemultichannel enablebandwidththrottling enablelargemtu
	interfaceindex linkspeed speed rsscapable rdmacapable enabled numberofreceivequeues maxprocessors
	bytesreceivedpersec bytessentpersec currentbandwidth
	percentprocessortime percentusertime percentprivilegedtime percentdpctime
	readbytespersec writebytespersec databytespersec readrequestspersec writerequestspersec metadatarequestspersec
	avgreadqueuelength avgwritequeuelength creditstallspersec currentdataqueuelength rawvalue cookedvalue`)

// plainAnswer is a number with one decimal part at most, a truth, or a speed with its unit: never an address.
var plainAnswer = regexp.MustCompile(`^(?i:true|false|-?([0-9]+|[0-9]{1,3}(,[0-9]{3})+)([.,][0-9]+)?(e[+-]?[0-9]+)?( *[KMGT]?bps)?)$`)

// answers masks one file of a Windows host. It is written anew as JSON, with the properties alone that are known.
func (m *mask) answers(one member) (member, bool) {
	if !windowsFile.MatchString(one.name) {
		return one, false
	}
	records, _ := psout.Parse(one.data)
	kept := make([]map[string]string, 0, len(records))
	for _, record := range records {
		if windows.IsAnswer(record) {
			kept = append(kept, m.answer(record))
		}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(kept); err != nil {
		return one, false // cannot happen: texts alone
	}
	one.data = out.Bytes()
	one.name = strings.TrimSuffix(one.name, path.Ext(one.name)) + ".json"
	return one, true
}

// answer masks one record.
func (m *mask) answer(record psout.Record) map[string]string {
	masked := map[string]string{}
	for _, name := range record.Names() {
		text := record.Text(name)
		if change, ok := answerMasks[name]; ok {
			masked[name] = change(m, text)
		} else if name == "name" {
			masked[name] = m.answerName(record, text)
		} else if slices.Contains(plainProperties, name) && plainAnswer.MatchString(text) {
			masked[name] = text
		}
	}
	return masked
}

// answerName masks the property Name, which is another thing in every kind of record.
func (m *mask) answerName(record psout.Record, name string) string {
	switch {
	case record.Has("PercentProcessorTime"):
		if processorName.MatchString(name) {
			return name
		}
		return m.name("processor", name)
	case record.Has("BytesReceivedPersec"), record.Has("BytesSentPersec"):
		return m.adapter(name)
	case record.Has("NumberOfReceiveQueues"), record.Has("MaxProcessors"):
		return m.alias(name)
	}
	return m.instance(name)
}

var processorName = regexp.MustCompile(`^([0-9]{1,4}(,[0-9]{1,4})?|_Total)$`)

// alias masks the name that people gave an interface. One that was cut stays one that was cut.
func (m *mask) alias(name string) string {
	if psout.Truncated(name) {
		return m.name("interface", name) + "..."
	}
	return m.name("interface", strings.ToLower(name))
}

// adapter masks a description so that the counters of the adapter, which spell it otherwise, have the same.
func (m *mask) adapter(description string) string {
	return m.name("adapter", windows.CounterName(description))
}

// ownClient tells the client that users have from those of a cluster, whose rows are not counted.
func (m *mask) ownClient(instance string) string {
	if instance == "0" || strings.EqualFold(instance, "default") {
		return instance
	}
	return "other"
}

var dialectName = regexp.MustCompile(`^[0-9]+([.,][0-9]+){0,2}$`)

func (m *mask) dialect(text string) string {
	if dialectName.MatchString(text) {
		return text
	}
	return ""
}

// windowsServer masks a name in lower case: Windows does not tell names apart by their case.
func (m *mask) windowsServer(name string) string {
	if psout.Truncated(name) {
		return m.name("server", name) + "..."
	}
	return m.server(strings.ToLower(name))
}

func (m *mask) windowsShare(name string) string {
	if strings.EqualFold(name, "IPC$") {
		return name
	}
	return m.name("share", strings.ToLower(name))
}

// instance masks \server\share. The total is no share and is kept; what else is none gets a name of its own.
func (m *mask) instance(name string) string {
	rest, isPath := strings.CutPrefix(name, `\`)
	switch {
	case !isPath && strings.EqualFold(name, "_Total"):
		return name
	case !isPath:
		return m.name("instance", name)
	}
	twice := strings.HasPrefix(rest, `\`)
	server, share, deeper := strings.Cut(strings.TrimPrefix(rest, `\`), `\`)
	masked := `\` + m.windowsServer(server)
	if twice {
		masked = `\` + masked
	}
	if deeper {
		masked += `\` + m.windowsShare(share)
	}
	return masked
}

var maskedCounter = regexp.MustCompile(`(?i)\\(smb client shares)\((.*)\)\\([a-z0-9 ./]+)$`)

// counterPath masks the path of a counter: the host before it goes.
func (m *mask) counterPath(name string) string {
	parts := maskedCounter.FindStringSubmatch(name)
	if parts == nil {
		return m.name("path", name)
	}
	return fmt.Sprintf(`\\%s\%s(%s)\%s`, m.host(""), parts[1], m.instance(parts[2]), parts[3])
}

func (m *mask) anyAddress(text string) string {
	address, err := netip.ParseAddr(text)
	if err != nil {
		return m.name("address", text)
	}
	return m.address(address).String()
}

var driveLetter = regexp.MustCompile(`^[A-Za-z]:$`)

func (m *mask) drive(name string) string {
	if driveLetter.MatchString(name) {
		return name
	}
	return m.name("drive", name)
}
