package iscsi

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// disk is one disk of a session: a logical unit of the target.
type disk struct {
	name      string // sdX
	directory string // in sysfs
}

// maxDisks bounds the disks of one session.
const maxDisks = 16384

// logicalUnit is host:bus:target:lun, the name of a logical unit's directory.
var logicalUnit = regexp.MustCompile(`^\d+:\d+:\d+:\d+$`)

// readDisks lists the disks below a session's device: targetH:B:T/H:B:T:L/block/sdX. What goes away meanwhile is not there;
// a logical unit that is no disk (a controller, a tape) has no block directory.
func readDisks(sysfs fs.FS, session string, skip skipFunc) []disk {
	var disks []disk
	for _, target := range list(sysfs, session) {
		if !strings.HasPrefix(target, "target") {
			continue
		}
		for _, unit := range list(sysfs, path.Join(session, target)) {
			if !logicalUnit.MatchString(unit) {
				continue
			}
			block := path.Join(session, target, unit, "block")
			for _, name := range list(sysfs, block) {
				disks = append(disks, disk{name: name, directory: path.Join(block, name)})
			}
		}
	}
	if len(disks) > maxDisks {
		skip("disk_beyond_limit", len(disks)-maxDisks)
		disks = disks[:maxDisks]
	}
	slices.SortFunc(disks, func(a, b disk) int { return compareNames(a.name, b.name) })
	return disks
}

// compareNames sorts sdb before sdaa, as the kernel gives the names.
func compareNames(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }

// list names the entries of a directory, none if it is not there.
func list(sysfs fs.FS, directory string) []string {
	entries, err := fs.ReadDir(sysfs, directory)
	if err != nil {
		return nil
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names
}

var sessionInLink = regexp.MustCompile(`/(session\d+)/target`)

// countStrays counts the disks that the block directory has below a session that is not listed: it has gone, or its
// directory could not be read.
func countStrays(sysfs fs.FS, sessions []session, skip skipFunc) {
	found := map[string]bool{}
	for i := range sessions {
		for _, d := range sessions[i].disks {
			found[d.name] = true
		}
	}
	strays := 0
	for _, name := range list(sysfs, blockClass) {
		if found[name] || !strings.HasPrefix(name, "sd") {
			continue
		}
		target, err := fs.ReadLink(sysfs, path.Join(blockClass, name))
		if err == nil && sessionInLink.MatchString(target) {
			strays++
		}
	}
	if strays > 0 {
		skip("disk_without_session", strays)
	}
}

// target is a target at one portal, with its sessions.
type target struct {
	server, name string
	sessions     []session
}

// group gathers the sessions to each target at each portal, in the order of their numbers.
func group(sessions []session) []*target {
	var targets []*target
	byKey := map[[2]string]*target{}
	for _, s := range sessions {
		key := [2]string{s.portal.server(), s.target}
		t := byKey[key]
		if t == nil {
			t = &target{server: key[0], name: key[1]}
			byKey[key] = t
			targets = append(targets, t)
		}
		t.sessions = append(t.sessions, s)
	}
	return targets
}

// key identifies the target in the sums.
func (t *target) key() string { return fmt.Sprintf("%q %q", t.server, t.name) }

// disks lists the disks of all sessions.
func (t *target) disks() []disk {
	var disks []disk
	for i := range t.sessions {
		disks = append(disks, t.sessions[i].disks...)
	}
	return disks
}
