package host

import (
	"cmp"
	"net/netip"
	"strconv"
	"strings"
)

// nfsPort is the port of NFS servers; a mount names another one among its options.
const nfsPort = 2049

// noSecurity is the mount's security flavour AUTH_UNIX by its number.
const noSecurity = "\tsec:\tflavor=1,pseudoflavor=1\n"

// nfsFiles adds the NFS mounts, the transports that they use and the settings that bear on them.
func (m *Machine) nfsFiles(t *tree) {
	m.nfsSettings(t)
	m.sunrpc(t)
	for i := range m.NFS {
		server := &m.NFS[i]
		for j := range server.Mounts {
			server.mount(t, &server.Mounts[j])
		}
	}
}

// mount adds one mount and the read-ahead of its backing device.
func (s *NFSServer) mount(t *tree, mount *NFSMount) {
	device := t.device(mount.MountPoint)
	t.line("sys/devices/virtual/bdi/"+device+"/read_ahead_kb", strconv.Itoa(mount.ReadAheadKiB))
	t.link("sys/class/bdi/"+device, "../../devices/virtual/bdi/"+device)
	kind := "nfs"
	if s.isV4() {
		kind = "nfs4"
	}
	t.mount(newNFSMount(s, mount, device, kind))
}

func newNFSMount(s *NFSServer, own *NFSMount, device, kind string) mount {
	return mount{
		device: device, point: own.MountPoint, kind: kind, source: s.host() + ":" + own.Export,
		options: s.options(own, false) + ",addr=" + s.Address.String(), stats: s.stats(own),
	}
}

func (s *NFSServer) isV4() bool { return strings.HasPrefix(s.Version, "4") }

// hasSession tells whether the version has sessions with slots of their own.
func (s *NFSServer) hasSession() bool { return s.isV4() && s.Version != "4.0" }

// host is the server as in a mount's source.
func (s *NFSServer) host() string {
	if s.Name == "" && s.Address.Is6() {
		return "[" + s.Address.String() + "]"
	}
	return cmp.Or(s.Name, s.Address.String())
}

// protocol is the transports' name among the options.
func (s *NFSServer) protocol() string {
	if s.Address.Is6() {
		return "tcp6"
	}
	return "tcp"
}

// port is the server's.
func (s *NFSServer) port() uint16 {
	if len(s.Transports) > 0 {
		return s.Transports[0].Remote.Port()
	}
	return nfsPort
}

// local is the host's address towards the server.
func (s *NFSServer) local() netip.Addr {
	if len(s.Transports) > 0 {
		return s.Transports[0].Local.Addr()
	}
	return netip.Addr{}
}

// options are the file system's options in the kernel's order. The times of the attribute cache are left out of the
// lists of mounts while they are the usual ones; mountstats always has them.
func (s *NFSServer) options(mount *NFSMount, all bool) string {
	words := make([]string, 0, 24)
	add := func(more ...string) { words = append(words, more...) }
	number := func(name string, value int) { words = append(words, name+"="+strconv.Itoa(value)) }
	add("rw", "vers="+s.Version)
	number("rsize", mount.ReadSize)
	number("wsize", mount.WriteSize)
	add("namlen=255")
	switch {
	case !mount.AttributeCache:
		add("acregmin=0", "acregmax=0", "acdirmin=0", "acdirmax=0")
	case all:
		add("acregmin=3", "acregmax=60", "acdirmin=30", "acdirmax=60")
	}
	add("hard", "proto="+s.protocol())
	if s.NConnect > 0 {
		number("nconnect", s.NConnect)
	}
	if port := s.port(); port != nfsPort {
		number("port", int(port))
	}
	add("timeo=600", "retrans=2", "sec=sys")
	if !s.isV4() {
		add("mountaddr="+s.Address.String(), "mountvers=3", "mountport=20048", "mountproto="+s.protocol())
	} else if local := s.local(); local.IsValid() {
		add("clientaddr=" + local.String())
	}
	add("local_lock=none")
	return strings.Join(words, ",")
}
