// Package list is the explicit table of all collectors: what is not here does not run.
package list

import (
	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/cpu"
	"github.com/nasight/nasight/collectors/nfs"
	"github.com/nasight/nasight/collectors/nic"
	"github.com/nasight/nasight/collectors/tcp"
)

// Entries returns the collectors of a host, in the order in which they are shown.
func Entries() []collectors.Entry {
	return []collectors.Entry{nfs.Entry(), tcp.Entry(), nic.Entry(), cpu.Entry()}
}
