package iscsi

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/capturetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

const (
	iqn     = "iqn.2010-01.com.example:vol-1"
	address = "192.0.2.10"
)

// host is a host made by hand: files of proc/ and sys/ by name, links by name and target.
type host struct {
	procfs, sysfs fstest.MapFS
	disks         []string // lines of diskstats
}

func newHost() *host {
	return &host{procfs: fstest.MapFS{}, sysfs: fstest.MapFS{}}
}

func (h *host) proc(name, text string) { h.procfs[name] = &fstest.MapFile{Data: []byte(text)} }
func (h *host) sys(name, text string)  { h.sysfs[name] = &fstest.MapFile{Data: []byte(text)} }

func (h *host) link(name, target string) {
	h.sysfs[name] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink | 0o777}
}

// session adds a session that is logged in to a target.
func (h *host) session(number int, target, address string) string {
	device := fmt.Sprintf("devices/platform/host%d/session%d", number, number)
	member := fmt.Sprintf("%s/iscsi_session/session%d", device, number)
	h.link(fmt.Sprintf("class/iscsi_session/session%d", number), "../../"+member)
	h.sys(member+"/targetname", target+"\n")
	h.sys(member+"/state", loggedIn+"\n")
	h.connection(number, address, address)
	return device
}

// connection replaces the connection of a session.
func (h *host) connection(number int, address, configured string) {
	name := fmt.Sprintf("connection%d:0", number)
	member := fmt.Sprintf("devices/platform/host%d/session%d/%s/iscsi_connection/%s", number, number, name, name)
	h.link("class/iscsi_connection/"+name, "../../"+member)
	h.sys(member+"/address", address+"\n")
	h.sys(member+"/persistent_address", configured+"\n")
}

func (h *host) state(number int, state string) {
	h.sys(fmt.Sprintf("devices/platform/host%d/session%d/iscsi_session/session%d/state", number, number, number), state)
}

// disk adds a disk to a session and returns its directory.
func (h *host) disk(session int, name, number, counters string) string {
	directory := fmt.Sprintf("devices/platform/host%d/session%d/target%d:0:0/%d:0:0:1/block/%s", session, session, session, session, name)
	h.sys(directory+"/dev", number+"\n")
	h.link("block/"+name, "../"+directory)
	h.disks = append(h.disks, strings.Replace(number, ":", " ", 1)+" "+name+" "+counters)
	return directory
}

// dm adds a device-mapper map above directories of disks or of other maps.
func (h *host) dm(name, number, mapName, uuid string, below ...string) {
	directory := "devices/virtual/block/" + name
	h.sys(directory+"/dev", number+"\n")
	h.sys(directory+"/dm/name", mapName+"\n")
	h.sys(directory+"/dm/uuid", uuid+"\n")
	h.link("block/"+name, "../"+directory)
	for _, under := range below {
		h.link(under+"/holders/"+name, "/nowhere") // only the name counts
	}
}

// remove takes a directory or a link away with all below it.
func (h *host) remove(names ...string) {
	for _, name := range names {
		for file := range h.sysfs {
			if file == name || strings.HasPrefix(file, name+"/") {
				delete(h.sysfs, file)
			}
		}
	}
}

func (h *host) root() collectors.Root {
	if h.procfs[diskstats] == nil && len(h.disks) > 0 {
		h.proc(diskstats, strings.Join(h.disks, "\n")+"\n")
	}
	return collectors.Root{Host: capturetest.Host, Procfs: h.procfs, Sysfs: h.sysfs}
}

// stat is a line of diskstats behind the name: requests and sectors read, time, outstanding time; nothing written.
func stat(reads, sectors, millis, weighted uint64) string {
	return fmt.Sprintf("%d 0 %d %d 0 0 0 0 2 0 %d 0 0 0 0 0 0", reads, sectors, millis, weighted)
}

func run(t *testing.T, c *Collector) *capturetest.Sink {
	t.Helper()
	sink := &capturetest.Sink{}
	if err := c.Collect(t.Context(), sink); err != nil {
		t.Fatal(err)
	}
	sink.Check(t)
	return sink
}

// on gives a collector another moment of its host.
func (c *Collector) on(root collectors.Root) *Collector {
	c.root = root
	return c
}

// refusing is a file system in which some names cannot be read.
type refusing struct {
	fs.FS
	refuse func(name string) bool
}

var errRefused = errors.New("input/output error")

func (r refusing) Open(name string) (fs.File, error) {
	if r.refuse(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errRefused}
	}
	return r.FS.Open(name)
}

func (r refusing) ReadLink(name string) (string, error)   { return fs.ReadLink(r.FS, name) }
func (r refusing) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(r.FS, name) }

// counts is a skip function that keeps what it is told.
func counts() (map[string]int, skipFunc) {
	skipped := map[string]int{}
	return skipped, func(reason string, count int) { skipped[reason] += count }
}
