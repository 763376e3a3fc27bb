package smb

import (
	"bytes"

	"github.com/nasight/nasight/collectors/internal/kernel"
)

// firstWithInterfaces is the minor number of CIFS version 2 (Linux 5.5) from which on every client asks servers for
// their interfaces and lists them.
const firstWithInterfaces = 24

// ParseDebugData reads a DebugData file. Layout does not matter: keys are found wherever they stand. An odd value costs
// itself and is counted by skip; the word that a file without a final line end stops in is left out.
func ParseDebugData(data []byte, skip Skip) *Debug {
	whole, cut := wholeWords(data)
	if last := data[len(whole):]; string(last) == "--" || string(last) == "MIDs:" {
		whole, cut = data, false // a text that was pasted without its last line end
	}
	if cut {
		skip(skipDebugCut, 1)
	}
	p := debugParser{words: words{data: whole}, out: &Debug{Cut: cut}, skip: skip}
	for {
		word, isFirst, ok := p.words.next()
		if !ok || isFirst && string(word) == "Witness" && string(p.words.peek()) == "registrations:" {
			break
		}
		p.word(word)
		p.before, p.last = p.last, word
	}
	// Old kernels write no end mark: all requests are there if they are as many as are in flight.
	if s := p.session; s != nil && s.reached == inRequests && !p.numbered && p.server.Primary.OnWire.Known() {
		s.whole = s.whole || Number(len(s.Requests)) >= p.server.Primary.OnWire
	}
	return p.out
}

type debugParser struct {
	words        words
	last, before []byte // the words before this one
	out          *Debug
	at           section
	server       *Server
	session      *Session
	channel      *Channel // that channel lines are about
	tree         *Tree
	requestsOf   Number
	numbered     bool // servers have a ConnectionId
	skip         Skip
}

func (p *debugParser) number(parse func([]byte) Number) Number {
	text := p.words.value()
	n := parse(text)
	if !n.Known() {
		p.skip(skipDebugValue, 1)
	}
	return n
}

// credits are one number, or one for each of three classes, of which the first is for usual requests.
func credits(word []byte) Number {
	first, _, _ := bytes.Cut(word, []byte(","))
	return kernel.ParseNumber(first)
}

func decimal(word []byte) Number { return kernel.ParseNumber(word) }

// after tells whether the word before this one is the given one: it is part of the key.
func (p *debugParser) after(word string) bool { return string(p.last) == word }

func (p *debugParser) word(word []byte) {
	if bytes.HasPrefix(word, []byte(`\\`)) {
		p.path(word)
		return
	}
	if p.heading(word) || p.ofServer(word) {
		return
	}
	p.ofChannel(word)
	if p.session == nil {
		return
	}
	switch p.at {
	case inServer, inSession:
		p.ofSession(word)
	case inChannels:
		if p.channel != nil {
			mark(word, &p.channel.MarkedAs)
		}
	case inTrees:
		p.ofTree(word)
	case inInterfaces:
		p.ofInterface(word)
	case inRequests:
		p.ofRequest(word)
	}
}

// heading goes to another part of the file.
func (p *debugParser) heading(word []byte) bool {
	switch string(word) {
	case "Version":
		p.version()
	case "Servers:":
		p.at = inServer
	case "Sessions:":
		p.enter(inSession)
	case "Channels:":
		if p.after("Extra") {
			p.enter(inChannels)
			p.channel = nil // until the first one begins
		}
	case "Shares:":
		p.enter(inTrees)
	case "interfaces:":
		if p.after("Server") && p.session != nil {
			p.enter(inInterfaces)
			p.session.HasInterfaces, p.out.ListsInterfaces = true, true
		}
	case "MIDs:":
		p.enter(inRequests)
		p.requestsOf = Absent
	case "--":
		p.close()
	default:
		return false
	}
	return true
}

func (p *debugParser) version() {
	major, minor, ok := bytes.Cut(p.words.peek(), []byte("."))
	if n := kernel.ParseNumber(minor); p.after("CIFS") && ok && n.Known() {
		p.out.ListsInterfaces = kernel.ParseNumber(major) > 2 || string(major) == "2" && n >= firstWithInterfaces
	}
}

// enter begins a part of the session. What stands after its requests shows that these are all there.
func (p *debugParser) enter(next section) {
	p.close()
	p.at, p.tree = next, nil
	if p.session != nil && next > inSession {
		p.session.reached = max(p.session.reached, next)
	}
	if p.server != nil && next != inChannels {
		p.channel = &p.server.Primary
	}
}

// close ends the list of requests.
func (p *debugParser) close() {
	if p.session != nil && p.session.reached == inRequests {
		p.session.whole = true
	}
}

// ofServer begins servers and sessions. A server begins with its ConnectionId, with its credits in old kernels, or with
// a session of another number in kernels older still.
func (p *debugParser) ofServer(word []byte) bool {
	switch string(word) {
	case "ConnectionId:":
		p.connection(p.number(parseHex))
	case "credits:":
		if !p.after("of") {
			return false
		}
		if !p.numbered && p.at != inChannels {
			p.begin(Absent)
		}
		n := p.number(credits)
		if p.channel != nil {
			p.channel.Credits = n
		}
	case "Address:", "Name:":
		item, isItem := itemNumber(p.last)
		if !isItem {
			return false
		}
		p.beginSession(item)
	case "entry": // "1) entry for NAME not fully displayed", before Linux 4.14
		item, isItem := itemNumber(p.last)
		if !isItem || string(p.words.peek()) != "for" {
			return false
		}
		p.words.value()
		p.beginSession(item)
	case "Hostname:":
		if p.server != nil {
			p.server.Hostname = p.words.value()
		}
	default:
		return false
	}
	return true
}

func (p *debugParser) connection(id Number) {
	switch {
	case p.after("Server"):
		p.requestsOf = id
	case p.at == inChannels:
		if p.channel != nil {
			p.channel.ID = id
		}
	default:
		p.numbered, p.out.ListsInterfaces = true, true
		p.begin(id)
	}
}

func (p *debugParser) begin(id Number) {
	p.close()
	p.out.Servers = append(p.out.Servers, Server{Primary: newChannel(), Capabilities: Absent, item: Absent})
	p.server = &p.out.Servers[len(p.out.Servers)-1]
	p.server.Primary.ID = id
	p.channel, p.session, p.tree, p.at = &p.server.Primary, nil, nil, inServer
}

func (p *debugParser) beginSession(item Number) {
	p.close()
	if p.server == nil || !p.numbered && p.server.item.Known() && p.server.item != item {
		p.begin(Absent)
	}
	if !p.numbered {
		p.server.item = item
	}
	p.server.Sessions = append(p.server.Sessions, Session{
		Status: Absent, Capabilities: Absent, User: Absent, Address: p.words.value(), reached: inSession,
	})
	p.session = &p.server.Sessions[len(p.server.Sessions)-1]
	p.channel, p.tree, p.at = &p.server.Primary, nil, inSession
}
