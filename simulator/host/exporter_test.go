package host_test

import (
	"fmt"
	"maps"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"pgregory.net/rapid"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/cpu"
	"github.com/nasight/nasight/collectors/nfs"
	"github.com/nasight/nasight/collectors/promhost"
	"github.com/nasight/nasight/collectors/windows"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/promapi"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/host"
)

// samples are the exposition as a Prometheus stores it.
func samples(t *testing.T, m *host.Machine, at time.Time) []schema.Sample {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(string(m.Exposition())))
	if err != nil {
		t.Fatal(err)
	}
	var all []schema.Sample
	for _, name := range slices.Sorted(maps.Keys(families)) {
		for _, metric := range families[name].GetMetric() {
			labels := map[string]string{"instance": m.Name + ":9100", "job": "exporter"}
			for _, pair := range metric.GetLabel() {
				labels[pair.GetName()] = pair.GetValue()
			}
			family := &schema.Family{Name: name, Labels: slices.Sorted(maps.Keys(labels))}
			one := schema.Sample{Family: family, Value: metric.GetCounter().GetValue() + metric.GetGauge().GetValue(), Time: at}
			for _, label := range family.Labels {
				one.Labels = append(one.Labels, labels[label])
			}
			all = append(all, one)
		}
	}
	return all
}

// prometheus is a collector that reads what a Prometheus has of a host.
func prometheus(t *testing.T, stored ...[]schema.Sample) collectors.Collector {
	t.Helper()
	memory := history.NewMemory(history.MemoryOptions{})
	for _, scrape := range stored {
		if err := memory.Append(t.Context(), scrape); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(promapi.NewHandler(memory, promapi.Options{MaxConcurrency: 8}))
	source, err := promhost.New(promhost.Config{URL: server.URL}, "nasight/1.2")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = source.Close()
		server.Close()
		_ = memory.Close()
	})
	return source
}

const examples = 10

// TestWindowsExporter: what windows_exporter tells of a host is what the host itself tells.
func TestWindowsExporter(t *testing.T) {
	now := time.Now()
	for seed := range examples {
		m := rapid.Custom(windowsMachine).Example(seed)
		got := read(t, prometheus(t, samples(t, m, now.Add(-30*time.Second)), samples(t, m, now)), now)
		want := read(t, windows.New(m.Root()), m.Now)
		both := []*schema.Family{
			schema.SMBReadBytes, schema.SMBWriteBytes, schema.SMBOperations, schema.SMBRTT, schema.SMBCreditStalls, schema.SMBQueued,
			schema.NICReceived, schema.NICTransmitted, schema.NICSpeed, schema.CPUSeconds, schema.CPUCores,
		}
		same(t, "windows_exporter", want.only(both...), got.only(both...))
		shares := 0
		for i := range m.SMB {
			shares += len(m.SMB[i].Shares)
		}
		if found := len(got.only(schema.SMBMountInfo)); found != shares || len(got.only(schema.CPUCoreSeconds)) != 2*len(m.Cores) {
			t.Errorf("%d shares, want %d; readings %v", found, shares, got)
		}
	}
}

// nfsMachine draws a host with two NFS servers, whose mounts have had operations of every class.
func nfsMachine(t *rapid.T) *host.Machine {
	m := &host.Machine{Name: "app1", Boot: noon.AddDate(0, 0, -3), Now: noon, Cores: make([]host.Core, rapid.IntRange(1, 8).Draw(t, "cores"))}
	for i := range m.Cores {
		m.Cores[i] = host.Core{User: seconds(t, "user"), Idle: seconds(t, "idle"), IOWait: seconds(t, "iowait"), SoftIRQ: seconds(t, "softirq"), Steal: seconds(t, "steal")}
	}
	m.NICs = []host.NIC{{Name: "eth0", Address: netip.MustParsePrefix("192.0.2.1/24"), SpeedMbit: 10000, Received: host.Traffic{Bytes: amount(t, "received")}}}
	for i, version := range []string{"3", "4.1"} {
		server := host.NFSServer{Address: netip.AddrFrom4([4]byte{192, 0, 2, byte(50 + i)}), Name: fmt.Sprintf("nfs%d.example.com", i), Version: version}
		for at := range rapid.IntRange(1, 8).Draw(t, "transports") {
			server.Transports = append(server.Transports, host.NFSTransport{
				TCP:      host.TCP{Local: netip.MustParseAddrPort(fmt.Sprintf("192.0.2.1:%d", 700+10*i+at)), Remote: netip.AddrPortFrom(server.Address, 2049)},
				Connects: rapid.IntRange(1, 9).Draw(t, "connects"), Sends: amount(t, "sends"), Receives: amount(t, "receives"),
				BacklogSum: amount(t, "backlog"), MaxSlots: rapid.IntRange(0, 512).Draw(t, "slots"),
			})
		}
		for _, export := range someOf(t, "exports", []string{"/vol/a", "/with blank", "/δ", `/back\slash`}, 1, 3) {
			mount := host.NFSMount{
				Export: export, MountPoint: fmt.Sprintf("/mnt/%d%s", i, export), ReadSize: 1 << 18, WriteSize: 1 << 18, AttributeCache: true,
				Age: time.Hour, Operations: map[string]host.NFSOperation{},
			}
			for _, name := range []string{"READ", "WRITE", "COMMIT", "GETATTR", "READDIR", "RENAME", "NULL"} {
				count := amount(t, name)
				mount.Operations[name] = host.NFSOperation{
					Count: count, Transmissions: count + float64(rapid.IntRange(-3, 9).Draw(t, "again")), Timeouts: amount(t, "timeouts"),
					SentBytes: amount(t, "sent"), ReceivedBytes: amount(t, "received"), RTT: seconds(t, "rtt"), Execute: seconds(t, "execute"),
				}
			}
			server.Mounts = append(server.Mounts, mount)
		}
		m.NFS = append(m.NFS, server)
	}
	return m
}

