//go:build unix

package detectors_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// hosts fills a history with a minute of hosts that have three mounts of three servers each, all of them busy.
func hosts(b *testing.B, count int) (*history.Embedded, time.Time) {
	b.Helper()
	database, err := history.OpenEmbedded(b.Context(), history.EmbeddedOptions{Path: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = database.Close() })
	start := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	var at time.Time
	for moment := range 5 {
		at = start.Add(time.Duration(moment) * 15 * time.Second)
		for host := range count {
			if err := database.Append(context.Background(), hostSamples(host, float64(15*moment), at)); err != nil {
				b.Fatal(err)
			}
		}
	}
	return database, at
}

// hostSamples are what an agent reads at one moment on a host that mounts three volumes.
func hostSamples(number int, seconds float64, at time.Time) []schema.Sample {
	host := fmt.Sprintf("client-%d", number)
	var samples []schema.Sample
	add := func(family *schema.Family, value float64, labels ...string) {
		samples = append(samples, schema.Sample{Family: family, Labels: labels, Value: value, Time: at})
	}
	for i := range 3 {
		server, export := address(3*number + i)
		mount := []string{host, server, export, "nfs", fmt.Sprintf("0:%d", 40+i)}
		add(schema.NFSMountInfo, 1, append(mount, server, "3", "tcp", "/mnt/a", "sys", "4", "rw,rsize=65536")...)
		add(schema.NFSMountAge, 1000+seconds, mount...)
		add(schema.NFSReadBytes, 6e6*seconds, mount...)
		add(schema.NFSWriteBytes, 1e6*seconds, mount...)
		add(schema.NFSTimeouts, 0, mount...)
		add(schema.NFSRetransmissions, 0, mount...)
		for _, class := range []string{"read", "write", "commit", "attr", "dir", "other"} {
			labels := append(append([]string{}, mount...), class)
			add(schema.NFSOperations, 100*seconds, labels...)
			add(schema.NFSRTT, 2*seconds, labels...)
			add(schema.NFSExecute, 3*seconds, labels...)
		}
		transport := []string{host, server, "nfs", "3"}
		add(schema.NFSTransports, 4, transport...)
		add(schema.NFSSends, 600*seconds, transport...)
		add(schema.NFSReceives, 600*seconds, transport...)
		add(schema.NFSBacklog, 0, transport...)
		add(schema.NFSConnects, 2, transport...)
		for session := range 4 {
			labels := []string{host, server, "nfs", fmt.Sprintf("192.0.2.200:%d", 700+session)}
			add(schema.SessionReceived, 2e6*seconds, labels...)
			add(schema.SessionAcked, 1e5*seconds, labels...)
			add(schema.SessionRTT, 0.002, labels...)
			add(schema.SessionMinRTT, 0.001, labels...)
			add(schema.SessionSegments, 500*seconds, labels...)
			add(schema.SessionOutOfOrder, 0, labels...)
			add(schema.SessionRetransmits, 0, labels...)
			add(schema.SessionNotSent, 0, labels...)
		}
	}
	for core := range 8 {
		add(schema.CPUCoreSeconds, 0.3*seconds, host, fmt.Sprint(core), "busy")
		add(schema.CPUCoreSeconds, 0.1*seconds, host, fmt.Sprint(core), "softirq")
	}
	return samples
}

// address is where a volume is mounted. Several volumes share an address, no two are at the same place.
func address(volume int) (server, export string) {
	return fmt.Sprintf("192.0.2.%d", volume%250), fmt.Sprintf("/volume-%d", volume)
}

// BenchmarkMinutePass is what serve does every minute: the view from history, then every rule.
func BenchmarkMinutePass(b *testing.B) {
	for _, count := range []int{100, 1000} {
		b.Run(fmt.Sprintf("hosts=%d", count), func(b *testing.B) {
			database, at := hosts(b, count)
			profile := fleet.Spacing(time.Minute, 15*time.Second)
			settings := detectors.DefaultSettings()
			b.ReportAllocs()
			begin := processor(b)
			for b.Loop() {
				view, err := fleet.Build(context.Background(), database, at, profile)
				if err != nil || len(view.Clients) != count {
					b.Fatalf("%d clients, %v", len(view.Clients), err)
				}
				detectors.Evaluate(view, settings)
			}
			b.ReportMetric((processor(b)-begin).Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}
