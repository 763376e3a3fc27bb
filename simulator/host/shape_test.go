package host

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"net/netip"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/bundle"
	"github.com/nasight/nasight/collectors"
)

// recorded is the last moment of a host that ran Linux 6.12.
func recorded(t *testing.T, scenario string) collectors.Root {
	t.Helper()
	found, err := bundle.Open(filepath.Join("..", "..", "testdata", "captures", "6.12", scenario, "moments.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	return found.Moments[len(found.Moments)-1].Root
}

func text(t *testing.T, files fs.FS, name string) string {
	t.Helper()
	data, err := collectors.Read(files, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The lines and fields that a real host has are those that a machine has, whatever the numbers are.
func TestShapeIsThatOfRealHosts(t *testing.T) {
	m := plain()
	m.NICs[0].Name, m.NICs[1].Name = "eth1", "eth0" // as the recorded ones
	root := m.Root()
	for scenario, kind := range map[string]string{"nfs-v3-seqread16-nconnect4": "nfs", "nfs-v41-seqread16-nconnect-absent": "nfs4"} {
		host := recorded(t, scenario)
		for _, row := range []struct {
			name  string
			shape func(t *testing.T, root collectors.Root) []string
		}{
			{"mountstats", func(t *testing.T, r collectors.Root) []string {
				return stanza(text(t, r.Procfs, "self/mountstats"), kind)
			}},
			{"mountinfo", func(t *testing.T, r collectors.Root) []string {
				return mountLine(text(t, r.Procfs, "self/mountinfo"), " - "+kind+" ")
			}},
			{"mounts", func(t *testing.T, r collectors.Root) []string {
				return mountLine(text(t, r.Procfs, "self/mounts"), " "+kind+" ")
			}},
			{"stat", func(t *testing.T, r collectors.Root) []string { return processors(text(t, r.Procfs, "stat")) }},
			{"net/dev", func(t *testing.T, r collectors.Root) []string { return interfaces(text(t, r.Procfs, "net/dev")) }},
			{"sunrpc", sunrpc},
			{"class/net", classNet},
			{"sock_diag", attributes},
		} {
			if diff := cmp.Diff(row.shape(t, host), row.shape(t, root)); diff != "" {
				t.Errorf("%s, %s (-recorded +machine):\n%s", scenario, row.name, diff)
			}
		}
	}
}

// valueOf is what follows the equals sign of an option.
var valueOf = regexp.MustCompile(`=[^,\s]*`)

// optionNames leaves out the values and what only some mounts have.
func optionNames(options string) string {
	return strings.Replace(valueOf.ReplaceAllString(options, "="), "nconnect=,", "", 1)
}

// stanza has the name of every line of the first NFS mount, and how many fields or which options it has.
func stanza(stats, kind string) []string {
	var shape []string
	inside := false
	for line := range strings.Lines(stats) {
		if strings.HasPrefix(line, "device ") {
			if inside {
				break
			}
			inside = strings.Contains(line, " with fstype "+kind+" ")
			continue
		}
		if !inside {
			continue
		}
		name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		one := fmt.Sprintf("%q %d fields", name, len(strings.Fields(rest)))
		switch strings.TrimSpace(name) {
		case "opts", "caps", "sec":
			one = name + optionNames(rest)
		case "nfsv4":
			one = name + valueOf.ReplaceAllString(strings.ReplaceAll(rest, "not configured", ""), "=")
		case "impl_id":
			one = name // of the server
		}
		if !slices.Contains(shape, one) { // one line for each transport
			shape = append(shape, one)
		}
	}
	return shape
}

// mountLine has the options of the first NFS mount.
func mountLine(list, separator string) []string {
	for line := range strings.Lines(list) {
		if before, behind, ok := strings.Cut(line, separator); ok && strings.Contains(line, ":/") {
			return append([]string{fmt.Sprint(len(strings.Fields(before)))}, optionNames(strings.Join(strings.Fields(behind)[1:], " ")))
		}
	}
	return nil
}

// processors has the first word and the number of fields of the lines; there are as many interrupts as devices.
func processors(stat string) []string {
	var shape []string
	for line := range strings.Lines(stat) {
		fields := strings.Fields(line)
		name, isCore := strings.CutPrefix(fields[0], "cpu")
		switch {
		case isCore && name == "":
			shape = append(shape, fmt.Sprintf("%q %d", line[:len("cpu  ")], len(fields)))
		case isCore && name == "0":
			shape = append(shape, fmt.Sprintf("core %d", len(fields)))
		case !isCore && fields[0] == "intr":
			shape = append(shape, "intr")
		case !isCore:
			shape = append(shape, fmt.Sprintf("%s %d", fields[0], len(fields)))
		}
	}
	return shape
}

func interfaces(dev string) []string {
	lines := strings.Split(dev, "\n")
	shape := lines[:2:2]
	for _, line := range lines[2:] {
		if name, rest, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "eth1" {
			shape = append(shape, fmt.Sprintf("%q %d", name, len(strings.Fields(rest))))
		}
	}
	return shape
}

var digits = regexp.MustCompile(`[0-9]+`)

// sunrpc has the names of the files of the first transport that is up, and theirs and its switch's lines.
func sunrpc(t *testing.T, root collectors.Root) []string {
	t.Helper()
	found, err := fs.Glob(root.Sysfs, "kernel/sunrpc/xprt-switches/*/xprt-*-tcp/xprt_state")
	if err != nil {
		t.Fatal(err)
	}
	for _, state := range found {
		if text(t, root.Sysfs, state) != "state= CONNECTED   BOUND       \n" {
			continue
		}
		dir := path.Dir(state)
		info := text(t, root.Sysfs, dir+"/xprt_info") + text(t, root.Sysfs, path.Dir(dir)+"/xprt_switch_info")
		for _, name := range []string{"srcaddr", "dstaddr"} {
			if address := strings.TrimSuffix(text(t, root.Sysfs, dir+"/"+name), "\n"); !netip.MustParseAddr(address).IsValid() {
				t.Errorf("%s is %q", name, address)
			}
		}
		return strings.Split(digits.ReplaceAllString(info, "N"), "\n")
	}
	t.Fatal("no transport is up")
	return nil
}

// classNet has the files of an interface that a recorded one has, and whose values have the same form.
func classNet(t *testing.T, root collectors.Root) []string {
	t.Helper()
	var shape []string
	for _, name := range []string{"address", "carrier", "duplex", "ifindex", "mtu", "operstate", "speed", "queues/rx-0/rps_cpus"} {
		value := text(t, root.Sysfs, "class/net/eth1/"+name)
		shape = append(shape, name+" "+regexp.MustCompile(`[0-9a-f]{2}:`).ReplaceAllString(digits.ReplaceAllString(value, "00"), "00:"))
	}
	return shape[1:8] // an address is made up
}

// attributes has the attributes of the first session to a server, with their lengths.
func attributes(t *testing.T, root collectors.Root) []string {
	t.Helper()
	reply := []byte(text(t, root.Netlink, "sock_diag_tcp4.bin"))
	for len(reply) >= netlinkHeader {
		size := int(binary.NativeEndian.Uint32(reply))
		data := reply[netlinkHeader:size]
		if binary.NativeEndian.Uint16(reply[4:]) == netlinkDiag && data[1] == stateEstablished && binary.BigEndian.Uint16(data[6:]) == nfsPort {
			var shape []string
			for rest := data[72:]; len(rest) >= 4; {
				length := int(binary.NativeEndian.Uint16(rest))
				shape = append(shape, fmt.Sprintf("%d of %d bytes", binary.NativeEndian.Uint16(rest[2:]), length))
				rest = rest[min((length+3)&^3, len(rest)):]
			}
			return shape
		}
		reply = reply[(size+3)&^3:]
	}
	t.Fatal("no session to a server")
	return nil
}
