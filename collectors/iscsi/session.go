package iscsi

import (
	"cmp"
	"fmt"
	"io/fs"
	"net/netip"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	sessionClass    = "class/iscsi_session"
	connectionClass = "class/iscsi_connection"

	// maxSessions bounds the sessions of one host; far more than an initiator can hold.
	maxSessions = 4096
	// loggedIn is the state of a session that can carry requests. The others are FAILED and FREE.
	loggedIn = "LOGGED_IN"
)

// session is one session of the initiator.
type session struct {
	name      string // sessionN, as the kernel numbers them
	number    uint64
	directory string // of the device in sysfs, which the disks are below
	target    string // IQN
	state     string // empty where the kernel does not tell
	portal    portal
	disks     []disk
}

// portal is where a session leads to.
type portal struct {
	inUse      string // address of the connection
	configured string // address that the initiator was told, which a login may have been redirected from
}

// server is the value of the server label.
func (p portal) server() string { return cmp.Or(p.inUse, p.configured) }

// readSessions lists the sessions by number. One that is going away or makes no sense is counted and costs itself; the
// error is the first problem of those that are there and cannot be read.
func readSessions(sysfs fs.FS, skip skipFunc) (sessions []session, problem error) {
	entries, err := fs.ReadDir(sysfs, sessionClass)
	switch {
	case isGone(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("list %s: %w", sessionClass, err)
	}
	connections := readConnections(sysfs, skip)
	for i, entry := range entries {
		if i >= maxSessions {
			skip("session_beyond_limit", len(entries)-maxSessions)
			break
		}
		s, ok := newSession(sysfs, entry.Name())
		if !ok {
			skip("odd_session_name", 1)
			continue
		}
		err := s.read(sysfs, skip)
		if err != nil && isGone(err) {
			skip("session_gone", 1)
			continue
		}
		if err != nil {
			problem = cmp.Or(problem, err)
			continue
		}
		s.portal = readPortal(sysfs, connections[s.number])
		sessions = append(sessions, s)
	}
	slices.SortFunc(sessions, func(a, b session) int { return cmp.Compare(a.number, b.number) })
	return sessions, problem
}

func newSession(sysfs fs.FS, name string) (session, bool) {
	digits, ok := strings.CutPrefix(name, "session")
	number, err := strconv.ParseUint(digits, 10, 32)
	if !ok || err != nil || strconv.FormatUint(number, 10) != digits {
		return session{}, false
	}
	return session{name: name, number: number, directory: deviceOf(sysfs, path.Join(sessionClass, name))}, true
}

// deviceOf finds the directory of a class member's device. The link of the class leads to
// .../hostH/sessionN/iscsi_session/sessionN; a tree without links has the device beside the attributes.
func deviceOf(sysfs fs.FS, member string) string {
	if target, err := fs.ReadLink(sysfs, member); err == nil {
		if inside := path.Join(path.Dir(member), target); fs.ValidPath(inside) {
			return path.Dir(path.Dir(inside))
		}
	}
	return path.Join(member, "device")
}

// read reads what identifies the session, and its state.
func (s *session) read(sysfs fs.FS, skip skipFunc) error {
	member := path.Join(sessionClass, s.name)
	target, err := readText(sysfs, path.Join(member, "targetname"))
	if err != nil {
		return err
	}
	if s.target = labelText(target); s.target == "" {
		return fmt.Errorf("%s has no target: %w", s.name, fs.ErrNotExist)
	}
	state, err := readText(sysfs, path.Join(member, "state"))
	if err != nil {
		return err
	}
	switch s.state = state; state {
	case loggedIn, "FAILED", "FREE":
	default:
		skip("odd_session_state", 1)
	}
	return nil
}

// isUp tells whether the session is logged in; known is false where the kernel gave no state at all.
func (s *session) isUp() (up, known bool) { return s.state == loggedIn, s.state != "" }

// readConnections lists the connections by the number of their session, in order: connectionN:C is the C-th of sessionN.
func readConnections(sysfs fs.FS, skip skipFunc) map[uint64][]string {
	entries, err := fs.ReadDir(sysfs, connectionClass)
	if err != nil {
		return nil
	}
	found := map[uint64][]string{}
	for _, entry := range entries {
		digits, _, _ := strings.Cut(strings.TrimPrefix(entry.Name(), "connection"), ":")
		number, err := strconv.ParseUint(digits, 10, 32)
		if err != nil {
			skip("odd_connection_name", 1)
			continue
		}
		found[number] = append(found[number], entry.Name())
	}
	return found
}

// readPortal finds the addresses of the first connection that has them. A connection that is down has none in use; to ask
// for it is an error then, which tells no more than that.
func readPortal(sysfs fs.FS, connections []string) (found portal) {
	for _, name := range connections {
		address := func(file string) string {
			text, _ := readText(sysfs, path.Join(connectionClass, name, file))
			return serverText(text)
		}
		found.inUse = cmp.Or(found.inUse, address("address"))
		found.configured = cmp.Or(found.configured, address("persistent_address"))
	}
	return found
}

// serverText writes an address as the TCP collector does, so that both mean the same server. The kernel writes IPv6
// addresses in full; the initiator may have been told a name.
func serverText(text string) string {
	if address, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		return address.Unmap().String()
	}
	return labelText(text)
}

// readText reads an attribute. The kernel writes (null) for what is not set.
func readText(sysfs fs.FS, name string) (string, error) {
	data, err := fs.ReadFile(sysfs, name)
	text := strings.TrimSpace(string(data))
	if err != nil || text == "(null)" {
		return "", err
	}
	return text, nil
}

// labelText makes a text fit for a label value: UTF-8, of a length that no name has.
func labelText(text string) string {
	const most = 512
	text = strings.ToValidUTF8(text, "\uFFFD")
	for len(text) > most {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}
