package nic

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

const host = capturetest.Host

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func symlink(target string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink | 0o777}
}

const nfsMount = "48 24 0:39 / /mnt/a rw - nfs 192.0.2.9:/a rw,vers=3,mountaddr=198.51.100.1,clientaddr=198.51.100.2,addr=192.0.2.9\n"

// machine has two interfaces, eth0 (a gVNIC of 16 Gbit/s with two queues) and eth1, and mounts 192.0.2.9 by eth0.
func machine() collectors.Root {
	device := "devices/pci0000:00/0000:00:04.0"
	return collectors.Root{
		Host: host,
		Procfs: fstest.MapFS{
			"net/dev": file(header + "lo: 9 0 0 0 0 0 0 0 9 0 0 0 0 0 0 0\n" +
				"eth1: 7 0 0 0 0 0 0 0 8 0 0 0 0 0 0 0\n" +
				"eth2: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n" +
				"eth0: 100 2 0 4 0 0 0 0 500 6 0 8 0 0 0 0\n"),
			"net/route":      file(header4 + row4("eth0", "192.0.2.0/24", "0001", 0) + row4("eth1", "0.0.0.0/0", "0003", 0)),
			"self/mountinfo": file("24 1 8:1 / / rw - ext4 /dev/vda1 rw\n" + nfsMount + "50 24 0:40 / /mnt/b rw shared:1 - tmpfs tmpfs rw,addr=192.0.2.1\n"),
		},
		Sysfs: fstest.MapFS{
			"class/net/eth0":                          symlink("../../" + device + "/net/eth0"),
			device + "/net/eth0/speed":                file("16000\n"),
			device + "/net/eth0/ifindex":              file("2\n"),
			device + "/net/eth0/device":               symlink("../../../0000:00:04.0"),
			device + "/driver":                        symlink("../../../bus/pci/drivers/gve"),
			device + "/net/eth0/queues/rx-0/rps_cpus": file("0\n"),
			device + "/net/eth0/queues/rx-1/rps_cpus": file("0\n"),
			device + "/net/eth0/queues/tx-0/xps_cpus": file("0\n"),
			"devices/virtual/net/eth1/speed":          file("-1\n"),
			"devices/virtual/net/eth1/operstate":      file("up\n"),
			"class/net/eth1":                          symlink("../../devices/virtual/net/eth1"),
		},
	}
}

func run(t *testing.T, root collectors.Root, settings collectors.Settings) *capturetest.Sink {
	t.Helper()
	c, err := New(root, settings)
	if err != nil {
		t.Fatal(err)
	}
	sink := &capturetest.Sink{}
	if err := c.Collect(t.Context(), sink); err != nil {
		t.Fatal(err)
	}
	sink.Check(t)
	return sink
}

// routesOf lists the interfaces that were shown and their label routes_storage.
func routesOf(sink *capturetest.Sink) map[string]string {
	shown := map[string]string{}
	for series := range sink.All() {
		if labels, ok := strings.CutPrefix(series, schema.NICInfo.Name); ok {
			parts := strings.Split(labels, `"`)
			shown[parts[3]] = parts[7]
		}
	}
	return shown
}

func expectRoutes(t *testing.T, sink *capturetest.Sink, want map[string]string) {
	t.Helper()
	if got := routesOf(sink); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("interfaces %v, want %v", got, want)
	}
}

func TestEntry(t *testing.T) {
	entry := Entry()
	if entry.Name != "nic" || !entry.Default || entry.Interval != schema.HostGrain || entry.Help == "" {
		t.Errorf("entry %+v", entry)
	}
	if _, err := entry.New(machine(), collectors.Settings{}); err != nil {
		t.Errorf("new: %v", err)
	}
}

func TestNewRefusesCaps(t *testing.T) {
	for _, caps := range []map[string]float64{
		{"up": 1}, {directionReceive: 0}, {directionReceive: -1}, {directionTransmit: math.NaN()}, {directionTransmit: math.Inf(1)},
	} {
		if _, err := Entry().New(machine(), collectors.Settings{NetworkCaps: caps}); err == nil {
			t.Errorf("caps %v: no error", caps)
		}
	}
}

func TestCollect(t *testing.T) {
	want := `nasight_nic_cap_bytes_per_second{host="client",interface="eth0",direction="receive"} 2000000000
nasight_nic_cap_bytes_per_second{host="client",interface="eth0",direction="transmit"} 2000000000
nasight_nic_info{host="client",interface="eth0",driver="gve",routes_storage="true"} 1
nasight_nic_queues{host="client",interface="eth0",direction="receive"} 2
nasight_nic_queues{host="client",interface="eth0",direction="transmit"} 1
nasight_nic_receive_bytes_total{host="client",interface="eth0"} 100
nasight_nic_receive_drops_total{host="client",interface="eth0"} 4
nasight_nic_speed_bytes_per_second{host="client",interface="eth0"} 2000000000
nasight_nic_transmit_bytes_total{host="client",interface="eth0"} 500
nasight_nic_transmit_drops_total{host="client",interface="eth0"} 8
`
	if got := run(t, machine(), collectors.Settings{}).Text(); got != want {
		t.Errorf("samples:\n%swant:\n%s", got, want)
	}
}

