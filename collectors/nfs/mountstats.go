package nfs

import (
	"bytes"
	"iter"
)

// The reasons under which odd input is counted.
const (
	skipMountstatsLine  = "mountstats_line"  // a line that does not have its form
	skipMountstatsValue = "mountstats_value" // no number, or one that cannot be right
	skipMountstatsCut   = "mountstats_cut"   // the file ends within a line
	skipMountinfoLine   = "mountinfo_line"
	skipMountinfoCut    = "mountinfo_cut"
	skipMountChanged    = "mount_changed" // a mount made or gone between two reads
	skipTransportFile   = "transport_file"
	skipTransportLimit  = "transport_limit"
	skipSetting         = "setting"
	skipModuleOption    = "module_option"
)

// maxEvents is more than any kernel's events line has (27).
const maxEvents = 64

// Skip counts odd input under a reason.
type Skip func(reason string, count int)

// ParseMountstats reads a mountstats file and yields one stanza for every NFS mount point, in the file's order. The
// stanza is the same object each time, filled anew. An odd line or value costs itself and is counted by skip; the line
// that a file without a final newline ends in is taken for cut.
func ParseMountstats(data []byte, skip Skip) iter.Seq[*Stanza] {
	return func(yield func(*Stanza) bool) {
		parser := mountstatsParser{skip: skip}
		for len(data) > 0 {
			end := bytes.IndexByte(data, '\n')
			if end < 0 {
				parser.countCut(data)
				break
			}
			line := trimBlanks(data[:end])
			data = data[end+1:]
			if isDevice(line) {
				if parser.inStanza && !yield(&parser.stanza) {
					return
				}
				parser.begin(line)
			} else if parser.inStanza && len(line) > 0 {
				parser.detail(line)
			}
		}
		if parser.inStanza {
			yield(&parser.stanza)
		}
	}
}

type mountstatsParser struct {
	stanza   Stanza
	inStanza bool // between the device line of an NFS mount and the next device line
	perOp    bool // after the per-op heading
	skip     Skip
}

func isDevice(line []byte) bool {
	return bytes.HasPrefix(line, []byte("device ")) || bytes.HasPrefix(line, []byte("no device "))
}

func (p *mountstatsParser) countCut(rest []byte) {
	if len(trimBlanks(rest)) > 0 {
		p.skip(skipMountstatsCut, 1)
	}
}

// begin reads "device SOURCE mounted on DIR with fstype TYPE statvers=1.1". Other file systems end the stanza before
// them and are left out.
func (p *mountstatsParser) begin(line []byte) {
	p.inStanza, p.perOp = false, false
	rest, isNamed := bytes.CutPrefix(line, []byte("device "))
	if !isNamed {
		return
	}
	source, rest, hasMount := bytes.Cut(rest, []byte(" mounted on "))
	split := bytes.LastIndex(rest, []byte(" with fstype "))
	if !hasMount || split < 0 {
		p.skip(skipMountstatsLine, 1)
		return
	}
	kind, _ := cutWord(trimBlanks(rest[split+len(" with fstype "):]))
	if !isNFS(kind) {
		return
	}
	p.inStanza = true
	p.stanza.reset()
	p.stanza.Source, p.stanza.MountPoint, p.stanza.Type = source, trimBlanks(rest[:split]), kind
}

func isNFS(kind []byte) bool { return string(kind) == "nfs" || string(kind) == "nfs4" }

func (p *mountstatsParser) detail(line []byte) {
	name, rest := cutWord(line)
	if p.perOp {
		p.operation(name, rest)
		return
	}
	switch string(name) {
	case "opts:":
		p.stanza.Options = trimBlanks(rest)
	case "age:":
		var age [1]Number
		p.numbers(rest, age[:])
		p.stanza.Age = age[0]
	case "bytes:":
		p.numbers(rest, p.stanza.Bytes[:])
	case "events:":
		p.events(rest)
	case "xprt:":
		p.transport(rest)
	case "per-op":
		p.perOp = true
	}
}

func (p *mountstatsParser) numbers(line []byte, values []Number) (count int) {
	count, odd := fillNumbers(line, values)
	if odd > 0 {
		p.skip(skipMountstatsValue, odd)
	}
	return count
}

func (p *mountstatsParser) events(line []byte) {
	var values [maxEvents]Number
	count := p.numbers(line, values[:])
	p.stanza.Events = append(p.stanza.Events, values[:count]...)
}

func (p *mountstatsParser) transport(line []byte) {
	protocol, rest := cutWord(trimBlanks(line))
	if len(protocol) == 0 {
		p.skip(skipMountstatsLine, 1)
		return
	}
	transport := Transport{Protocol: protocol}
	for i := range transport.Values {
		transport.Values[i] = Absent
	}
	var values [transportFields]Number
	layout := transportLayout(protocol)
	p.numbers(rest, values[:len(layout)])
	for i, field := range layout {
		transport.Values[field] = values[i]
	}
	p.stanza.Transports = append(p.stanza.Transports, transport)
}

// operation reads "NAME: number ...".
func (p *mountstatsParser) operation(name, line []byte) {
	name, isNamed := bytes.CutSuffix(name, []byte(":"))
	if !isNamed || len(line) == 0 {
		p.skip(skipMountstatsLine, 1)
		return
	}
	p.stanza.Operations = append(p.stanza.Operations, Operation{Name: name})
	p.numbers(line, p.stanza.Operations[len(p.stanza.Operations)-1].Values[:])
}
