package host

import (
	"io/fs"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/internal/memfs"
)

// The directories of a host, as in one moment of a recording.
const (
	procDir    = "proc"
	sysDir     = "sys"
	netlinkDir = "netlink"
	moduleDir  = "etc/modprobe.d"
	windowsDir = "windows"
)

// tree is what a host shows of itself, below the directories above. Every protocol puts its files into it under names
// such as proc/net/dev, and its mounts by mount.
type tree struct {
	root   *memfs.Node
	mounts []mount
	minors map[int]bool // device numbers that are given away
}

// Root is the machine as the collectors read it, in memory. It does not change with the machine.
func (m *Machine) Root() collectors.Root {
	files := m.files()
	at := func(dir string) fs.FS { return memfs.FS{Root: files, Base: dir} }
	root := collectors.Root{Host: m.Name, Procfs: at(procDir), Sysfs: at(sysDir), Netlink: at(netlinkDir), Modules: at(moduleDir)}
	if m.Windows {
		root.Windows = at(windowsDir)
	}
	return root
}

// files lets every part of the host put its files into one tree.
func (m *Machine) files() *memfs.Node {
	t := &tree{root: memfs.NewDirectory(), minors: map[int]bool{}}
	for _, dir := range m.directories() {
		t.root.Put(dir, memfs.NewDirectory())
	}
	for _, add := range m.parts() {
		add(t)
	}
	if len(t.mounts) > 0 {
		t.writeMounts()
	}
	return t.root
}

// directories are there whether or not a part puts anything into them.
func (m *Machine) directories() []string {
	if m.Windows {
		return []string{windowsDir}
	}
	return []string{procDir, sysDir, netlinkDir, moduleDir}
}

// parts are what the host's files come from. The order is that of the mounts.
func (m *Machine) parts() []func(*tree) {
	if m.Windows {
		return []func(*tree){m.windowsFiles}
	}
	return []func(*tree){
		m.baseFiles,
		m.cpuFiles,
		m.nicFiles,
		m.nfsFiles,
		m.smbFiles,
		m.iscsiFiles,
		m.tcpFiles,
	}
}

// file adds a file.
func (t *tree) file(name string, data []byte) { t.root.Put(name, memfs.NewFile(data)) }

// line adds a file of one line.
func (t *tree) line(name, text string) { t.file(name, []byte(text+"\n")) }

// lines adds a file of one line for every name below a directory.
func (t *tree) lines(dir string, texts map[string]string) {
	for name, text := range texts {
		t.line(dir+"/"+name, text)
	}
}

// link adds a symbolic link; the target is as seen from the link's directory.
func (t *tree) link(name, target string) { t.root.Put(name, memfs.NewLink(target)) }
