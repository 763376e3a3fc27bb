package tcp

import (
	"net/netip"
	"strconv"
	"strings"
)

// textEnd is one end of a session as ss prints it.
type textEnd struct {
	host string
	zone string // name of a network interface, "" for none
	port uint16
}

// maxZone is the longest name that Linux gives a network interface.
const maxZone = 15

// parseTextEnd reads ADDRESS:PORT. An IPv6 address stands in brackets, or without them in older versions; the interface
// follows the address, inside or outside the brackets. ok is false for the name of a service and for *.
func parseTextEnd(word string) (end textEnd, ok bool) {
	colon := strings.LastIndexByte(word, ':')
	if colon < 0 {
		return textEnd{}, false
	}
	port, err := strconv.ParseUint(word[colon+1:], 10, 16)
	if err != nil {
		return textEnd{}, false
	}
	host, zone, _ := strings.Cut(word[:colon], "%")
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return textEnd{host: host, zone: strings.TrimSuffix(zone, "]"), port: uint16(port)}, true
}

// joinTextEnds makes the session between two ends. ss prints the interface at the local end alone, where it holds for
// both. Only a link-local address keeps it, by its name, as ss knows no number. ok is false if an address is none.
func joinTextEnds(local, remote textEnd) (found session, ok bool) {
	if remote.zone == "" {
		remote.zone = local.zone
	}
	from, ok := local.address()
	to, alsoOK := remote.address()
	if !ok || !alsoOK {
		return session{}, false
	}
	return session{local: netip.AddrPortFrom(from, local.port), remote: netip.AddrPortFrom(to, remote.port)}, true
}

func (e textEnd) address() (netip.Addr, bool) {
	ip, err := netip.ParseAddr(e.host)
	if err != nil || len(e.zone) > maxZone {
		return netip.Addr{}, false
	}
	if ip = ip.Unmap(); ip.Is6() && ip.IsLinkLocalUnicast() {
		return ip.WithZone(e.zone), true
	}
	return ip, true
}
