package promhost

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

// TestGolden: all that one scrape of each kind of host comes to.
func TestGolden(t *testing.T) {
	for _, name := range []string{"node", "windows"} {
		p := newPrometheus(t)
		p.scrape(read(t, name+".prom"), "app1.example.com:9100", []int{0})
		result := good(t, p.source())
		var lines []string
		for _, sample := range result.Samples {
			if sample.Family != schema.PromhostSampleAge {
				lines = append(lines, fmt.Sprintf("%s %v\n", seriesName(sample), math.Round(sample.Value*1e6)/1e6))
				if !sample.Time.Equal(p.at(0)) {
					t.Errorf("%s has time %s, not that of the scrape", seriesName(sample), sample.Time)
				}
			}
		}
		slices.Sort(lines)
		for _, reason := range []string{"wrapped_counter", "odd_share", "odd_value"} {
			lines = append(lines, fmt.Sprintf("# skipped %d: %s\n", result.Skipped[reason], reason))
		}
		capturetest.Golden(t, name+".golden", strings.Join(lines, ""), *update)
	}
}

// Every sample keeps its time and is told once; the newest is told again at the same time while Prometheus still has it.
func TestEverySampleOnceAtItsOwnTime(t *testing.T) {
	p := newPrometheus(t)
	p.scrape(read(t, "node.prom"), "app1:9100", []int{0, 1, 2})
	s := p.source()
	times := func(result collectors.Result) []time.Time {
		var found []time.Time
		for _, sample := range slices.Concat(result.Past, result.Samples) {
			if sample.Family == schema.NFSReadBytes {
				found = append(found, sample.Time)
			}
		}
		slices.SortFunc(found, time.Time.Compare)
		return found
	}
	for i, want := range [][]time.Time{{p.at(0), p.at(1), p.at(2)}, {p.at(2)}, {p.at(3)}, {p.at(3)}} {
		if i == 2 {
			p.scrape(read(t, "node.prom"), "app1:9100", []int{3})
		}
		if diff := cmp.Diff(want, times(good(t, s))); diff != "" {
			t.Errorf("run %d (-want +got):\n%s", i, diff)
		}
	}
}

