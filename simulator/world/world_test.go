package world_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/simulator/host"
	"github.com/nasight/nasight/simulator/model"
	"github.com/nasight/nasight/simulator/world"
)

var epoch = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC) // a Monday

const pool = `projects:
  - id: example
    number: 7
    pools:
      - name: pool
        location: europe-west3
        service_level: EXTREME
        qos: MANUAL
        capacity_gib: 8192
        volumes:
          - {name: one, capacity_gib: 4096, throughput_mibps: LIMIT, protocols: [NFSV3], mount: [{export: /one, address: 192.0.2.10, protocol: NFSV3}], used_gib: 100}
`

const hosts = `hosts:
  - name: app-1
    address: 198.51.100.1
    mounts:
      - {protocol: nfs3, server: 192.0.2.10, export: /one, path: /mnt/one, sessions: SESSIONS, load: {threads: 256, block_kib: 8, write_share: 0.25, metadata_share: 0.1}}
  - name: app-2
    address: 198.51.100.2
    mounts:
      - {protocol: nfs3, server: 192.0.2.10, export: /one, path: /mnt/one, load: {threads: 4, block_kib: 64}}
`

func start(t testing.TB, text string, options world.Options) *world.World {
	t.Helper()
	fleet, err := model.Parse("fleet.yml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	options.Epoch = epoch
	w, err := world.New(fleet, options)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func fleetOf(limit, sessions string) string {
	return strings.NewReplacer("LIMIT", limit, "SESSIONS", sessions).Replace(pool + hosts)
}

// moved is what a machine's mounts read and wrote since the boot, in bytes of data.
func moved(m *host.Machine) (sum, operations float64) {
	for _, server := range m.NFS {
		for _, mount := range server.Mounts {
			for name, op := range mount.Operations {
				operations += op.Count
				const header = 136
				switch name {
				case "READ":
					sum += op.ReceivedBytes - header*op.Count
				case "WRITE":
					sum += op.SentBytes - header*op.Count
				default:
					sum += 256 * op.Count // as the cloud counts them
				}
			}
		}
	}
	return sum, operations
}

// TestHostsAndCloudCountTheSame: the bytes of a volume are those of its clients, whether a limit holds them back or not.
func TestHostsAndCloudCountTheSame(t *testing.T) {
	for _, limit := range []string{"1024", "100"} {
		w := start(t, fleetOf(limit, "1"), world.Options{})
		w.Advance(epoch.Add(20 * time.Minute))
		var hosts, hostOps, cloud, cloudOps float64
		for _, m := range w.Machines() {
			bytes, ops := moved(m)
			hosts, hostOps = hosts+bytes, hostOps+ops
		}
		volume := w.Model().Volumes()[0]
		for _, op := range model.Ops() {
			traffic := w.Model().Traffic(volume, op, epoch, epoch.Add(20*time.Minute))
			cloud, cloudOps = cloud+traffic.Bytes, cloudOps+traffic.Operations
		}
		if math.Abs(hosts/cloud-1) > 1e-6 || math.Abs(hostOps/cloudOps-1) > 1e-6 || cloud == 0 {
			t.Errorf("limit %s: hosts %g bytes in %g operations, cloud %g in %g", limit, hosts, hostOps, cloud, cloudOps)
		}
		if rate := cloud / 1200 / (1 << 20); limit == "100" && (rate < 99 || rate > 110) {
			t.Errorf("%g MiB/s of a limit of 100", rate)
		}
	}
}

// TestMoreSessionsCarryMore: the published gain of five.
func TestMoreSessionsCarryMore(t *testing.T) {
	rates := map[string]float64{}
	for _, sessions := range []string{"1", "16"} {
		w := start(t, strings.Replace(fleetOf("4096", sessions), "write_share: 0.25, metadata_share: 0.1", "write_share: 0", 1), world.Options{})
		w.Advance(epoch.Add(5 * time.Minute))
		rates[sessions], _ = moved(w.Machines()[0])
	}
	if gain := rates["16"] / rates["1"]; gain < 4.8 || gain > 5.2 {
		t.Errorf("gain %g", gain)
	}
}

// TestQueuesObeyLittle: what the kernel would count is consistent: in flight is rate times round trip, and what waits for
// slots is rate times the rest.
func TestQueuesObeyLittle(t *testing.T) {
	w := start(t, fleetOf("1024", "1"), world.Options{})
	w.Advance(epoch.Add(10 * time.Minute))
	server := w.Machines()[0].NFS[0]
	var count, rtt, execute float64
	for _, op := range server.Mounts[0].Operations {
		count, rtt, execute = count+op.Count, rtt+op.RTT, execute+op.Execute
	}
	transport := server.Transports[0]
	if got, want := transport.InFlightSum/transport.Sends, rtt/600; math.Abs(got/want-1) > 1e-6 {
		t.Errorf("in flight %g, rate times round trip %g", got, want)
	}
	if got := execute / 600; math.Abs(got-256) > 0.01 {
		t.Errorf("%g requests of 256 threads", got)
	}
	if got, want := transport.BacklogSum/transport.Sends, (execute-rtt)/600; math.Abs(got/want-1) > 1e-6 || got < 1 {
		t.Errorf("backlog %g, want %g", got, want)
	}
	if math.Abs(count/transport.Sends-1) > 1e-9 {
		t.Errorf("%g operations in %g sends", count, transport.Sends)
	}
}

// TestSameSeedSameWorld: steps of any length give the same counters, and another seed other ones where there is noise.
func TestSameSeedSameWorld(t *testing.T) {
	read := func(seed uint64, steps int) float64 {
		w := start(t, fleetOf("1024", "4"), world.Options{Seed: seed, Noise: 0.05})
		for i := 1; i <= steps; i++ {
			w.Advance(epoch.Add(time.Duration(i) * 10 * time.Minute / time.Duration(steps)))
		}
		bytes, _ := moved(w.Machines()[0])
		return bytes
	}
	if a, b := read(1, 1), read(1, 10); math.Abs(a/b-1) > 1e-9 {
		t.Errorf("%g and %g", a, b)
	}
	if a, b := read(1, 1), read(2, 1); a == b {
		t.Errorf("two seeds give %g", a)
	}
}

func TestImpossibleNetworks(t *testing.T) {
	for _, row := range []struct{ old, new, want string }{
		{"sessions: SESSIONS", "sessions: 64", "sessions: 64 is out of range"},
		{"threads: 4", "threads: -1", "threads: -1 is out of range"},
		{"address: 198.51.100.2", "address: nowhere", "is no IP address"},
		{"name: app-2", "name: app-1", "there twice"},
		{"protocol: nfs3, server", "protocol: nfs9, server", "is none of"},
		{"threads: 4", "threads: 4, factor: .nan", "load.factor: .nan is no number to reckon with"},
		{"threads: 4", "threads: 4, colour: red", "fleet.yml:"},
	} {
		text := strings.Replace(fleetOf("1024", "1"), row.old, row.new, 1)
		if row.old == "sessions: SESSIONS" {
			text = strings.ReplaceAll(strings.NewReplacer("LIMIT", "1024", "sessions: SESSIONS", row.new).Replace(pool+hosts), "SESSIONS", "1")
		}
		_, err := model.Parse("fleet.yml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", row.new, err, row.want)
		}
	}
}

// TestMovedSinceTheBoot: what is mounted has moved nothing yet, what is not is no mount.
func TestMovedSinceTheBoot(t *testing.T) {
	w := start(t, fleetOf("1024", "1"), world.Options{})
	described := w.Model().Fleet().Hosts[0]
	name, path := described.Name, described.Mounts[0].Path
	if bytes, ok := w.Moved(name, path); !ok || bytes != 0 {
		t.Errorf("%g bytes, %t at the boot", bytes, ok)
	}
	if _, ok := w.Moved(name, path+"-other"); ok {
		t.Error("a mount that is not there has moved something")
	}
	w.Advance(epoch.Add(time.Minute))
	if bytes, ok := w.Moved(name, path); !ok || bytes <= 0 {
		t.Errorf("%g bytes, %t after a minute", bytes, ok)
	}
}

// TestLinuxTimesMetadata: an SMB client counts the time of every command, so that what is under way is all of it.
func TestLinuxTimesMetadata(t *testing.T) {
	w := start(t, `
hosts:
- name: client-1
  address: 192.0.2.10
  mounts:
  - {protocol: smb, server: 198.51.100.20, export: data, path: /mnt/data, load: {threads: 4, metadata_share: 0.75}}
`, world.Options{})
	w.Advance(epoch.Add(time.Minute))
	seconds := 0.0
	for _, op := range w.Machines()[0].SMB[0].Shares[0].Operations {
		seconds += op.Seconds
	}
	if math.Abs(seconds/(4*60)-1) > 1e-6 {
		t.Errorf("%g seconds of requests in a minute, want those of four threads", seconds)
	}
}

// TestHotFile: many threads with small requests of one file lose a tenth by channels, as the vendor says; large ones do not.
func TestHotFile(t *testing.T) {
	rate := func(sessions, block string) float64 {
		text := strings.NewReplacer("SESSIONS", sessions, "BLOCK", block).Replace(`
hosts:
- name: client-1
  address: 192.0.2.10
  mounts:
  - {protocol: smb, server: 198.51.100.20, export: data, path: /mnt/data, sessions: SESSIONS, way: {session_us: 1}, load: {threads: 16, files: 1, block_kib: BLOCK}}
`)
		w := start(t, text, world.Options{})
		w.Advance(epoch.Add(time.Minute))
		bytes, _ := w.Moved("client-1", "/mnt/data")
		return bytes
	}
	if ratio := rate("4", "16") / rate("1", "16"); math.Abs(ratio-0.9) > 0.01 {
		t.Errorf("%g of the rate with small requests, want nine tenths", ratio)
	}
	if ratio := rate("4", "64") / rate("1", "64"); ratio < 1 {
		t.Errorf("%g of the rate with large requests", ratio)
	}
}
