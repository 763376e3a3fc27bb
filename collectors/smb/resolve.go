package smb

import (
	"slices"
	"strings"

	"github.com/nasight/nasight/collectors/internal/kernel"
)

// resolver finds the address of a server. The kernel prints it for sessions since Linux 5.12; before that it prints the
// name that the mount used, and the mount's options have the address.
type resolver struct{ mounts []Mount }

// mountServer is the address that a mount uses, or what is known of it, fit for a label value.
func mountServer(m *Mount) string {
	for _, option := range [...]string{"addr", "ip"} {
		if text, ok := m.Options.Get(option); ok && text != "" {
			if address, ok := parseAddress(text); ok {
				return address.String()
			}
			return kernel.LabelText(text)
		}
	}
	host, _, _ := splitShare(m.Source)
	return hostLabel(host)
}

func hostLabel(host string) string {
	if address, ok := parseAddress(host); ok {
		return address.String()
	}
	return kernel.LabelText(host)
}

// server is the label of a server of DebugData.
func (r resolver) server(s *Server) string {
	names := s.names()
	for _, name := range names {
		if address, ok := parseAddress(name); ok {
			if address.Is6() && address.IsLinkLocalUnicast() {
				return r.withZone(address.String())
			}
			return address.String()
		}
	}
	if found, ok := r.byName(names, s.interfaceAddresses()); ok {
		return found
	}
	if found := s.interfaceAddresses(); len(found) == 1 {
		return found[0]
	}
	if len(names) == 0 {
		return ""
	}
	return kernel.LabelText(names[0])
}

// withZone adds the zone of a link-local address, which DebugData does not print.
func (r resolver) withZone(address string) string {
	for i := range r.mounts {
		server := mountServer(&r.mounts[i])
		if bare, _, hasZone := strings.Cut(server, "%"); hasZone && bare == address {
			return server
		}
	}
	return address
}

// byName finds the one address of the mounts from a server of one of the names. Where a name has led to several, that
// one counts which is among the server's own.
func (r resolver) byName(names, own []string) (server string, ok bool) {
	var found []string
	for i := range r.mounts {
		host, _, _ := splitShare(r.mounts[i].Source)
		isNamed := slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, host) })
		if server := mountServer(&r.mounts[i]); isNamed && !slices.Contains(found, server) {
			found = append(found, server)
		}
	}
	if len(found) > 1 {
		found = slices.DeleteFunc(found, func(server string) bool { return !slices.Contains(own, server) })
	}
	if len(found) != 1 {
		return "", false
	}
	return found[0], true
}

// host is the label of a server that only a share's name tells.
func (r resolver) host(host string) string {
	if found, ok := r.byName([]string{host}, nil); ok {
		return found
	}
	return hostLabel(host)
}

// names are what the kernel calls the server by, what is nearest to the connection first.
func (s *Server) names() []string {
	var names []string
	for i := range s.Sessions {
		names = appendName(names, string(s.Sessions[i].Address))
	}
	names = appendName(names, string(s.Hostname))
	for i := range s.Sessions {
		for _, tree := range s.Sessions[i].Trees {
			host, _, _ := splitShare(string(tree.Name))
			names = appendName(names, host)
		}
	}
	return names
}

func appendName(names []string, name string) []string {
	if name == "" || slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// interfaceAddresses are the server's own addresses that channels use, or all if none is marked so.
func (s *Server) interfaceAddresses() []string {
	var all, used []string
	for i := range s.Sessions {
		for _, at := range s.Sessions[i].Interfaces {
			address, ok := parseAddress(string(at.Address))
			if !ok {
				continue
			}
			all = appendName(all, address.String())
			if at.Connected {
				used = appendName(used, address.String())
			}
		}
	}
	if len(used) > 0 {
		return used
	}
	return all
}
