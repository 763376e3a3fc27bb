package bundle

import (
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/nasight/nasight/collectors/tcp"
)

// mask replaces what names a site in a recording: addresses, server names, exports, mount points, users. The same name
// gets the same replacement everywhere, so that a masked bundle leads to the same findings. It keeps what it knows to
// be free of names and leaves everything else out: files, lines, options. Names of network interfaces are kept.
type mask struct {
	on    bool
	known vocabulary
	names map[string]string // replacements by kind and name
	count map[string]int    // replacements given by kind

	disks     map[string]bool // device numbers of the iSCSI disks and of what lies above them, of the moment at hand
	addresses []netip.Addr    // those that have a replacement, in the order in which they were met
}

func newMask(on bool) *mask {
	return &mask{on: on, known: newVocabulary(), names: map[string]string{}, count: map[string]int{}}
}

func (m *mask) host(name string) string {
	if !m.on {
		return name
	}
	return "client-1"
}

// members masks what one moment holds. The routing tables are last: they are masked by the addresses in the other files.
func (m *mask) members(members []member) []member {
	if !m.on {
		return members
	}
	m.learnDisks(members)
	var kept []member
	for _, routes := range []bool{false, true} {
		for _, one := range members {
			if routingTable.MatchString(one.name) != routes {
				continue
			}
			if one, ok := m.member(one); ok {
				kept = append(kept, one)
			}
		}
	}
	return kept
}

var (
	process      = regexp.MustCompile(`^proc/(self|\d+)/`)
	sysTree      = regexp.MustCompile(`^sys/(block|class/(net|bdi|iscsi_(connection|session|host))|devices|module|fs/nfs|kernel/sunrpc)(/|$)`)
	routingTable = regexp.MustCompile(`^proc/((self|\d+)/)?net/(ipv6_)?route$`)
	iscsiAddress = regexp.MustCompile(`/(iscsi_connection/[^/]+/(persistent_)?address|iscsi_host/[^/]+/ipaddress)$`)
	iscsiName    = regexp.MustCompile(`/iscsi_(session|host)/[^/]+/(target|initiator)name$`)
	mapName      = regexp.MustCompile(`/dm/(name|uuid)$`)
	counters     = regexp.MustCompile(`^proc/(stat|diskstats|uptime|loadavg|net/(dev|snmp|snmp6|netstat|sockstat6?|softnet_stat|rpc/nfs)|pressure/\w+)$`)
	cifsFile     = regexp.MustCompile(`^proc/fs/cifs/(DebugData|Stats|open_files|mount_params)$`)
	readFiles    = regexp.MustCompile(`^proc/(mountinfo|mountstats|version|net/route|net/ipv6_route)$`)
	procPlain    = regexp.MustCompile(`^proc/sys/(sunrpc|net|fs/nfs|kernel/osrelease$)`)
)

func (m *mask) member(one member) (member, bool) {
	name := process.ReplaceAllString(one.name, "proc/")
	switch base := path.Base(name); {
	case one.dir || one.target != "":
		return one, sysTree.MatchString(name)
	case name == "proc/mountinfo":
		one.data = lines(one.data, m.mountinfo)
	case name == "proc/mountstats":
		one.data = m.mountstats(one.data)
	case cifsFile.MatchString(name):
		one.data = m.cifs(base, one.data)
	case name == "proc/version":
		one.data = lines(one.data, release)
	case strings.HasPrefix(name, "netlink/") && strings.HasSuffix(name, ".bin"):
		one.data = tcp.Rewrite(one.data, m.address)
	case path.Dir(name) == windowsDir:
		return m.answers(one)
	case strings.HasPrefix(name, "etc/modprobe.d/"):
		return m.moduleOptions(one)
	case name == "proc/net/route":
		one.data = m.routes(one.data, routes4())
	case name == "proc/net/ipv6_route":
		one.data = m.routes(one.data, routes6())
	case sysTree.MatchString(name) && (base == "dstaddr" || base == "srcaddr" || iscsiAddress.MatchString(name)):
		one.data = lines(one.data, m.transportAddress)
	case sysTree.MatchString(name) && iscsiName.MatchString(name):
		one.data = lines(one.data, m.iscsiName)
	case sysTree.MatchString(name) && mapName.MatchString(name):
		one.data = lines(one.data, m.mapName)
	case sysTree.MatchString(name) || procPlain.MatchString(name):
		return one, m.isPlain(string(one.data))
	default:
		return one, counters.MatchString(name)
	}
	return one, true
}

// failures masks the paths of what could not be read.
func (m *mask) failures(failed map[string]error) map[string]error {
	if !m.on {
		return failed
	}
	kept := map[string]error{}
	for name, err := range failed {
		inner, isFile := strings.CutPrefix(name, "/")
		inner = process.ReplaceAllString(inner, "proc/")
		if !isFile || windowsFile.MatchString(inner) || readFiles.MatchString(inner) || cifsFile.MatchString(inner) || sysTree.MatchString(inner) || procPlain.MatchString(inner) || counters.MatchString(inner) {
			kept[name] = err
		}
	}
	return kept
}

// lines changes a text line by line; a line that becomes empty goes. One that was cut stays cut.
func lines(data []byte, change func(line string) string) []byte {
	var out strings.Builder
	for text := range strings.Lines(string(data)) {
		line, whole := strings.CutSuffix(text, "\n")
		changed := change(line)
		out.WriteString(changed)
		if changed != "" && whole {
			out.WriteByte('\n')
		}
	}
	return []byte(out.String())
}

// release keeps the first three words of /proc/version; behind them is who built the kernel, and where.
func release(line string) string {
	words := strings.Fields(line)
	if len(words) < 3 || words[0] != "Linux" || words[1] != "version" {
		return ""
	}
	return strings.Join(words[:3], " ")
}

var moduleOption = regexp.MustCompile(`^\w+=[0-9YN]+$`)

// moduleOptions keeps the numbers set for the modules of NFS, under a name that sorts as the original does.
func (m *mask) moduleOptions(one member) (member, bool) {
	whole := strings.ReplaceAll(string(one.data), "\\\n", " ")
	one.data = lines([]byte(whole), func(line string) string {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "options" || !slices.Contains([]string{"nfs", "nfsv4", "sunrpc"}, words[1]) {
			return ""
		}
		kept := slices.DeleteFunc(words[2:], func(word string) bool { return !moduleOption.MatchString(word) })
		return strings.Join(append([]string{"options", words[1]}, kept...), " ")
	})
	one.name = "etc/modprobe.d/" + m.name("options", one.name) + ".conf"
	return one, len(one.data) > 0
}
