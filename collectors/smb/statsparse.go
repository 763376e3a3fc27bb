package smb

import (
	"bytes"

	"github.com/nasight/nasight/collectors/internal/kernel"
)

// ParseStats reads a Stats file, of whichever format its parts have. An odd value costs itself and is counted by skip;
// the word that a file without a final line end stops in is left out.
func ParseStats(data []byte, skip Skip) *Stats {
	whole, cut := wholeWords(data)
	if cut {
		skip(skipStatsCut, 1)
	}
	p := statsParser{
		words: words{data: whole}, skip: skip, last: Absent,
		out: &Stats{
			SessionReconnects: Absent, ShareReconnects: Absent,
			Connections: make([]Connection, 0, bytes.Count(whole, []byte("in flight:"))),
		},
	}
	for {
		word, isFirst, ok := p.words.next()
		if !ok {
			p.endShare()
			p.endTable()
			return p.out
		}
		if isFirst && (p.heading(word) || p.row(word)) {
			continue
		}
		p.word(word)
		p.before = word
	}
}

type statsParser struct {
	words      words
	before     []byte // the word before this one
	out        *Stats
	share      *Share
	connection *Connection
	inTable    bool    // rows of commands may follow
	target     *Number // that the next number goes to
	operation  bool    // the next number counts operations of kind
	isLast     bool    // the last operation of a share has been met
	failures   bool    // the share counts failures behind its operations
	kind       class
	last       Number // the last number
	skip       Skip
}

// heading reads "1) \\server\share	DISCONNECTED", which begins a share. The name may hold blanks.
func (p *statsParser) heading(word []byte) bool {
	if _, isItem := itemNumber(word); !isItem {
		return false
	}
	p.forget()
	p.share, p.inTable, p.isLast, p.failures = nil, false, false, false
	name := p.words.restOfLine()
	name, isDown := cutMark(name)
	if !bytes.HasPrefix(name, []byte(`\\`)) || p.words.pos == len(p.words.data) {
		p.skip(skipStatsLine, 1)
		return true
	}
	p.out.Shares = append(p.out.Shares, newShare(name))
	p.share = &p.out.Shares[len(p.out.Shares)-1]
	p.share.Disconnected = isDown
	if p.connection != nil {
		p.connection.EndShare = len(p.out.Shares)
	}
	return true
}

// cutMark cuts the mark of a share that is not connected off its name.
func cutMark(line []byte) (name []byte, isDown bool) {
	name, isDown = bytes.CutSuffix(line, []byte("DISCONNECTED"))
	if !isDown || len(name) == 0 || !isBlank(name[len(name)-1]) {
		return line, false
	}
	return trimBlanks(name), true
}

// row reads a row of the table: command number, count, total time, fastest, slowest.
func (p *statsParser) row(word []byte) bool {
	command := kernel.ParseNumber(word)
	if !p.inTable || !command.Known() || bytes.HasPrefix(p.words.peek(), []byte("slow")) { // a remark on slow answers
		return false
	}
	values, isRow := rowNumbers(p.words.restOfLine())
	if p.words.pos == len(p.words.data) {
		return true // the file ends within the row
	}
	if !isRow {
		p.skip(skipStatsValue, 1)
		return true
	}
	if command >= commands {
		p.skip(skipStatsLine, 1)
		return true
	}
	p.connection.Commands[command] = values
	return true
}

// rowNumbers reads the count and the time of a row; what follows has to be numbers, too.
func rowNumbers(line []byte) (row Command, ok bool) {
	var values [2]Number
	count := 0
	for at := 0; at < len(line); count++ {
		for at < len(line) && isBlank(line[at]) {
			at++
		}
		start := at
		for at < len(line) && line[at] >= '0' && line[at] <= '9' {
			at++
		}
		n := kernel.ParseNumber(line[start:at])
		if !n.Known() || at < len(line) && !isBlank(line[at]) {
			return Command{}, false
		}
		if count < len(values) {
			values[count] = n
		}
	}
	return Command{values[0], values[1]}, count >= len(values)
}

func (p *statsParser) forget() {
	p.target, p.operation, p.last, p.before = nil, false, Absent, nil
}

