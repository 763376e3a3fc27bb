package bundle

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strings"
)

// source masks SERVER:EXPORT or //SERVER/SHARE.
func (m *mask) source(source string) string {
	source = unescape(source)
	if rest, ok := strings.CutPrefix(source, "//"); ok {
		server, share, deeper := strings.Cut(rest, "/")
		masked := "//" + m.server(server)
		if deeper {
			masked += m.path("share", "/"+share)
		}
		return masked
	}
	server, export, ok := cutSource(source)
	if !ok {
		return m.name("source", source)
	}
	return m.server(server) + ":" + m.path("export", export)
}

// cutSource cuts a source behind its server: SERVER:/EXPORT or [ADDRESS]:/EXPORT.
func cutSource(source string) (server, export string, ok bool) {
	if strings.HasPrefix(source, "[") {
		if end := strings.Index(source, "]:"); end > 0 {
			return source[:end+1], source[end+2:], true
		}
	}
	if colon := strings.Index(source, ":/"); colon >= 0 {
		return source[:colon], source[colon+1:], true
	}
	return strings.Cut(source, ":")
}

// server masks a server's name or address. The domain of a cloud's file service is kept: it names no site.
func (m *mask) server(server string) string {
	bare := strings.TrimSuffix(strings.TrimPrefix(server, "["), "]")
	if address, err := netip.ParseAddr(bare); err == nil {
		masked := m.address(address).String()
		if bare != server {
			masked = "[" + masked + "]"
		}
		return masked
	}
	const azure = ".file.core.windows.net"
	if strings.HasSuffix(strings.ToLower(server), azure) {
		return m.name("server", server) + azure
	}
	return m.name("server", server) + ".example.com"
}

// path masks every element of a path, so that one path below another stays below it.
func (m *mask) path(kind, name string) string {
	elements := strings.Split(unescape(name), "/")
	for i, element := range elements {
		if element != "" {
			elements[i] = m.name(kind, element)
		}
	}
	return strings.Join(elements, "/")
}

// name gives replacements in the order in which the names of a kind are met; they sort in that order.
func (m *mask) name(kind, name string) string {
	key := kind + " " + name
	if m.names[key] == "" {
		m.count[kind]++
		m.names[key] = fmt.Sprintf("%s-%04d", kind, m.count[kind])
	}
	return m.names[key]
}

// address gives documentation addresses in the order in which addresses are met (RFC 5737, RFC 3849).
func (m *mask) address(address netip.Addr) netip.Addr {
	address = address.Unmap().WithZone("")
	if !address.IsValid() || address.IsUnspecified() || address.IsLoopback() {
		return address
	}
	kind := "ipv6"
	if address.Is4() {
		kind = "ipv4"
	}
	key := kind + " " + address.String()
	if m.names[key] == "" {
		m.count[kind]++
		m.addresses = append(m.addresses, address)
		m.names[key] = nth(address.Is4(), uint32(m.count[kind])).String()
	}
	masked, err := netip.ParseAddr(m.names[key])
	if err != nil {
		return netip.Addr{} // cannot happen: it is one of ours
	}
	return masked
}

// nth is the n-th address of 2001:db8::/32 or of 192.0.2.0/24. The 255th and later of the latter go on in
// 198.18.0.0/15, which is set aside for tests (RFC 2544), and in 240.0.0.0/4, which nobody uses.
func nth(is4 bool, n uint32) netip.Addr {
	if !is4 {
		raw := netip.MustParseAddr("2001:db8::").As16()
		binary.BigEndian.PutUint32(raw[12:], n)
		return netip.AddrFrom16(raw)
	}
	const first, tests, unused, testCount = 192<<24 | 2<<8, 198<<24 | 18<<16, 240 << 24, 1 << 17
	var raw [4]byte
	switch {
	case n < 255:
		n += first
	case n < 255+testCount:
		n += tests - 255
	default:
		n += unused
	}
	binary.BigEndian.PutUint32(raw[:], n)
	return netip.AddrFrom4(raw)
}

// transportAddress masks a file of a transport: an address, or what the kernel says where there is none. A transport
// to a local service has the path of a socket.
func (m *mask) transportAddress(line string) string {
	line = strings.TrimSpace(line)
	switch {
	case slices.Contains([]string{"", "<not a socket>", "<closed>", "(null)"}, line):
		return line
	case path.IsAbs(line) || strings.HasPrefix(line, "@"):
		return "/" + m.name("socket", line)
	}
	return m.server(line)
}

// plainWord is a number, the number of a device, a set of CPUs, a state, or a counter's name with its value.
var plainWord = regexp.MustCompile(`^([a-z_]+=)?(-?[0-9]+|[0-9]+:[0-9]+|0x[0-9a-f]+|[0-9a-f]{1,8}(,[0-9a-f]{8})*|)$`)

// isPlain tells whether a text holds nothing but numbers and words that the kernel uses.
func (m *mask) isPlain(text string) bool {
	for word := range strings.FieldsSeq(text) {
		if !m.known.states[word] && !plainWord.MatchString(word) {
			return false
		}
	}
	return true
}

// unescape undoes the octal escapes of the kernel, which writes a name in one file with and in another without them.
func unescape(text string) string {
	var out strings.Builder
	for {
		before, after, escaped := strings.Cut(text, `\`)
		out.WriteString(before)
		if !escaped {
			return out.String()
		}
		if len(after) >= 3 && octalDigits.MatchString(after[:3]) {
			out.WriteByte(after[0]&3<<6 | after[1]&7<<3 | after[2]&7)
			after = after[3:]
		} else {
			out.WriteByte('\\')
		}
		text = after
	}
}

var octalDigits = regexp.MustCompile(`^[0-3][0-7][0-7]$`)