// withoutVersion names the transports of a server as the exporter tells them: it does not know the version.
func (r readings) withoutVersion() readings {
	out := readings{}
	for name, value := range r {
		at := strings.LastIndex(name, "|")
		out[name[:at]] = value
	}
	return out
}

// TestNodeExporter: what node_exporter tells of a host is what its files tell.
func TestNodeExporter(t *testing.T) {
	now := time.Now()
	for seed := range examples {
		m := rapid.Custom(nfsMachine).Example(seed)
		got := read(t, prometheus(t, samples(t, m, now.Add(-30*time.Second)), samples(t, m, now)), now)
		fromFiles, err := nfs.Entry().New(m.Root(), collectors.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		want := read(t, fromFiles, m.Now)
		mounts := []*schema.Family{
			schema.NFSMountAge, schema.NFSReadBytes, schema.NFSWriteBytes, schema.NFSOperations, schema.NFSRTT, schema.NFSExecute,
			schema.NFSRetransmissions, schema.NFSTimeouts,
		}
		same(t, "mounts", want.only(mounts...), got.only(mounts...))
		transports := []*schema.Family{
			schema.NFSTransports, schema.NFSSends, schema.NFSReceives, schema.NFSBacklog, schema.NFSConnects, schema.NFSMaxSlots,
		}
		same(t, "transports", want.only(transports...).withoutVersion(), got.only(transports...).withoutVersion())
		processor := []*schema.Family{schema.CPUSeconds, schema.CPUCoreSeconds, schema.CPUCores}
		want = read(t, cpu.New(m.Root()), m.Now).only(processor...)
		for name, value := range got.only(processor...) {
			if limit := 0.01 * float64(len(m.Cores)); value < want[name]-limit || value > want[name]+limit {
				t.Errorf("%s is %v, want %v", name, value, want[name])
			}
		}
		want = readings{}
		want.is(m.NICs[0].Received.Bytes, schema.NICReceived, "eth0")
		same(t, "network", want, got.only(schema.NICReceived))
	}
}

// TestExporterOverTime: two scrapes of a host that goes on give its rates.
func TestExporterOverTime(t *testing.T) {
	now := time.Now()
	before, after := windowsClient(), windowsClient()
	after.SMB[0].Shares[1].Read += 3e8
	after.Cores[0].User += 12
	c := prometheus(t, samples(t, before, now.Add(-30*time.Second)), samples(t, after, now))
	result := collectors.Once(t.Context(), c, now)
	if result.Err != nil || len(result.Skipped) > 0 {
		t.Fatalf("error %v, skipped %v", result.Err, result.Skipped)
	}
	rise := map[string]float64{}
	for _, sample := range result.Samples {
		rise[seriesOf(sample.Family, sample.Labels...)] += sample.Value
	}
	for _, sample := range result.Past {
		rise[seriesOf(sample.Family, sample.Labels...)] -= sample.Value
	}
	server := before.SMB[0].Name
	for name, want := range map[string]float64{
		seriesOf(schema.SMBReadBytes, "app1", server, "share two", "smb", ""): 3e8,
		seriesOf(schema.SMBReadBytes, "app1", server, "share1", "smb", ""):    0,
		seriesOf(schema.CPUCoreSeconds, "app1", "0,0", "busy"):                12,
		seriesOf(schema.CPUSeconds, "app1", "busy"):                           12,
	} {
		if got, ok := rise[name]; !ok || got != want {
			t.Errorf("%s rose by %v (there: %v), want %v", name, got, ok, want)
		}
	}
}