func TestConfiguredCapComesFirst(t *testing.T) {
	sink := run(t, machine(), collectors.Settings{NetworkCaps: map[string]float64{directionTransmit: 5e8}})
	for direction, want := range map[string]float64{directionReceive: 2e9, directionTransmit: 5e8} {
		if got, ok := sink.Value(schema.NICCap, host, "eth0", direction); !ok || got != want {
			t.Errorf("cap of %s = %v, %v; want %v", direction, got, ok, want)
		}
	}
}

func TestNoCapWithoutSettingOrGVNIC(t *testing.T) {
	root := machine()
	root.Sysfs.(fstest.MapFS)["devices/pci0000:00/0000:00:04.0/driver"] = symlink("../../../bus/pci/drivers/mlx5_core")
	if sink := run(t, root, collectors.Settings{}); sink.Series(schema.NICCap) != 0 || sink.Series(schema.NICSpeed) != 1 {
		t.Errorf("samples:\n%s", sink.Text())
	}
}

func TestSpeedsThatAreNone(t *testing.T) {
	for _, text := range []string{"-1\n", "0\n", "4294967295\n", "", "fast\n"} {
		root := machine()
		root.Sysfs.(fstest.MapFS)["devices/pci0000:00/0000:00:04.0/net/eth0/speed"] = file(text)
		if sink := run(t, root, collectors.Settings{}); sink.Series(schema.NICSpeed)+sink.Series(schema.NICCap) != 0 {
			t.Errorf("speed %q:\n%s", text, sink.Text())
		}
	}
}

// Where no routing table answers, every interface that may lead to storage is shown: eth2 is down and silent.
func TestRoutesUnknown(t *testing.T) {
	root := machine()
	delete(root.Procfs.(fstest.MapFS), "net/route")
	expectRoutes(t, run(t, root, collectors.Settings{}), map[string]string{"eth0": "unknown", "eth1": "unknown"})
	root.Procfs.(fstest.MapFS)["net/route"] = file(header4) // readable, but no way to the server: another table has it
	expectRoutes(t, run(t, root, collectors.Settings{}), map[string]string{"eth0": "unknown", "eth1": "unknown"})
}

func TestOneFamilyUnknown(t *testing.T) {
	root := machine()
	root.Procfs.(fstest.MapFS)["self/mountinfo"] = file(nfsMount +
		"49 24 0:40 / /mnt/b rw - nfs4 [2001:db8::9]:/b rw,addr=2001:db8::9\n")
	expectRoutes(t, run(t, root, collectors.Settings{}), map[string]string{"eth0": "true", "eth1": "unknown"})
	root.Procfs.(fstest.MapFS)["net/ipv6_route"] = file(row6("eth1", "2001:db8::/32", "00000001", 256))
	expectRoutes(t, run(t, root, collectors.Settings{}), map[string]string{"eth0": "true", "eth1": "true"})
}

func TestServersOfOtherKinds(t *testing.T) {
	cases := map[string]struct {
		mount string
		want  map[string]string
	}{
		"cifs":       {"1 1 0:1 / /m rw - cifs //s/x rw,vers=3.1.1,addr=203.0.113.5,x=1\n", map[string]string{"eth1": "true"}},
		"smb3":       {"1 1 0:1 / /m rw - smb3 //s/x rw,addr=192.0.2.5\n", map[string]string{"eth0": "true"}},
		"mapped":     {"1 1 0:1 / /m rw - nfs s:/x rw,addr=::ffff:192.0.2.5\n", map[string]string{"eth0": "true"}},
		"link-local": {"1 1 0:1 / /m rw - nfs s:/x rw,addr=fe80::5%2\n", map[string]string{"eth0": "true"}},
		"by name":    {"1 1 0:1 / /m rw - nfs s:/x rw,addr=fe80::5%eth1\n", map[string]string{"eth1": "true"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			root := machine()
			root.Procfs.(fstest.MapFS)["self/mountinfo"] = file(c.mount)
			expectRoutes(t, run(t, root, collectors.Settings{}), c.want)
		})
	}
}

func TestISCSIServers(t *testing.T) {
	root := machine()
	root.Procfs.(fstest.MapFS)["self/mountinfo"] = file("")
	sysfs := root.Sysfs.(fstest.MapFS)
	sysfs["class/iscsi_connection/connection1:0/address"] = file("192.0.2.7\n")
	expectRoutes(t, run(t, root, collectors.Settings{}), map[string]string{"eth0": "true"})
	sysfs["class/iscsi_connection/connection1:0/address"] = file("(null)\n")
	sysfs["class/iscsi_connection/connection1:0/persistent_address"] = file("203.0.113.7\n")
	expectRoutes(t, run(t, root, collectors.Settings{}), map[string]string{"eth1": "true"})
}

