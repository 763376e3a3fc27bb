package nic

import (
	"bytes"
	"errors"
	"io/fs"
	"net/netip"
	"path"
	"slices"
	"strings"

	"github.com/nasight/nasight/collectors"
)

const (
	mountinfo       = "self/mountinfo"
	iscsiConnection = "class/iscsi_connection"
)

// storageTypes are the file-system types whose mounts name a server's address.
var storageTypes = []string{"nfs", "nfs4", "cifs", "smb3"}

// servers lists the addresses of the storage servers that the host uses: those of its mounts and of its iSCSI
// connections. The addresses of the host itself by loopback are left out: no interface leads there.
func servers(root collectors.Root, sink collectors.Sink) ([]netip.Addr, error) {
	data, err := collectors.Read(root.Procfs, mountinfo)
	if err != nil {
		return nil, err
	}
	found, odd := mountServers(data)
	texts, err := iscsiServers(root.Sysfs)
	for _, text := range texts {
		if address, err := netip.ParseAddr(text); err == nil {
			found = append(found, address.Unmap())
		} else {
			odd++
		}
	}
	if odd > 0 {
		sink.Skip("odd_server_address", odd)
	}
	found = slices.DeleteFunc(found, netip.Addr.IsLoopback)
	slices.SortFunc(found, netip.Addr.Compare)
	return slices.Compact(found), err
}

// mountServers reads the option addr= of every network mount in mountinfo.
func mountServers(data []byte) (found []netip.Addr, odd int) {
	for line := range bytes.Lines(data) {
		// Behind the separator stand the type, the source and the options of the superblock.
		_, after, _ := strings.Cut(string(line), " - ")
		fields := strings.Fields(after)
		if len(fields) < 3 || !slices.Contains(storageTypes, fields[0]) {
			continue
		}
		text := mountAddress(fields[2])
		if text == "" {
			continue
		}
		address, err := netip.ParseAddr(text)
		if err != nil {
			odd++
			continue
		}
		found = append(found, address.Unmap())
	}
	return found, odd
}

func mountAddress(options string) string {
	for option := range strings.SplitSeq(options, ",") {
		if address, ok := strings.CutPrefix(option, "addr="); ok {
			return address
		}
	}
	return ""
}

// iscsiServers reads the address of every iSCSI connection. A host without iSCSI has none.
func iscsiServers(sysfs fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(sysfs, iscsiConnection)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var found []string
	for _, entry := range entries {
		// A connection that is down has no address; the one it was logged in to is kept beside.
		for _, name := range []string{"address", "persistent_address"} {
			text, err := fs.ReadFile(sysfs, path.Join(iscsiConnection, entry.Name(), name))
			if address := strings.TrimSpace(string(text)); err == nil && address != "" && address != "(null)" {
				found = append(found, strings.Trim(address, "[]"))
				break
			}
		}
	}
	return found, err
}
