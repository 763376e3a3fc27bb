package tcp

import (
	"errors"
	"strconv"
	"strings"
)

// TextFile is what ss printed, in a directory that lacks the recorded replies.
const TextFile = "ss.txt"

// errNoText says that a text holds nothing that ss prints.
var errNoText = errors.New("no line of ss in the text")

// parseText reads what ss printed, with or without -O and -H, and keeps the established TCP sessions whose remote port is
// wanted. Numbers that ss left out are absent: some versions of it do not print zeros, others do not know the number. odd
// counts the lines and values that made no sense. A last line without its end is cut: its last word is not used.
func parseText(text []byte, wanted func(port uint16) bool) (sessions []session, odd int, err error) {
	parser := textParser{wanted: wanted}
	for line := range strings.Lines(string(text)) {
		parser.line(line)
	}
	if !parser.seen {
		return nil, parser.odd, errNoText
	}
	return parser.sessions, parser.odd, nil
}

type textParser struct {
	wanted   func(port uint16) bool
	sessions []session
	odd      int
	seen     bool // something that ss prints
	open     bool // details belong to the last session
	skipped  bool // details belong to a socket that is not kept
}

// line reads the heading, the line of a socket, or the indented details of the socket before it.
func (p *textParser) line(line string) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return
	}
	if !strings.HasSuffix(line, "\n") {
		p.odd++
		if words = words[:len(words)-1]; len(words) == 0 {
			return
		}
	}
	switch {
	case words[0] == "Netid" || words[0] == "State":
		p.seen, p.open, p.skipped = true, false, false
	case p.socket(words):
		p.seen = true
	case isBlank(line[0]) && p.open:
		p.details(words)
	case isBlank(line[0]) && p.skipped:
	default:
		p.odd++
		p.open, p.skipped = false, true // whatever stands below it belongs to none of ours
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// socket reads "[NETID] STATE RECV-Q SEND-Q LOCAL PEER ..." and says whether the line has that form. ss leaves the first
// column out where only TCP was asked for.
func (p *textParser) socket(words []string) bool {
	kind := "tcp"
	if !isState(words[0]) {
		kind, words = words[0], words[1:]
	}
	if len(words) < 5 || !isState(words[0]) || !isCount(words[1]) || !isCount(words[2]) {
		return false
	}
	p.open, p.skipped = false, true
	if kind != "tcp" || words[0] != "ESTAB" {
		return true
	}
	remote, ok := parseTextEnd(words[4])
	if ok && !p.wanted(remote.port) {
		return true
	}
	local, alsoOK := parseTextEnd(words[3])
	found, sound := joinTextEnds(local, remote)
	if !ok || !alsoOK || !sound {
		p.odd++
		return true
	}
	found.cookie = textCookie(words[5:])
	p.sessions = append(p.sessions, found)
	p.open, p.skipped = true, false
	p.details(words[5:])
	return true
}

func isState(word string) bool {
	switch word {
	case "ESTAB", "SYN-SENT", "SYN-RECV", "NEW-SYN-RECV", "FIN-WAIT-1", "FIN-WAIT-2", "TIME-WAIT", "UNCONN", "CLOSE-WAIT",
		"LAST-ACK", "LISTEN", "CLOSING", "BOUND-INACTIVE", "UNKNOWN":
		return true
	}
	return false
}

func isCount(word string) bool {
	_, err := strconv.ParseUint(word, 10, 64)
	return err == nil
}

// textCookie finds the kernel's identity of the socket, which ss -e prints; 0 where it is not known.
func textCookie(words []string) uint64 {
	for _, word := range words {
		if text, ok := strings.CutPrefix(word, "sk:"); ok {
			cookie, err := strconv.ParseUint(text, 16, 64)
			if err != nil {
				return 0
			}
			return cookie
		}
	}
	return 0
}

// details reads numbers of tcp_info into the last session.
func (p *textParser) details(words []string) {
	p.odd += p.sessions[len(p.sessions)-1].info.readText(kernelWords(words))
}

// kernelWords leaves out what stands before the kernel's numbers: names of processes and paths of control groups may hold
// any words. The former end in "))", the latter before the arrow that shows which directions are open.
func kernelWords(words []string) []string {
	from := 0
	for i, word := range words {
		switch {
		case strings.HasSuffix(word, "))"), word == "<->", word == "-->", word == "<--", word == "---":
			from = i + 1
		case strings.HasPrefix(word, "users:("), strings.HasPrefix(word, "cgroup:"):
			from = len(words) // until they end
		}
	}
	return words[from:]
}
