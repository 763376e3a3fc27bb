package smb

import (
	"bytes"

	"github.com/nasight/nasight/collectors/internal/kernel"
)

// ofChannel reads what the kernel says of a connection: in a server's head, in the lines of further channels, or in
// the session's head in old kernels.
func (p *debugParser) ofChannel(word []byte) {
	if p.at == inChannels && (string(word) == "Channel:" || string(word) == "Channel") && p.session != nil {
		p.session.Extra = append(p.session.Extra, newChannel())
		p.channel = &p.session.Extra[len(p.session.Extra)-1]
		return
	}
	if p.channel == nil {
		return
	}
	switch string(word) {
	case "Dialect":
		p.channel.Dialect = p.number(parseHex)
	case "status:":
		if p.after("TCP") {
			p.channel.Status = p.number(decimal)
		}
	case "Wire:":
		if p.after("On") {
			p.channel.OnWire = p.number(decimal)
		}
	case "capabilities:":
		if p.after("Server") {
			p.server.Capabilities = p.number(parseHex)
		}
	case "RDMA":
		p.server.RDMA = true
	case "SMBDirect": // which old kernels print before the server that it belongs to begins
		p.server.RDMA = p.server.RDMA || p.numbered
	}
}

func mark(word []byte, mark *Mark) {
	switch string(word) {
	case "DISCONNECTED":
		*mark = max(*mark, MarkDisconnected)
	case "[RECONNECTING]":
		*mark = MarkReconnecting
	}
}

func (p *debugParser) ofSession(word []byte) {
	switch string(word) {
	case "Status:":
		if p.after("Session") {
			p.session.Status = p.number(decimal)
		}
	case "status:":
		if p.after("session") {
			p.session.Status = p.number(decimal)
		}
	case "Capability:":
		p.session.Capabilities = p.number(parseHex)
	case "type:":
		if p.after("Security") {
			p.session.Security = p.words.value()
		}
	case "SessionId:":
		if p.session.ID, p.session.HasID = parseID(p.words.value()); !p.session.HasID {
			p.skip(skipDebugValue, 1)
		}
	case "User:":
		if p.after("Cred") {
			p.session.User = p.number(decimal)
		}
	default:
		mark(word, &p.session.Primary)
		if rest, ok := bytes.CutPrefix(word, []byte("encrypted")); ok && (len(rest) == 0 || rest[0] == '(') {
			p.session.Encrypted = true
		}
	}
}

// maxTreeName bounds what is taken for a share's name: the server's name and the share's, of 80 characters at most.
const maxTreeName = 1024

// path reads a name that begins with two backslashes: a share, which goes on to the word Mounts, or the link that led to
// the server. Blanks may be part of both.
func (p *debugParser) path(word []byte) {
	start := p.words.pos - len(word)
	if p.at == inServer && p.after("path:") && p.server != nil {
		p.words.restOfLine()
		p.server.LeafPath = trimBlanks(p.words.data[start:p.words.pos])
		return
	}
	if p.at != inTrees || p.session == nil {
		return
	}
	text := p.words.data[start:min(start+maxTreeName, len(p.words.data))]
	end := bytes.Index(text, []byte(" Mounts:"))
	if wrapped := bytes.Index(text, []byte("\nMounts:")); end < 0 || wrapped >= 0 && wrapped < end {
		end = wrapped
	}
	isIPC := p.after("IPC:")
	p.tree = nil
	if end < 0 {
		p.skip(skipDebugShare, 1)
		return
	}
	p.words.pos = start + end
	name := text[:end]
	if bytes.IndexByte(name, '\n') >= 0 { // wrapped at one of its blanks
		name = bytes.Join(bytes.Fields(name), []byte(" "))
	}
	p.session.Trees = append(p.session.Trees, Tree{Name: trimBlanks(name), ID: Absent, IsIPC: isIPC || isIPCName(name)})
	p.tree = &p.session.Trees[len(p.session.Trees)-1]
}

// isIPCName recognises the share that the client talks to the server's services over.
func isIPCName(name []byte) bool { return bytes.HasSuffix(bytes.ToUpper(name), []byte(`\IPC$`)) }

func (p *debugParser) ofTree(word []byte) {
	if p.tree == nil {
		return
	}
	switch string(word) {
	case "tid:":
		p.tree.ID = p.number(parseHex)
	case "Encrypted", "encrypted":
		p.tree.Encrypted = true
	case "DISCONNECTED":
		p.tree.Disconnected = true
	}
}

func (p *debugParser) ofInterface(word []byte) {
	if string(word) == "Speed:" {
		p.session.Interfaces = append(p.session.Interfaces, Interface{Speed: p.speed()})
		return
	}
	if len(p.session.Interfaces) == 0 {
		return
	}
	at := &p.session.Interfaces[len(p.session.Interfaces)-1]
	switch string(word) {
	case "rss":
		at.RSS = true
	case "rdma":
		at.RDMA = true
	case "IPv4:", "IPv6:":
		at.Address = p.words.value()
	case "[CONNECTED]":
		at.Connected = true
	}
}

// speed reads 10Gbps, 10000000000 bps or Unknown, in bits per second.
func (p *debugParser) speed() Number {
	text := p.words.value()
	if string(text) == "Unknown" {
		return Absent
	}
	digits := len(text) - len(bytes.TrimLeft(text, "0123456789"))
	n, factor := kernel.ParseNumber(text[:digits]), speedUnit(text[digits:])
	if !n.Known() || factor == 0 || n >= Absent/factor {
		p.skip(skipDebugValue, 1)
		return Absent
	}
	return n * factor
}

func speedUnit(unit []byte) Number {
	switch string(unit) {
	case "", "bps":
		return 1
	case "Kbps", "kbps":
		return 1e3
	case "Mbps":
		return 1e6
	case "Gbps":
		return 1e9
	case "Tbps":
		return 1e12
	}
	return 0
}

func (p *debugParser) ofRequest(word []byte) {
	if string(word) != "com:" {
		return
	}
	if command := p.number(decimal); command.Known() {
		p.session.Requests = append(p.session.Requests, Request{Connection: p.requestsOf, Command: command})
	}
}