func TestNothingToShow(t *testing.T) {
	for name, mount := range map[string]string{
		"no mount":        "24 1 8:1 / / rw - ext4 /dev/vda1 rw\n",
		"server is here":  "1 1 0:1 / /m rw - nfs s:/x rw,addr=127.0.0.1\n",
		"no address":      "1 1 0:1 / /m rw - nfs s:/x rw,vers=3\n",
		"rejecting route": "1 1 0:1 / /m rw - nfs s:/x rw,addr=198.51.100.9\n",
		"own address":     "1 1 0:1 / /m rw - nfs s:/x rw,addr=2001:db8::5\n",
		"not an address":  "1 1 0:1 / /m rw - nfs s:/x rw,addr=nonsense\n",
	} {
		root := machine()
		procfs := root.Procfs.(fstest.MapFS)
		procfs["self/mountinfo"] = file(mount)
		procfs["net/route"] = file(header4 + row4("*", "198.51.100.0/24", "0201", 0))
		procfs["net/ipv6_route"] = file(row6("eth0", "2001:db8::5/128", "80200001", 0))
		sink := &capturetest.Sink{}
		c, err := New(root, collectors.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Collect(t.Context(), sink); !errors.Is(err, collectors.ErrNoData) || len(sink.All()) > 0 {
			t.Errorf("%s: error %v, samples:\n%s", name, err, sink.Text())
		}
	}
}

// A file that cannot be read is an error; what is known without it is shown all the same.
func TestMissingFiles(t *testing.T) {
	for name, shown := range map[string]int{"net/dev": 0, "self/mountinfo": 2} {
		root := machine()
		delete(root.Procfs.(fstest.MapFS), name)
		c, err := New(root, collectors.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		sink := &capturetest.Sink{}
		err = c.Collect(t.Context(), sink)
		if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), name) || sink.Series(schema.NICInfo) != shown {
			t.Errorf("without %s: error %v, samples:\n%s", name, err, sink.Text())
		}
	}
}

// A route table that is there and cannot be read is an error as well as an unknown way.
func TestUnreadableRoutes(t *testing.T) {
	root := machine()
	root.Procfs.(fstest.MapFS)["net/route"] = &fstest.MapFile{Mode: fs.ModeDir}
	c, err := New(root, collectors.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	sink := &capturetest.Sink{}
	if err := c.Collect(t.Context(), sink); err == nil || !strings.Contains(err.Error(), "net/route") {
		t.Errorf("error %v", err)
	}
	expectRoutes(t, sink, map[string]string{"eth0": "unknown", "eth1": "unknown"})
}

// Hardware comes before the interfaces of containers when there are too many.
func TestInterfacesBeyondTheLimit(t *testing.T) {
	root := machine()
	procfs := root.Procfs.(fstest.MapFS)
	delete(procfs, "net/route")
	for i := range 20 {
		procfs["net/dev"].Data = fmt.Appendf(procfs["net/dev"].Data, "cali%02d: 5 0 0 0 0 0 0 0 5 0 0 0 0 0 0 0\n", i)
	}
	sink := run(t, root, collectors.Settings{})
	if got := routesOf(sink); len(got) != maxInterfaces || got["eth0"] != "unknown" {
		t.Errorf("interfaces %v", got)
	}
	if sink.Skips["interface_beyond_limit"] != 22-maxInterfaces {
		t.Errorf("skips %v", sink.Skips)
	}
}

func TestOddInputIsCounted(t *testing.T) {
	root := machine()
	procfs := root.Procfs.(fstest.MapFS)
	procfs["net/dev"].Data = append(procfs["net/dev"].Data, "eth0: 1\n"...)
	procfs["net/route"].Data = append(procfs["net/route"].Data, "eth0 odd\n"...)
	procfs["self/mountinfo"].Data = append(procfs["self/mountinfo"].Data, "1 1 0:1 / /m rw - nfs s:/x rw,addr=nonsense\n"...)
	sink := run(t, root, collectors.Settings{})
	for _, reason := range []string{"odd_interface", "odd_route", "odd_server_address"} {
		if sink.Skips[reason] != 1 {
			t.Errorf("skips %v, want one %s", sink.Skips, reason)
		}
	}
}

// The captures hold no routing table, so the interface that carried the load is a candidate.
func TestCaptureGolden(t *testing.T) {
	for _, scenario := range []string{"6.1/nfs-v3-idle", "6.12/smb311-1ch-8writers-64k", "7.3/iscsi-4sessions-read16"} {
		sink := run(t, capturetest.Moment(t, scenario, "t1"), collectors.Settings{})
		capturetest.Golden(t, scenario+".txt", sink.Text(), *update)
	}
}

func BenchmarkCollect(b *testing.B) {
	c, err := New(machine(), collectors.Settings{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Collect(b.Context(), capturetest.Discard{}); err != nil {
			b.Fatal(err)
		}
	}
}
