//go:build unix

package gcnv

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/internal/measure"
	"github.com/nasight/nasight/simulator"
)

// emulated starts an emulator with so many volumes and returns the configuration that reads it.
func emulated(b *testing.B, volumes int, at *clock) (*simulator.Server, Config) {
	b.Helper()
	fleet := manyVolumes(volumes)
	if err := fleet.Complete(); err != nil {
		b.Fatal(err)
	}
	server, err := simulator.Start(b.Context(), simulator.Options{Fleet: fleet, Epoch: epoch, Clock: at.Now})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = server.Close() })
	config := DefaultConfig()
	config.Projects, config.BackfillDays = []string{"alpha"}, 7
	config.Pacing.CallsPerSecond = 1000
	config.Endpoints = Endpoints{Monitoring: server.GRPCAddress(), NetApp: server.URL(), ResourceManager: server.URL(), Insecure: true}
	return server, config
}

func processor(b *testing.B) time.Duration {
	b.Helper()
	spent, err := measure.Processor()
	if err != nil {
		b.Fatal(err)
	}
	return spent
}

// BenchmarkCloudScrape is one scrape of what the reader found of 500 volumes, with the real clients at the emulator: just
// after a cycle has brought new samples, as one scrape in five or more finds them, or the same again, as the others do. A
// scrape makes no request; a cycle of the tiers is what is billed.
func BenchmarkCloudScrape(b *testing.B) {
	at := &clock{now: epoch}
	server, config := emulated(b, 500, at)
	source, err := New(config, Options{Clock: at.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer source.Close()
	s := newShown(source, at)
	for name, renew := range map[string]bool{"new": true, "again": false} {
		b.Run(name, func(b *testing.B) { s.scrapes(b, server, renew) })
	}
}

func (s *shown) scrapes(b *testing.B, server *simulator.Server, renew bool) {
	handler, samples, count := s.handler(), 0, 0
	var spent time.Duration
	var calls int64
	cycle := func() {
		if err := s.cycle(b.Context(), s.clock.Now().Add(5*time.Minute)); err != nil {
			b.Fatal(err)
		}
		runtime.GC() // the scrape is not to pay for the emulator's garbage
	}
	for cycle(); b.Loop(); count++ {
		if renew {
			cycle()
		}
		begin, before := processor(b), callsOf(server)
		samples = scrape(b, handler)
		spent, calls = spent+processor(b)-begin, calls+callsOf(server)-before
	}
	if calls != 0 {
		b.Errorf("%d scrapes made %d calls", count, calls)
	}
	b.ReportMetric(float64(spent.Microseconds())/1e3/float64(b.N), "cpu-ms/scrape")
	b.ReportMetric(float64(spent.Microseconds())/1e3/float64(b.N)*1e4/float64(samples), "cpu-ms/10000-samples")
	b.ReportMetric(float64(samples), "samples")
	b.ReportMetric(float64(calls)/float64(b.N), "calls/scrape")
}

func callsOf(server *simulator.Server) (calls int64) {
	for _, one := range server.Usage().Calls {
		calls += one.Count
	}
	return calls
}

// scrape returns the number of samples.
func scrape(b *testing.B, handler http.Handler) int {
	b.Helper()
	taken := &taker{header: http.Header{}}
	handler.ServeHTTP(taken, httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/metrics", http.NoBody))
	if taken.status != http.StatusOK {
		b.Fatal(taken.status)
	}
	return taken.lines - taken.comments
}

// taker counts the lines of an answer and keeps none of it, as a socket does.
type taker struct {
	header          http.Header
	status          int
	lines, comments int
	last            byte
}

func (t *taker) Header() http.Header    { return t.header }
func (t *taker) WriteHeader(status int) { t.status = status }

func (t *taker) Write(text []byte) (int, error) {
	if t.status == 0 {
		t.status = http.StatusOK
	}
	if len(text) == 0 {
		return 0, nil
	}
	t.lines += bytes.Count(text, []byte("\n"))
	t.comments += bytes.Count(text, []byte("\n#"))
	if text[0] == '#' && (t.last == 0 || t.last == '\n') {
		t.comments++
	}
	t.last = text[len(text)-1]
	return len(text), nil
}

func samplesIn(exposition string) int {
	count := 0
	for line := range strings.Lines(exposition) {
		if !strings.HasPrefix(line, "#") {
			count++
		}
	}
	return count
}

// BenchmarkCloudMemory is the memory of a process that reads 500 volumes from the emulator and serves them on /metrics, over
// four hours of cycles of 5 minutes with a scrape after each. Nothing is collected but what the runtime collects by itself.
func BenchmarkCloudMemory(b *testing.B) {
	at := &clock{now: epoch}
	server, config := emulated(b, 500, at)
	ask := startChild(b, config)
	const cycles = 48
	samples := 0
	for b.Loop() {
		for range cycles {
			at.add(5 * time.Minute)
			ask("/cycle?at=" + url.QueryEscape(at.Now().Format(time.RFC3339)))
			samples = samplesIn(ask("/metrics"))
		}
	}
	for name, unit := range map[string]string{"VmRSS": "rss-MB", "RssAnon": "anon-MB", "VmHWM": "peak-MB"} {
		size, err := strconv.ParseUint(ask("/memory?of="+name), 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(size)/1e6, unit)
	}
	b.ReportMetric(float64(samples), "samples")
	b.ReportMetric(float64(server.Usage().SeriesReturned)/float64(b.N*cycles)*(30*24*12)/1e6, "M-billed/month")
}

// startChild starts a copy of this binary that reads the cloud, and returns how to ask it.
func startChild(b *testing.B, config Config) (ask func(path string) string) {
	b.Helper()
	text, err := json.Marshal(config)
	if err != nil {
		b.Fatal(err)
	}
	child := exec.CommandContext(context.WithoutCancel(b.Context()), os.Args[0])
	child.Env = append(os.Environ(), childConfig+"="+string(text))
	child.Stderr = os.Stderr
	input, err := child.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	output, err := child.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := child.Start(); err != nil {
		b.Fatal(err)
	}
	client := &http.Client{}
	b.Cleanup(func() {
		client.CloseIdleConnections()
		_ = input.Close()
		if err := child.Wait(); err != nil {
			b.Error(err)
		}
	})
	address, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return func(path string) string { return fetch(b, client, "http://"+strings.TrimSpace(address)+path) }
}

func fetch(b *testing.B, client *http.Client, address string) string {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		b.Fatal(fmt.Errorf("%s: status %d, %w: %.200s", address, response.StatusCode, err, body))
	}
	return string(body)
}

// BenchmarkBackfill reads seven days of 10,000 series (1,000 volumes of ten each) through the emulator, in the same
// process, into the embedded history. The bar is five minutes.
func BenchmarkBackfill(b *testing.B) {
	for b.Loop() {
		backfillOnce(b)
	}
}

// benchVolumes have ten series each.
const benchVolumes = 1000

func backfillOnce(b *testing.B) {
	at := &clock{now: epoch}
	server, config := emulated(b, benchVolumes, at)
	database, err := history.OpenEmbedded(b.Context(), history.EmbeddedOptions{
		Path: b.TempDir(), Retention: 15 * 24 * time.Hour, OutOfOrderWindow: 6 * time.Hour,
	})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = database.Close() }()
	source, err := New(config, Options{Clock: at.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer source.Close()
	begin := processor(b)
	live := collectors.Once(b.Context(), &tierCollector{source, performance}, at.Now())
	if live.Err != nil {
		b.Fatal(live.Err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	if err := source.Backfill(ctx, database, cancel); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric((processor(b) - begin).Seconds(), "cpu-s")
	b.ReportMetric(float64(server.Usage().SeriesReturned), "series")
	b.ReportMetric(float64(server.Usage().Of("ListTimeSeries")), "calls")
}