func (p *statsParser) word(word []byte) {
	if c := word[0]; c >= '0' && c <= '9' || c == '-' && len(word) > 1 {
		p.number(word)
		return
	}
	if p.expects() { // a word where a number has to be
		p.skip(skipStatsValue, 1)
		p.forget()
	}
	switch string(word) {
	case "session":
		p.out.SessionReconnects = p.last
	case "share":
		if string(p.words.peek()) == "reconnects" {
			p.out.ShareReconnects = p.last
		}
	case "flight:":
		if string(p.before) == "in" {
			p.begin(false)
			p.target = &p.connection.MaxInFlight
		}
	case "processing": // Total time spent processing by command
		p.begin(true)
	case "jiffies":
		p.hertz()
	case "failed":
		p.failed()
	case "since": // a time follows
		p.forget()
	default:
		if p.share != nil {
			p.ofShare(word)
		}
	}
}

func (p *statsParser) expects() bool { return p.target != nil || p.operation && !p.last.Known() }

// number takes a number that stands where one is expected.
func (p *statsParser) number(word []byte) {
	n := kernel.ParseNumber(word)
	if !n.Known() && p.expects() {
		p.skip(skipStatsValue, 1)
		p.forget()
		return
	}
	if p.target != nil {
		*p.target, p.target = n, nil
	} else if p.operation && !p.last.Known() && p.kind < classes {
		p.share.Operations[p.kind].Add(n)
	}
	p.last = n
}

// failed says that the number before counts those that failed of the operations before.
func (p *statsParser) failed() {
	if p.operation && p.kind < classes {
		p.share.Errors[p.kind].Add(p.last)
		p.failures = true
	}
	p.forget()
}

// begin begins a connection, unless the one before has neither shares nor what is to come.
func (p *statsParser) begin(table bool) {
	c := p.connection
	if c == nil || c.EndShare > c.FirstShare || c.HasCommands || !table {
		p.out.Connections = append(p.out.Connections, newConnection(len(p.out.Shares)))
		p.connection = &p.out.Connections[len(p.out.Connections)-1]
	}
	p.forget()
	p.share, p.inTable = nil, table
	p.connection.HasCommands = table
}

// hertz reads "(250 per second)".
func (p *statsParser) hertz() {
	word, ok := bytes.CutPrefix(p.words.peek(), []byte("("))
	if !ok || p.connection == nil {
		return
	}
	if n := kernel.ParseNumber(word); n.Known() && n > 0 {
		p.connection.Hertz = n
	} else {
		p.skip(skipStatsValue, 1)
	}
}

func (p *statsParser) ofShare(word []byte) {
	switch string(word) {
	case "SMBs:":
		p.expect(&p.share.Requests)
	case "read:":
		if string(p.before) == "Bytes" {
			p.expect(&p.share.ReadBytes)
		}
	case "written:":
		if string(p.before) == "Bytes" {
			p.expect(&p.share.WriteBytes)
		}
	case "files:":
		if string(p.before) == "Open" {
			p.expect(&p.share.OpenFiles)
		}
	case "Bytes:": // of the reads or writes before
		switch {
		case p.operation && p.kind == classRead:
			p.expect(&p.share.ReadBytes)
		case p.operation && p.kind == classWrite:
			p.expect(&p.share.WriteBytes)
		}
	default:
		if kind, ok := operationClass(p.before, word); ok {
			p.isLast = p.isLast || string(word) == "OplockBreaks:" || string(word) == "FClose"
			p.forget()
			p.operation, p.kind = true, kind
		} else if word[len(word)-1] == ':' {
			p.forget()
		}
	}
}

func (p *statsParser) expect(target *Number) {
	p.forget()
	p.target = target
}

// endShare takes back what may be part of a sum only, if the file ends within a share.
func (p *statsParser) endShare() {
	isWhole := p.isLast && !p.expects() && (!p.failures || !p.operation)
	if p.share == nil || isWhole {
		return
	}
	for _, kind := range [...]class{classOpen, classAttr, classDir, classOther} {
		p.share.Operations[kind] = sum{}
	}
	p.share.Errors = [classes]sum{}
}

// endTable does the same if the file ends within a table.
func (p *statsParser) endTable() {
	if p.inTable && !p.connection.Commands[commands-1].Count.Known() {
		maxInFlight := p.connection.MaxInFlight
		*p.connection = newConnection(p.connection.FirstShare)
		p.connection.MaxInFlight = maxInFlight
	}
}
