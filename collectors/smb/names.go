package smb

import (
	"net/netip"
	"strings"
)

// Options are the options of a cifs mount as the kernel prints them: names, or names and values, between commas.
type Options string

// Get returns the value of an option, empty if it has none, and whether the option is there.
func (o Options) Get(name string) (value string, ok bool) {
	for option := range strings.SplitSeq(string(o), ",") {
		key, value, _ := strings.Cut(option, "=")
		if key == name {
			return value, true
		}
	}
	return "", false
}

// isPersonal tells which options say who uses a mount. They are no one's business in a label.
func isPersonal(key string) bool {
	switch key {
	case "username", "user", "domain", "dom", "password", "pass", "password2", "credentials", "cruid", "uid", "gid":
		return true
	}
	return false
}

// public are the options without the personal ones, cut at a comma so that they fit into limit bytes.
func (o Options) public(limit int) string {
	var out strings.Builder
	for option := range strings.SplitSeq(string(o), ",") {
		key, _, _ := strings.Cut(option, "=")
		if option == "" || isPersonal(key) {
			continue
		}
		if out.Len()+len(option)+1 > limit {
			break
		}
		if out.Len() > 0 {
			out.WriteByte(',')
		}
		out.WriteString(option)
	}
	return out.String()
}

// version is the dialect that the options name, in the form of dialectName; empty if they leave it open.
func (o Options) version() string {
	version, _ := o.Get("vers")
	switch version {
	case "2.0":
		return "2.0.2"
	case "3", "default":
		return ""
	case "3.02":
		return "3.0.2"
	case "3.11":
		return "3.1.1"
	}
	return version
}

// dialectName is the usual name of a dialect's number; empty for one that is not known.
func dialectName(dialect Number) string {
	switch dialect {
	case 0x202:
		return "2.0.2"
	case 0x210:
		return "2.1"
	case 0x300:
		return "3.0"
	case 0x302:
		return "3.0.2"
	case 0x311:
		return "3.1.1"
	}
	return ""
}

// splitShare takes //server/share/directory or \\server\share apart. The rest has no slash before it.
func splitShare(source string) (host, share, rest string) {
	if strings.HasPrefix(source, `\`) {
		source = strings.ReplaceAll(source, `\`, "/")
	}
	host, path, _ := strings.Cut(strings.TrimPrefix(source, "//"), "/")
	share, rest, _ = strings.Cut(path, "/")
	return host, share, strings.Trim(rest, "/")
}

// parseAddress reads an address as the kernel prints it. Only a link-local address keeps its zone, as those of TCP
// sessions do.
func parseAddress(text string) (netip.Addr, bool) {
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	if err != nil {
		return netip.Addr{}, false
	}
	if address = address.Unmap(); !address.Is6() || !address.IsLinkLocalUnicast() {
		address = address.WithZone("")
	}
	return address, true
}
