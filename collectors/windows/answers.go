package windows

import (
	"strings"

	"github.com/nasight/nasight/collectors/windows/psout"
)

// answers is what the files of a host said, in the form in which it is used.
type answers struct {
	channels    []channel
	connections []connection
	settings    psout.Record // of the client; nil where they are not known
	interfaces  []netInterface
	adapters    []psout.Record
	counters    map[share]*counters
	drives      map[share][]string // letters, by what they lead to
	traffic     []psout.Record
	processors  []psout.Record

	told      [kinds]bool // answered, even if there were none
	allPairs  bool        // the channels of every server are there: a recorder asked for all, and every row was read
	instances []instance  // not yet summed
	skip      func(reason string, count int)
}

func newAnswers(skip func(string, int)) *answers {
	return &answers{counters: map[share]*counters{}, drives: map[share][]string{}, skip: skip}
}

func (a *answers) empty() bool { return a.told == [kinds]bool{} }

// share is one share of a server, in lower case: Windows does not tell names apart by their case.
type share struct{ server, name string }

func shareOf(server, name string) share {
	return share{strings.ToLower(server), strings.ToLower(name)}
}

// channel is one row of Get-SmbMultichannelConnection: a pair of interfaces between which the client has channels, or
// could have them if it is not selected.
type channel struct {
	server                string
	isSelected            bool
	index, name           string // of the client's interface
	current               float64
	isCounted             bool   // current is known
	clientRSS, serverRSS  string // true, false or unknown
	clientRDMA, serverRDM string
}

// connection is one row of Get-SmbConnection: what one user has open of a share.
type connection struct {
	server, share, dialect, encrypted string
	opens                             float64
	isCounted                         bool // opens is known
}

// netInterface is an interface that the SMB client may use.
type netInterface struct {
	name, index, rss, rdma string
	speed                  float64 // bits per second; 0 for none
}

// file takes in what one file says. A record of no known kind is counted.
func (a *answers) file(name string, data []byte) {
	records, odd := psout.Parse(data)
	if odd > 0 {
		a.skip("odd_text", odd)
	}
	if kind, ok := kindOfFile(name); ok && odd == 0 {
		a.told[kind] = true
		a.allPairs = a.allPairs || kind == channelKind
	}
	for _, record := range records {
		kind, ok := kindOf(record)
		if !ok {
			a.skip("unknown_record", 1)
			continue
		}
		a.told[kind] = true
		a.take(kind, record)
	}
}

func (a *answers) take(kind kind, record psout.Record) {
	switch kind {
	case channelKind:
		a.channel(record)
	case connectionKind:
		a.connection(record)
	case configurationKind:
		a.settings = record
	case interfaceKind:
		a.netInterface(record)
	case adapterKind:
		a.adapters = append(a.adapters, record)
	case counterKind:
		a.instances = append(a.instances, instanceOf(record))
	case sampleKind:
		a.sample(record)
	case mappingKind:
		a.mapping(record)
	case trafficKind:
		a.traffic = append(a.traffic, record)
	case processorKind:
		a.processors = append(a.processors, record)
	}
}

func (a *answers) channel(record psout.Record) {
	if instance := record.Text("SmbInstance"); instance != "" && instance != "0" && !strings.EqualFold(instance, "default") {
		return // the cluster's own clients, which no share of a user goes through
	}
	current, counted := currentChannels(record)
	a.channels = append(a.channels, channel{
		server: record.Text("ServerName"),
		// Only -IncludeNotSelected lists the others, and then says which they are.
		isSelected: record.Truth("Selected") != "false",
		index:      record.Text("ClientInterfaceIndex"), name: record.Text("ClientInterfaceFriendlyName"),
		current: current, isCounted: counted,
		clientRSS: record.Truth("ClientRSSCapable"), serverRSS: record.Truth("ServerRSSCapable"),
		clientRDMA: record.Truth("ClientRdmaCapable"), serverRDM: record.Truth("ServerRdmaCapable"),
	})
}

// currentChannels are the channels of a pair. Newer systems count them by transport as well.
func currentChannels(record psout.Record) (sum float64, ok bool) {
	if current, ok := record.Integer("CurrentChannels"); ok {
		return current, true
	}
	for _, property := range []string{"TcpConnectionCount", "RdmaConnectionCount", "QuicConnectionCount"} {
		if count, counted := record.Integer(property); counted {
			sum, ok = sum+count, true
		}
	}
	return sum, ok && record.Has("TcpConnectionCount", "RdmaConnectionCount")
}

func (a *answers) connection(record psout.Record) {
	opens, counted := record.Integer("NumOpens")
	a.connections = append(a.connections, connection{
		server: record.Text("ServerName"), share: record.Text("ShareName"), dialect: dialect(record.Text("Dialect")),
		encrypted: record.Truth("Encrypted"), opens: opens, isCounted: counted,
	})
}

// dialects are the ways in which Windows wrote the newer ones.
var dialects = map[string]string{
	"2.002": "2.0.2", "2.02": "2.0.2", "2.00": "2.0", "2.10": "2.1", "3.00": "3.0", "3.02": "3.0.2", "3.11": "3.1.1", "1.50": "1.5",
}

func dialect(text string) string {
	text = strings.ReplaceAll(text, ",", ".")
	if known, ok := dialects[text]; ok {
		return known
	}
	return text
}

func (a *answers) netInterface(record psout.Record) {
	name := record.Text("FriendlyName")
	if name == "" || psout.Truncated(name) {
		a.skip("truncated_name", 1)
		name = ""
	}
	speed, ok := record.BitRate("LinkSpeed")
	if !ok {
		speed, _ = record.BitRate("Speed")
	}
	a.interfaces = append(a.interfaces, netInterface{
		name: name, index: record.Text("InterfaceIndex"), speed: speed,
		rss: record.Truth("RssCapable"), rdma: record.Truth("RdmaCapable"),
	})
}

func (a *answers) mapping(record psout.Record) {
	local := record.Text("LocalPath")
	if local == "" {
		return // reached by its path alone
	}
	server, name, ok := cutInstance(strings.TrimPrefix(record.Text("RemotePath"), `\`))
	if !ok || psout.Truncated(local) {
		a.skip("odd_mapping", 1)
		return
	}
	key := shareOf(server, name)
	a.drives[key] = append(a.drives[key], local)
}
