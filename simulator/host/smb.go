package host

import (
	"cmp"
	"hash/fnv"
	"path"
	"slices"
	"strconv"
	"strings"
)

// smbFiles adds what the Linux SMB client (cifs) shows. A host that never mounted a share has not loaded it.
func (m *Machine) smbFiles(t *tree) {
	if len(m.SMB) == 0 {
		return
	}
	connections := m.smbConnections()
	t.file("proc/fs/cifs/DebugData", appendDebugData(nil, connections))
	t.file("proc/fs/cifs/Stats", m.appendSMBStats(nil, connections))
	t.file("proc/fs/cifs/open_files", appendOpenFiles(nil, m.SMB))
	t.file("proc/fs/cifs/mount_params", nil)
	for i := range m.SMB {
		m.SMB[i].mounts(t)
	}
}

// smbConnection is one connection of a session, as both files number it.
type smbConnection struct {
	*SMBChannel
	server *SMBServer
	id     int // ConnectionId
	place  int // in the session; 0 for the primary channel
}

// mostChannels is the limit of the kernel (CIFS_MAX_CHANNELS). Each server has room for so many numbers, so that no
// connection takes that of another when a server gets more channels.
const mostChannels = 16

// smbConnections lists the connections newest first, as the kernel does: the last server's last channel leads.
func (m *Machine) smbConnections() []smbConnection {
	var all []smbConnection
	for i := range m.SMB {
		server := &m.SMB[i]
		for place := range server.Channels[:min(len(server.Channels), mostChannels)] {
			all = append(all, smbConnection{&server.Channels[place], server, i*mostChannels + place + 1, place})
		}
	}
	slices.Reverse(all)
	return all
}

// isDown tells whether no channel is left. Only then is the session down, and its shares are with it.
func (s *SMBServer) isDown() bool {
	return !slices.ContainsFunc(s.Channels, func(c SMBChannel) bool { return !c.Closed })
}

// host is the server as the mounts name it.
func (s *SMBServer) host() string { return cmp.Or(s.Name, s.Address.String()) }

// path is the share as both the client and Windows name it.
func (s *SMBServer) path(share string) string { return `\\` + s.host() + `\` + share }

// isOffered tells whether the server knows of several channels: it tells its interfaces then.
func (s *SMBServer) isOffered() bool { return len(s.ServerInterfaces) > 0 || len(s.Channels) > 1 }

// defaultMaxChannels is how many channels a mount with the option multichannel alone asks for.
const defaultMaxChannels = 2

// asked is how many channels the mounts ask for.
func (s *SMBServer) asked() int {
	if !s.Multichannel {
		return 1
	}
	return cmp.Or(s.MaxChannels, defaultMaxChannels)
}

// mounts adds the mounts of the server's shares.
func (s *SMBServer) mounts(t *tree) {
	for i := range s.Shares {
		share := &s.Shares[i]
		if share.MountPoint == "" {
			continue
		}
		t.mount(mount{
			device: t.device(share.MountPoint), point: share.MountPoint, kind: "cifs",
			source: "//" + s.host() + "/" + share.Name, options: s.options(share),
		})
	}
}

func (s *SMBServer) options(share *SMBShare) string {
	size := strconv.Itoa(cmp.Or(share.RequestKiB, 4096) * 1024)
	list := []string{
		"rw", "vers=" + s.Dialect, "cache=strict", "upcall_target=app", "username=client", "uid=0", "noforceuid", "gid=0", "noforcegid",
		"addr=" + s.Address.String(), "file_mode=0755", "dir_mode=0755", "soft", "nounix", "serverino", "mapposix", "reparse=nfs",
		"rsize=" + size, "wsize=" + size, "bsize=1048576", "echo_interval=60", "actimeo=1", "closetimeo=1",
	}
	if s.Encrypted {
		list = slices.Insert(list, slices.Index(list, "soft"), "seal")
	}
	if asked := s.asked(); asked > 1 {
		list = append(list, "multichannel", "max_channels="+strconv.Itoa(asked))
	}
	return strings.Join(list, ",")
}

// handle makes up a number that a server gives, the same for the same names at every moment.
func handle(names ...string) uint64 {
	hash := fnv.New32a()
	for _, name := range names {
		_, _ = hash.Write([]byte(name)) // never fails
		_, _ = hash.Write([]byte{0})
	}
	return uint64(hash.Sum32() | 1)
}

func (s *SMBServer) sessionID() uint64 { return handle("session", s.host(), s.Address.String()) }
func (s *SMBServer) treeID(share string) uint64 {
	return handle("tree", s.host(), s.Address.String(), share)
}

const openFilesHead = "# Version:1\n# Format:\n# <tree id> <ses id> <persistent fid> <flags> <count> <pid> <uid> <filename>\n"

// appendOpenFiles writes open_files: a line for every handle, with the file's name and not its directory.
func appendOpenFiles(out []byte, servers []SMBServer) []byte {
	out = append(out, openFilesHead...)
	for i := range servers {
		server := &servers[i]
		for _, share := range server.Shares {
			for _, file := range share.OpenFiles {
				for nth := range file.Handles {
					out = appendHex(out, "", server.treeID(share.Name))
					out = appendHex(out, " ", server.sessionID())
					out = appendHex(out, " ", handle(file.Path, strconv.Itoa(nth)))
					out = append(out, " 0xc000 2 2020 0 "...)
					out = append(append(out, path.Base(file.Path)...), '\n')
				}
			}
		}
	}
	return append(out, '\n')
}

// handles counts what is open of a share.
func (s *SMBShare) handles() int {
	sum := 0
	for _, file := range s.OpenFiles {
		sum += file.Handles
	}
	return sum
}
