package smb

import (
	"cmp"
	"strings"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/kernel"
	"github.com/nasight/nasight/schema"
)

const (
	protocol = "smb" // of the identity labels

	maxOptionsBytes = 512 // of the options label
)

// emitter puts the joined numbers into the sink as samples. Label slices are shared between samples and never changed.
type emitter struct {
	sink   collectors.Sink
	host   string
	ledger *ledger
}

// number adds a value, or nothing if it is absent.
func (e emitter) number(family *schema.Family, value Number, labels []string) {
	if value.Known() {
		e.sink.Add(family, float64(value), labels...)
	}
}

// total adds a sum, or nothing if nothing was summed.
func (e emitter) total(family *schema.Family, total sum, labels []string) {
	if total.Known {
		e.sink.Add(family, total.Value, labels...)
	}
}

func with(labels []string, more ...string) []string {
	return append(labels[:len(labels):len(labels)], more...)
}

func (e emitter) share(s *share, files *OpenFiles) {
	labels := []string{e.host, s.server, kernel.LabelText(s.name), protocol, s.device()}
	e.sink.Add(schema.SMBMountInfo, 1, with(labels, s.facts()...)...)
	if len(s.mounts) > 0 {
		e.number(schema.SMBChannelsAsked, s.mounts[0].Options.channels(), labels)
	}
	counts, open := newTally(), sum{}
	for _, c := range s.counts {
		l := c.load()
		counts.add(&l, c.part, c.hasPart)
		open.Add(c.OpenFiles)
	}
	counts.settle(e.ledger, "share "+s.server+" "+s.name)
	e.total(schema.SMBOpenFiles, open, labels)
	e.number(schema.SMBFilesInUse, s.filesInUse(files), labels)
	e.total(schema.SMBReadBytes, counts.readBytes, labels)
	e.total(schema.SMBWriteBytes, counts.writeBytes, labels)
	for kind := range classes {
		e.total(schema.SMBOperations, counts.operations[kind], with(labels, kind.String()))
	}
	data, metadata := counts.failures()
	e.total(schema.SMBErrors, data, with(labels, "data"))
	e.total(schema.SMBErrors, metadata, with(labels, "metadata"))
}

// device is the number of the oldest superblock; a share that is mounted in no name space that we see has none.
func (s *share) device() string {
	if len(s.mounts) == 0 {
		return ""
	}
	return s.mounts[0].Device
}

// facts are the info family's labels beyond the mount's identity.
func (s *share) facts() []string {
	var source string
	var options Options
	if len(s.mounts) > 0 {
		source, options = s.mounts[0].Source, s.mounts[0].Options
	} else if len(s.counts) > 0 {
		source = string(s.counts[0].Name)
	}
	host, _, _ := splitShare(source)
	version, transport, security := options.version(), "tcp", ""
	if _, ok := options.Get("rdma"); ok {
		transport = "rdma"
	}
	if len(s.trees) > 0 {
		server := s.trees[0].from
		version = cmp.Or(dialectName(server.Primary.Dialect), version)
		security = securityName(string(s.trees[0].session.Security))
		if server.RDMA {
			transport = "rdma"
		}
	}
	if value, ok := options.Get("sec"); ok {
		security = value
	}
	channels, _ := options.Get("max_channels")
	return []string{
		kernel.LabelText(host), kernel.LabelText(version), transport, mountPoints(s.mounts), kernel.LabelText(security), kernel.LabelText(channels),
		kernel.LabelText(options.public(maxOptionsBytes)),
	}
}

// securityName is the sec= option that stands for a type of security as DebugData names it.
func securityName(kind string) string {
	switch kind {
	case "RawNTLMSSP":
		return "ntlmssp"
	case "Kerberos":
		return "krb5"
	case "NTLMv2":
		return "ntlmv2"
	}
	return strings.ToLower(kind)
}

// channels is how many channels the mount asks for.
func (o Options) channels() Number {
	if _, ok := o.Get("multichannel"); !ok {
		return 1
	}
	if text, ok := o.Get("max_channels"); ok {
		return kernel.ParseNumber(text)
	}
	return Absent
}

// mountPoints lists where mounts are.
func mountPoints(mounts []Mount) string {
	points := make([]string, len(mounts))
	for i := range mounts {
		points[i] = mounts[i].MountPoint
	}
	return kernel.MountPoints(points)
}

// filesInUse counts the distinct files of a share over all users' connections to it. It is absent if one of these is
// not to be found in open_files.
func (s *share) filesInUse(files *OpenFiles) Number {
	if files == nil || len(s.trees) == 0 {
		return Absent
	}
	distinct := map[string]bool{}
	for _, ref := range s.trees {
		if !ref.tree.ID.Known() || files.HasSession && !ref.session.HasID {
			return Absent
		}
		key := TreeKey{Tree: uint64(ref.tree.ID)}
		if files.HasSession {
			key.Session = ref.session.ID
		}
		for _, name := range files.Files[key] {
			distinct[name] = true
		}
	}
	return Number(len(distinct))
}

func (e emitter) endpoint(at *endpoint, listsInterfaces bool) {
	labels := []string{e.host, at.server, protocol}
	if len(at.servers) > 0 {
		e.sessions(at, at.state(listsInterfaces), labels)
	}
	e.tables(at, labels)
}

func (e emitter) sessions(at *endpoint, s state, labels []string) {
	name := kernel.LabelText(string(at.servers[0].Hostname))
	e.sink.Add(schema.SMBEndpointInfo, 1,
		with(labels, name, at.dialect(), s.multichannel, unknown, s.serverRSS, s.encryption)...)
	e.sink.Add(schema.SMBSessions, float64(s.sessions), labels...)
	e.sink.Add(schema.SMBChannels, float64(s.channels), labels...)
	e.sink.Add(schema.SMBChannelsUp, float64(s.up), labels...)
	e.sink.Add(schema.SMBChannelsDown, float64(s.down), labels...)
	e.total(schema.SMBPending, s.pending, labels)
	e.number(schema.SMBCredits, s.credits, labels)
}

func (e emitter) tables(at *endpoint, labels []string) {
	counts, maxInFlight, hertz := newTally(), sum{}, 1.0
	for _, c := range at.tables {
		if c.Hertz.Known() {
			hertz = float64(c.Hertz) // of the kernel, the same for all
		}
		l := c.load()
		counts.add(&l, part{connection: c.id}, c.id.Known())
		if c.MaxInFlight.Known() {
			maxInFlight = sum{Value: max(maxInFlight.Value, float64(c.MaxInFlight)), Known: true}
		}
	}
	counts.settle(e.ledger, "server "+at.server)
	e.total(schema.SMBMaxInFlight, maxInFlight, labels)
	for kind := range classes {
		own := with(labels, kind.String())
		e.total(schema.SMBEndpointOperations, counts.operations[kind], own)
		if ticks := counts.ticks[kind]; ticks.Known {
			e.sink.Add(schema.SMBEndpointRTT, ticks.Value/hertz, own...)
		}
	}
}

func (e emitter) client(stats *Stats) {
	labels := []string{e.host}
	e.number(schema.SMBSessionReconnects, stats.SessionReconnects, labels)
	e.number(schema.SMBShareReconnects, stats.ShareReconnects, labels)
}
