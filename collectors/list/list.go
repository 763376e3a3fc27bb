// Package list is the explicit table of all collectors: what is not here does not run.
package list

import (
	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/cpu"
	"github.com/nasight/nasight/collectors/gce"
	"github.com/nasight/nasight/collectors/iscsi"
	"github.com/nasight/nasight/collectors/nfs"
	"github.com/nasight/nasight/collectors/nic"
	"github.com/nasight/nasight/collectors/smb"
	"github.com/nasight/nasight/collectors/tcp"
	"github.com/nasight/nasight/collectors/windows"
)

// Entries returns the collectors of a host, in the order in which they are shown.
func Entries() []collectors.Entry {
	linux := []collectors.Entry{
		nfs.Entry(),
		smb.Entry(),
		iscsi.Entry(),
		tcp.Entry(),
		nic.Entry(),
		cpu.Entry(),
		gce.Entry(),
	}
	for i, entry := range linux {
		linux[i] = collectors.LinuxOnly(entry)
	}
	return append(linux, windows.Entry())
}
