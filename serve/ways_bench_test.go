//go:build unix

package serve

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/export/otlp"
	"github.com/nasight/nasight/internal/measure"
	"github.com/nasight/nasight/schema"
)

// BenchmarkMinute is a minute of serve with 100 recorded hosts at the usual pace, in turn with nothing pushed and with ways of export on:
// four rounds of collections, an evaluation, and what each way sends meanwhile: VictoriaMetrics once a round, OTLP once a minute, remote
// write every sample, in as many requests as when the collections of a round are spread over its 15 seconds. The processor time is that
// of all threads of this process; the receivers are in another one. In turn, as a busy machine makes minutes differ by more than a way
// costs.
func BenchmarkMinute(b *testing.B) {
	for _, ways := range []ways{
		{name: "otlp", otlp: true}, {name: "victoriametrics", victoria: true}, {name: "remote_write_1", remote: export.ProtocolV1},
		{name: "remote_write_2", remote: export.ProtocolV2}, {name: "all", otlp: true, victoria: true, remote: export.ProtocolV2},
	} {
		b.Run(ways.name, func(b *testing.B) { benchmarkMinute(b, ways) })
	}
}

// ways are those that are on.
type ways struct {
	name           string
	otlp, victoria bool
	remote         string // the protocol; empty for none
}

const benchedHosts = 100

// Remote write gathers for 5 of the 15 seconds of a round. Here it gathers for longer than it takes to collect the third of the hosts
// whose turn comes in that time.
const (
	together      = int((benchedHosts*gathering + schema.HostGrain - 1) / schema.HostGrain)
	gatheringHere = 200 * time.Millisecond
)

// configure makes the configuration; paces are the benchmark's own.
func (w ways) configure(b *testing.B) config.Config {
	cfg := config.Default()
	cfg.Web.ListenAddress, cfg.Hosts, cfg.History.Path = "127.0.0.1:0", nil, b.TempDir()
	receivers := receiversElsewhere(b)
	if w.victoria {
		cfg.Export.VictoriaMetrics = []config.VictoriaMetrics{{URL: receivers + "/vm", Interval: config.Duration(time.Hour)}}
	}
	if w.remote != "" {
		cfg.Export.RemoteWrite = []config.RemoteWrite{{URL: receivers + "/write", Protocol: w.remote}}
	}
	if w.otlp {
		cfg.Export.OTLP.Endpoint, cfg.Export.OTLP.Protocol = receivers, otlp.HTTP
	}
	return cfg
}

func benchmarkMinute(b *testing.B, ways ways) {
	cfg := ways.configure(b)
	server, err := New(b.Context(), Options{Config: cfg, Build: testBuild})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = server.release() })
	server.pushing.gather = gatheringHere
	pushers, err := server.pushing.newPushers(cfg.Export)
	if err != nil {
		b.Fatal(err)
	}
	server.pushing.start(b.Context(), pushers)
	b.Cleanup(server.pushing.stop)
	if server.firstOTLP != nil {
		b.Cleanup(func() { _ = server.firstOTLP.discard(context.WithoutCancel(b.Context())) })
	}
	minute := benchedMinute{server: server, pushers: pushers, hosts: recordedHosts(b, benchedHosts), at: time.Now().Add(-12 * time.Hour)}
	minute.pass(b, true) // what is made once: series, connections
	b.ResetTimer()
	spent := map[bool][]time.Duration{} // by whether anything is pushed
	push := true
	for b.Loop() {
		for range 2 { // with, without, without, with, …: what a minute leaves to be collected is paid for by another one
			begin := processor(b)
			minute.pass(b, push)
			spent[push] = append(spent[push], processor(b)-begin)
			push = !push
		}
		push = !push
	}
	without, with := median(spent[false]), median(spent[true])
	b.ReportMetric(without.Seconds()*1e3, "without-cpu-ms/op")
	b.ReportMetric(with.Seconds()*1e3, "with-cpu-ms/op")
	b.ReportMetric(100*(with.Seconds()/without.Seconds()-1), "%more")
}

// median is the middle one, which a few minutes that the machine had other work in do not move.
func median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// benchedMinute is what minutes are made of.
type benchedMinute struct {
	server  *Server
	pushers *pushers
	hosts   []benchedHost
	at      time.Time
}

func (m *benchedMinute) pass(b *testing.B, push bool) {
	b.Helper()
	m.server.pushing.set.Store(nil)
	if push {
		m.server.pushing.set.Store(m.pushers)
	}
	for range time.Minute / schema.HostGrain {
		m.at = m.at.Add(schema.HostGrain)
		for hosts := range slices.Chunk(m.hosts, together) {
			for _, one := range hosts {
				one.collect(b, m.server, m.at)
			}
			m.awaitSent()
		}
		if push {
			m.pushVictoria(b)
		}
	}
	found, err := m.server.evaluator.evaluate(b.Context(), m.at)
	m.server.evaluator.conclude(b.Context(), found, err, time.Second)
	if push && m.server.firstOTLP != nil {
		if err := m.server.firstOTLP.exporter.Push(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func (m *benchedMinute) pushVictoria(b *testing.B) {
	b.Helper()
	for _, one := range m.pushers.victoria {
		if err := one.Push(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// awaitSent waits until remote write has gathered and has nothing left to send. It waits as long without remote write: what an idle
// process spends, and what the processor's caches forget meanwhile, is no cost of the pushes.
func (m *benchedMinute) awaitSent() {
	poll := time.NewTicker(gatheringHere + 50*time.Millisecond)
	defer poll.Stop()
	<-poll.C
	for slices.ContainsFunc(m.pushers.remote, func(one *export.Pusher) bool { return one.Pending() > 0 }) {
		poll.Reset(20 * time.Millisecond)
		<-poll.C
	}
}

// benchedHost is a host with its collectors.
type benchedHost struct {
	name       string
	collectors map[string]collectors.Collector
}

func recordedHosts(b *testing.B, count int) []benchedHost {
	b.Helper()
	host := &recorded{directory: capture(b, saturated)}
	host.show(b, "t0")
	hosts := make([]benchedHost, count)
	for i := range hosts {
		hosts[i] = benchedHost{name: fmt.Sprint("client", i), collectors: map[string]collectors.Collector{}}
		for _, entry := range list.Entries() {
			following := collectors.Follow(entry, pathsOf(host.host(hosts[i].name)), func(f *collectors.Following) { b.Cleanup(func() { _ = f.Close() }) })
			collector, err := following.New(collectors.Root{Host: hosts[i].name}, collectors.Settings{})
			if err != nil {
				b.Fatal(err)
			}
			hosts[i].collectors[entry.Name] = collector
		}
	}
	return hosts
}

func (h benchedHost) collect(b *testing.B, server *Server, at time.Time) {
	b.Helper()
	for name, collector := range h.collectors {
		result := collectors.Once(b.Context(), collector, at)
		if !result.Success() {
			b.Fatal(result.Err)
		}
		batch := collectors.Batch{Host: h.name, Collector: name, Time: at, Interval: time.Hour, Samples: result.Samples}
		if err := server.output.Publish(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
}

func processor(b *testing.B) time.Duration {
	b.Helper()
	time, err := measure.Processor()
	if err != nil {
		b.Fatal(err)
	}
	return time
}
