package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// CheckLoops tells that nasight would send to itself: an address of history or of a receiver that is web.listen_address. It
// looks up no names; requests that come back by such a way are refused when they do.
func (c Config) CheckLoops() error {
	for _, one := range c.targets() {
		if isOwn(c.Web.ListenAddress, one.address) {
			return fmt.Errorf("%s: %s", one.key, ownAddress(c.Web.ListenAddress))
		}
	}
	return nil
}

func ownAddress(listen string) string {
	return fmt.Sprintf("is where nasight itself listens (web.listen_address %s); write the address of another server", listen)
}

func (c *check) loops(cfg Config) {
	for _, one := range cfg.targets() {
		if isOwn(cfg.Web.ListenAddress, one.address) {
			c.fail(one.key, "%s", ownAddress(cfg.Web.ListenAddress))
		}
	}
}

type target struct{ key, address string }

// targets are the addresses that samples are sent to and history is asked at.
func (c Config) targets() []target {
	all := []target{{"history.url", c.History.URL}, {"history.write_url", c.History.WriteURL}}
	for i, one := range c.Export.RemoteWrite {
		all = append(all, target{fmt.Sprintf("export.remote_write[%d].url", i), one.URL})
	}
	return all
}

// isOwn tells whether a URL leads to who listens at an address, as far as the two texts tell.
func isOwn(listen, address string) bool {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" {
		return false
	}
	port := parsed.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[parsed.Scheme]
	}
	host, listenPort, err := net.SplitHostPort(listen)
	if err != nil || listenPort == "0" || port != listenPort {
		return false
	}
	ip, listenIP := ipOf(parsed.Hostname()), ipOf(host)
	switch {
	case host == "" || listenIP.IsUnspecified():
		return ip.IsLoopback() || ip.IsUnspecified()
	case ip.IsUnspecified(): // which reaches this machine
		return listenIP.IsLoopback()
	case ip.IsValid() && listenIP.IsValid():
		return ip == listenIP
	}
	return strings.EqualFold(host, parsed.Hostname())
}

// ipOf reads an IP address, which localhost is one of; no valid one for other names.
func ipOf(host string) netip.Addr {
	if strings.EqualFold(host, "localhost") {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	ip, _ := netip.ParseAddr(host)
	return ip.Unmap()
}