// Many hosts in one answer, each under its name: an instance without its port, or the label that was configured.
func TestHosts(t *testing.T) {
	p := newPrometheus(t)
	for _, instance := range []string{"app1.example.com:9100", "192.0.2.7:9100", "[2001:db8::7]:9100", "plain", ""} {
		p.scrape(read(t, "node.prom"), instance, []int{0}, "nodename", "n-"+strings.Trim(instance, "[]"))
	}
	result := good(t, p.source())
	want := map[string]float64{"app1.example.com": 2, "192.0.2.7": 2, "2001:db8::7": 2, "plain": 2}
	if diff := cmp.Diff(want, valuesOf(result, schema.CPUCores)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if result.Skipped["odd_label"] == 0 {
		t.Errorf("skipped %v, want the series without an instance", result.Skipped)
	}
	named := good(t, p.source(func(c *Config) { c.HostLabel = "nodename"; c.Match = `instance=~"app1.*", job!="other"` }))
	if diff := cmp.Diff(map[string]float64{"n-app1.example.com:9100": 2}, valuesOf(named, schema.CPUCores)); diff != "" {
		t.Errorf("configured label (-want +got):\n%s", diff)
	}
}

// Two jobs that scrape one exporter tell the same twice. The one that is read stays; when it goes the other takes over
// without a gap.
func TestSecondSourceIsNotAdded(t *testing.T) {
	p := newPrometheus(t)
	p.scrape(read(t, "node.prom"), "app1:9100", []int{0, 1})
	p.scrape(read(t, "node.prom"), "app1:9100", []int{0, 1}, "replica", "b")
	s := p.source()
	result := good(t, s)
	if got := valuesOf(result, schema.CPUSeconds)["app1,idle"]; got != 3010*1.01 {
		t.Errorf("idle time %v", got)
	}
	if result.Skipped["second_source"] == 0 {
		t.Errorf("skipped %v", result.Skipped)
	}
	read := func(names ...string) (kept []found, from []string) {
		for _, name := range names {
			kept = append(kept, found{host: "h", times: []time.Time{p.at(len(kept))}})
			from = append(from, name)
		}
		return kept, from
	}
	var chosen sources
	for _, step := range []struct {
		there []string
		want  int // index of the one that is read
	}{{[]string{"a", "b"}, 1}, {[]string{"b", "c"}, 0}, {[]string{"c", "d"}, 1}, {nil, -1}, {[]string{"e"}, 0}} {
		kept, from := read(step.there...)
		got := chosen.choose("g", kept, from, func(string, int) {})
		if want := min(len(step.there), 1); len(got) != want || want > 0 && !got[0].times[0].Equal(p.at(step.want)) {
			t.Errorf("of %v: %v", step.there, got)
		}
	}
}

// The example that node_exporter publishes: two mounts of one export over different protocols, a counter that wrapped.
func TestPublishedExample(t *testing.T) {
	p := newPrometheus(t)
	text := string(capturetest.Public(t, "node_exporter/e2e-mountstats-nfs-metrics.prom"))
	p.scrape(text, "app1:9100", []int{0})
	result := good(t, p.source())
	if result.Skipped["wrapped_counter"] != 1 || len(result.Skipped) != 1 {
		t.Errorf("skipped %v", result.Skipped)
	}
	const tcp, udp = "app1,192.168.1.1,/srv/test,nfs,192.168.1.1:/srv/test@tcp", "app1,192.168.1.1,/srv/test,nfs,192.168.1.1:/srv/test@udp"
	for family, want := range map[*schema.Family]map[string]float64{
		schema.NFSMountAge:   {tcp: 13968, udp: 13968},
		schema.NFSReadBytes:  {tcp: 1210214218, udp: 1210214218},
		schema.NFSOperations: {tcp + ",read": 1298, tcp + ",write": 0, udp + ",read": 1298, udp + ",write": 0, udp + ",attr": 2927395007},
		schema.NFSRTT:        {tcp + ",read": 79.386, tcp + ",write": 0, udp + ",read": 79.386, udp + ",write": 0, udp + ",attr": 1667369.447},
		schema.NFSTransports: {"app1,192.168.1.1,nfs,": 2},
		schema.NFSSends:      {"app1,192.168.1.1,nfs,": 12856},
		schema.NFSMaxSlots:   {"app1,192.168.1.1,nfs,": 24},
		schema.NFSMountInfo: {
			tcp + ",192.168.1.1,,tcp,/mnt/nfs/test /mnt/nfs/test-dupe,,,": 1, udp + ",192.168.1.1,,udp,/mnt/nfs/test-dupe,,,": 1,
		},
	} {
		if diff := cmp.Diff(want, valuesOf(result, family)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", family.Name, diff)
		}
	}
}

func TestNothingMatches(t *testing.T) {
	if result := collect(t, newPrometheus(t).source()); !errors.Is(result.Err, collectors.ErrNoData) || len(result.Samples) > 0 {
		t.Errorf("%d samples, error %v", len(result.Samples), result.Err)
	}
}

// The names of series that are asked for exist in the dependencies' documents, and no question is beyond them.
func TestQuestions(t *testing.T) {
	seen := map[string]bool{}
	all := groups()
	for _, g := range all {
		for _, r := range g.rows {
			if seen[r.series] || !strings.HasPrefix(r.series, "node_") && !strings.HasPrefix(r.series, "windows_") {
				t.Errorf("series %s", r.series)
			}
			seen[r.series] = true
		}
	}
	if len(all) != 6 {
		t.Errorf("%d questions a run", len(all))
	}
	g := group{rows: []row{{series: "a"}, {series: "b"}}}
	if got := g.question(`job="x"`, 90*time.Second); got != `{__name__=~"a|b",job="x"}[90s]` {
		t.Errorf("question %s", got)
	}
}

func TestQuestionsSayWhoseTheyAre(t *testing.T) {
	agents := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agents <- r.UserAgent()
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	s, err := New(Config{URL: server.URL}, "nasight/1.2")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if result := collectors.Once(t.Context(), s, time.Now()); result.Success() {
		t.Error("a server that refuses everything is read")
	}
	if got := <-agents; got != "nasight/1.2" {
		t.Errorf("the question is of %q", got)
	}
}
