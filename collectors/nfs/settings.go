package nfs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/nasight/nasight/collectors/internal/kernel"
)

const (
	slotTablePath    = "sys/sunrpc/tcp_max_slot_table_entries"
	sessionSlotsPath = "module/nfs/parameters/max_session_slots"
)

// defaultSessionSlots is what the parameter stands for where it reads one less: the kernel keeps a slot to itself.
const defaultSessionSlots = 64

// readSetting reads a file that holds one number. A setting that this kernel does not have is Absent.
func readSetting(fsys fs.FS, name string, skip Skip) (Number, error) {
	data, err := fs.ReadFile(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return Absent, nil
	}
	if err != nil {
		return Absent, fmt.Errorf("read %s: %w", name, err)
	}
	value := kernel.ParseNumber(bytes.TrimSpace(data))
	if !value.Known() {
		skip(skipSetting, 1)
	}
	return value, nil
}

func readSessionSlots(sysfs fs.FS, skip Skip) (Number, error) {
	slots, err := readSetting(sysfs, sessionSlotsPath, skip)
	if slots == defaultSessionSlots-1 {
		slots = defaultSessionSlots
	}
	return slots, err
}

// readAhead reads the read-ahead of a superblock's backing device, in bytes.
func readAhead(sysfs fs.FS, device string, skip Skip) (Number, error) {
	kilobytes, err := readSetting(sysfs, path.Join("class/bdi", device, "read_ahead_kb"), skip)
	if !kilobytes.Known() || kilobytes > Absent>>10 {
		return Absent, err
	}
	return kilobytes << 10, err
}

// aheadRuns is after how many runs a known read-ahead is read again: five minutes at the usual interval. It changes when
// an operator tunes it, and a file a mount and run is a quarter of the work on a host with a hundred mounts.
const aheadRuns = 20

// readAheads keeps the read-ahead of devices from run to run. The zero value with a sysfs is ready for use.
type readAheads struct {
	sysfs       fs.FS
	run         int
	known, kept map[string]Number // of the run under way, and of the one before
}

// next begins a run. Devices that the run before did not ask for are forgotten.
func (r *readAheads) next() {
	r.known, r.kept = map[string]Number{}, r.known
	if r.run++; r.run%aheadRuns == 0 {
		r.kept = nil
	}
}

func (r *readAheads) of(device string, skip Skip) (Number, error) {
	value, ok := r.kept[device]
	if !ok {
		var err error
		if value, err = readAhead(r.sysfs, device, skip); err != nil {
			return Absent, err
		}
	}
	r.known[device] = value
	return value, nil
}

// readConfiguredSlots finds max_session_slots in the configuration of modprobe, whose files count in the order of their
// names. Absent where none sets it or where the value that counts is one that the kernel refuses.
func readConfiguredSlots(modules fs.FS, skip Skip) (Number, error) {
	if modules == nil {
		return Absent, nil
	}
	names, err := fs.Glob(modules, "*.conf")
	if err != nil {
		return Absent, fmt.Errorf("list module options: %w", err)
	}
	slots := Absent
	for _, name := range names {
		data, err := fs.ReadFile(modules, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a link to nowhere
		}
		if err != nil {
			return Absent, fmt.Errorf("read module options %s: %w", name, err)
		}
		if value, ok := parseModuleOption(data, "nfs", "max_session_slots", skip); ok {
			slots = value
		}
	}
	return slots, nil
}

// parseModuleOption finds the last value of an option in a modprobe.d file, whose lines read "options MODULE NAME=VALUE
// ..." and may go on after a backslash. ok is true if the option is set; a value that the kernel refuses, such as a
// quoted one, is Absent and counted.
func parseModuleOption(data []byte, module, option string, skip Skip) (value Number, ok bool) {
	value = Absent
	text := strings.ReplaceAll(string(data), "\\\n", " ")
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "options" || words[1] != module {
			continue
		}
		for _, word := range words[2:] {
			name, text, _ := strings.Cut(word, "=")
			if name != option {
				continue
			}
			if value, ok = kernel.ParseNumber(text), true; !value.Known() {
				skip(skipModuleOption, 1)
			}
		}
	}
	return value, ok
}
