package iscsi

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

const (
	blockClass = "block"

	// maxLayers bounds how far up a disk is followed: multipath, its partition, LVM, encryption and a few more.
	maxLayers = 8
)

// layer is a block device that is made of others: a disk, a partition, a device-mapper map, an array.
type layer struct {
	number  string // major:minor; empty where sysfs does not tell
	mapName string // of a device-mapper map
	isPath  bool   // the map is of dm-multipath
	holders []string
}

// layers reads what lies above disks, each device once a run: the paths of one map all lead to it.
type layers struct {
	sysfs fs.FS
	known map[string]*layer // by directory
}

func newLayers(sysfs fs.FS) *layers { return &layers{sysfs: sysfs, known: map[string]*layer{}} }

// stack is all that lies on some disks.
type stack struct {
	numbers map[string]bool // major:minor of the disks, their partitions and all above
	names   map[string]bool // as a mount may name its source
	maps    []string        // names of the multipath maps
}

// above follows the holders of disks and of their partitions upwards.
func (l *layers) above(disks []disk) stack {
	s := stack{numbers: map[string]bool{}, names: map[string]bool{}}
	visited := map[string]bool{}
	var follow func(name, directory string, depth int)
	follow = func(name, directory string, depth int) {
		if visited[directory] || depth > maxLayers {
			return
		}
		visited[directory] = true
		one := l.read(name, directory)
		s.add(name, one)
		for _, holder := range one.holders {
			follow(holder, path.Join(blockClass, holder), depth+1)
		}
		for _, partition := range l.partitions(name, directory) {
			follow(partition, path.Join(directory, partition), depth+1)
		}
	}
	for _, d := range disks {
		follow(d.name, d.directory, 0)
	}
	slices.Sort(s.maps)
	return s
}

func (s *stack) add(name string, one *layer) {
	if one.number != "" {
		s.numbers[one.number] = true
	}
	s.names["/dev/"+name] = true
	if one.mapName != "" {
		s.names["/dev/mapper/"+one.mapName] = true
	}
	if one.isPath {
		s.maps = append(s.maps, one.mapName)
	}
}

func (l *layers) read(name, directory string) *layer {
	if one := l.known[directory]; one != nil {
		return one
	}
	text := func(file string) string {
		content, _ := readText(l.sysfs, path.Join(directory, file))
		return labelText(content)
	}
	one := &layer{number: text("dev"), holders: list(l.sysfs, path.Join(directory, "holders"))}
	if strings.HasPrefix(name, "dm-") {
		one.mapName = text("dm/name")
		one.isPath = one.mapName != "" && strings.HasPrefix(text("dm/uuid"), "mpath-")
	}
	l.known[directory] = one
	return one
}

// partitions lists the partitions of a disk, which are directories below it that begin with its name: sdb1, mmcblk0p1.
func (l *layers) partitions(name, directory string) []string {
	return slices.DeleteFunc(list(l.sysfs, directory), func(inside string) bool {
		return inside == name || !strings.HasPrefix(inside, name)
	})
}
