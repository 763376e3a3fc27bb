package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/internal/measure"
	"github.com/nasight/nasight/simulator/model"
)

// shown is a demo that runs.
type shown struct {
	t      *testing.T
	url    string
	client *http.Client
	log    *strings.Builder
	spiked bool // the planted spike was found
}

// show runs a demo for the length of a test, and checks that nothing is left of it.
func show(t *testing.T, options Options) *shown {
	t.Helper()
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	s := &shown{t: t, client: &http.Client{}, log: &strings.Builder{}}
	listening := make(chan string, 1)
	options.Speed, options.Seed, options.Address = 1, 1, "127.0.0.1:0"
	options.Logger = slog.New(slog.NewTextHandler(s.log, nil))
	options.Listening = func(address net.Addr) { listening <- "http://" + address.String() }
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, options) }()
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the demo ended with %v", err)
		}
		if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
		if first, _, _ := strings.Cut(s.log.String(), "\n"); !strings.Contains(first, Notice) {
			t.Errorf("the first line of the log is %q", first)
		}
	})
	select {
	case s.url = <-listening:
	case err := <-ended:
		ended <- err
		t.Fatal(err)
	}
	return s
}

func (s *shown) ready() bool {
	code, _ := s.get("/-/ready")
	return code == http.StatusOK
}

// patience is for a machine that has a hundred things to do.
const patience = 8 * time.Minute

// until waits for a condition.
func (s *shown) until(what string, holds func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); !holds(); {
		if time.Now().After(deadline) {
			_, why := s.get("/-/ready")
			s.t.Fatalf("not %s: %s", what, why)
		}
		select {
		case <-s.t.Context().Done():
			return
		case <-time.After(time.Second):
		}
	}
}

// get asks for a path. Every answer says what it is.
func (s *shown) get(path string) (code int, body string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	response, err := s.client.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if got := response.Header.Get("X-Nasight-Notice"); got != Notice {
		s.t.Errorf("%s: the notice is %q", path, got)
	}
	return response.StatusCode, string(text)
}

func (s *shown) findings() []detectors.Finding {
	s.t.Helper()
	var answer struct {
		Notice   string
		Findings []struct {
			Detector, Variant, State string
			Resource                 struct{ Project, Location, Pool, Volume, Host, Server string }
		}
	}
	_, body := s.get("/api/v1/findings")
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		s.t.Fatal(err)
	}
	if answer.Notice != Notice {
		s.t.Errorf("the notice of the findings is %q", answer.Notice)
	}
	var found []detectors.Finding
	for _, f := range answer.Findings {
		if f.State == string(detectors.Firing) || f.State == string(detectors.Keep) {
			r := f.Resource
			found = append(found, detectors.Finding{Detector: f.Detector, Variant: f.Variant, Resource: fleet.Resource{
				Project: r.Project, Location: r.Location, Pool: r.Pool, Volume: r.Volume, Host: r.Host, Server: r.Server,
			}})
		}
	}
	return found
}

// query is the number of results, and how many points the longest has.
func (s *shown) query(path string, parameters url.Values) (results, points int) {
	s.t.Helper()
	code, body := s.get(path + "?" + parameters.Encode())
	var answer struct {
		Data struct {
			Result []struct {
				Value  []any
				Values [][]any
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || code != http.StatusOK {
		s.t.Fatalf("%s: %d, %v", path, code, err)
	}
	for _, one := range answer.Data.Result {
		points = max(points, len(one.Values))
	}
	return len(answer.Data.Result), points
}

// weeks checks that history reaches back, of clouds and hosts, and that the roll-ups of the weeks are the series that serve goes
// on with.
func (s *shown) weeks() {
	s.t.Helper()
	now := time.Now()
	for _, name := range []string{"nasight_volume_total_throughput_bytes_per_second", "nasight_endpoint_operation_rtt_seconds"} {
		_, points := s.query("/api/v1/query_range", url.Values{
			"query": {"count(" + name + ")"}, "step": {"3600"},
			"start": {fmt.Sprint(now.Add(-13 * 24 * time.Hour).Unix())}, "end": {fmt.Sprint(now.Unix())},
		})
		if points < 12*24 {
			s.t.Errorf("%s: %d hours of 13 days", name, points)
		}
	}
	const query = "nasight_endpoint_operation_rtt_seconds"
	fresh, _ := s.query("/api/v1/query", url.Values{"query": {query}})
	if fresh == 0 {
		s.t.Errorf("%s: nothing is fresh", query)
	}
	strange, _ := s.query("/api/v1/query", url.Values{"query": {query + " unless last_over_time(" + query + "[2h] offset 3d)"}})
	if strange > 0 {
		s.t.Errorf("%s: %d series have no past", query, strange)
	}
}

// everywhere checks the notice where it is not a header.
func (s *shown) everywhere() {
	s.t.Helper()
	s.until("planned", func() bool { // which needs the look over days that follows the past; until then the answer is "not yet"
		code, _ := s.get("/api/v1/plan")
		return code == http.StatusOK
	})
	for path, want := range map[string]string{
		"/": `role="note">` + Notice, "/api/v1/fleet": `{"notice":"` + Notice, "/api/v1/plan": `{"notice":"` + Notice,
		"/metrics": "\nnasight_simulated 1\n", "/page.css": "banner", "/-/healthy": "healthy", "/-/none": "",
	} {
		if _, body := s.get(path); !strings.Contains(body, want) {
			s.t.Errorf("%s lacks %q", path, want)
		}
	}
}

// A part of the fleet shows all that the whole does, and is there sooner.
func TestDemoOfAPart(t *testing.T) {
	s := show(t, Options{reduce: part([]string{"import-1", "session-1", "session-2", "desk-5", "desk-6"}, []string{"client-files", "manual-idle"}, []string{"office", "warehouse"})})
	s.until("ready", s.ready)
	s.everywhere()
	s.weeks()
	for _, want := range []detectors.Finding{
		{Detector: detectors.ServerUnresponsive, Variant: detectors.VariantStalled, Resource: fleet.Resource{Host: "session-1"}},
		{Detector: detectors.ClientBound, Variant: detectors.VariantSingleThread, Resource: fleet.Resource{Host: "import-1"}},
		{Detector: detectors.SMBMultichannel, Variant: detectors.VariantPenalty, Resource: fleet.Resource{Host: "desk-5"}},
	} {
		s.until(want.Name().String()+" of "+want.Resource.Host, func() bool {
			return slices.ContainsFunc(s.findings(), func(f detectors.Finding) bool {
				return f.Name() == want.Name() && f.Resource.Host == want.Resource.Host
			})
		})
	}
	for _, found := range s.findings() {
		if slices.Contains([]string{"session-2", "desk-6"}, found.Resource.Host) {
			t.Errorf("%s of a healthy host: %+v", found.Name(), found.Resource)
		}
	}
}

func TestDemoRefuses(t *testing.T) {
	for _, speed := range []float64{0, -1, MaxSpeed + 1} {
		if err := Run(t.Context(), Options{Speed: speed}); err == nil {
			t.Errorf("speed %g: no error", speed)
		}
	}
}

// hostTruth is what is true of hosts, each with its healthy neighbour.
func hostTruth() map[detectors.Name][2]string {
	name := func(detector, variant string) detectors.Name {
		return detectors.Name{Detector: detector, Variant: variant}
	}
	return map[detectors.Name][2]string{
		name(detectors.SessionSaturated, detectors.VariantSlots):        {"build-1", "build-2"},
		name(detectors.SessionSaturated, detectors.VariantSessionSlots): {"notebook-1", "notebook-2"},
		name(detectors.SessionSaturated, detectors.VariantFlow):         {"editing-1", "editing-2"},
		name(detectors.SessionSaturated, detectors.VariantCPU):          {"metrics-1", "metrics-2"},
		name(detectors.SessionSaturated, detectors.VariantSkew):         {"ledger-1", "ledger-2"},
		name(detectors.ClientBound, detectors.VariantPlacement):         {"mirror-1", "mirror-2"},
		name(detectors.ClientBound, detectors.VariantSingleThread):      {"import-1", "import-2"},
		name(detectors.ServerLatency, detectors.VariantServer):          {"query-1", "query-2"},
		name(detectors.ServerUnresponsive, detectors.VariantStalled):    {"session-1", "session-2"},
		name(detectors.ClientBound, detectors.VariantNetwork):           {"training-1", "training-2"},
		name(detectors.ClientBound, detectors.VariantCPU):               {"report-1", "report-2"},
		name(detectors.MetadataHeavy, detectors.VariantShare):           {"source-1", "source-2"},
		name(detectors.SMBMultichannel, detectors.VariantMissing):       {"desk-1", "desk-4"},
		name(detectors.SMBMultichannel, detectors.VariantTooFew):        {"desk-2", "desk-4"},
		name(detectors.SMBMultichannel, detectors.VariantTooMany):       {"desk-3", "desk-4"},
		name(detectors.SMBMultichannel, detectors.VariantPenalty):       {"desk-5", "desk-6"},
		name(detectors.SMBMultichannel, detectors.VariantHotFile):       {"web-1", "web-2"},
	}
}

// notShown are the names that the fleet does not show; docs/demo.md says why.
func notShown() []string {
	return []string{
		"session_saturated/sender", "hard_limit/handles", "hard_limit/file",
	}
}

// Every name that a finding can have is planted, or known not to be.
func TestEveryFindingIsPlanted(t *testing.T) {
	described, err := Fleet()
	if err != nil {
		t.Fatal(err)
	}
	planted := map[string]bool{"client_bound/slot_budget": true}
	for name := range hostTruth() {
		planted[name.String()] = true
	}
	for _, row := range described.Truth.Findings {
		planted[row.Detector+"/"+row.Variant] = true
	}
	for _, name := range detectors.Names() {
		if known := slices.Contains(notShown(), name.String()); known == planted[name.String()] {
			t.Errorf("%s: planted %t, listed as not shown %t", name, planted[name.String()], known)
		}
	}
}

func of(planted model.Planted) func(detectors.Finding) bool {
	return func(f detectors.Finding) bool {
		r := f.Resource
		return f.Detector == planted.Detector && f.Variant == planted.Variant && r.Project == planted.Project &&
			r.Location == planted.Location && r.Pool == planted.Pool && r.Volume == planted.Volume
	}
}

// The whole fleet: everything planted is found at first sight, and nothing of its neighbours.
func TestDemo(t *testing.T) {
	if raceDetector || testing.Short() {
		t.Skip("takes minutes of processor time with the race detector; a part of it runs in TestDemoOfAPart")
	}
	began := time.Now()
	before, _ := measure.Processor()
	s := show(t, Options{})
	for !s.ready() {
		if time.Since(began) > 6*time.Minute { // the package's tests have ten
			t.Fatal("not ready after six minutes")
		}
		time.Sleep(time.Second)
	}
	used, _ := measure.Processor()
	memory, _ := measure.Memory("RssAnon")
	t.Logf("ready after %s, %s of the processors, %d MiB of anonymous memory", time.Since(began).Round(time.Second), used-before, memory>>20)
	described, err := Fleet()
	if err != nil {
		t.Fatal(err)
	}
	s.until("all found", func() bool { return len(s.missing(described)) == 0 || t.Context().Err() != nil })
	s.weeks()
	s.everywhere()
	found := s.findings()
	for _, healthy := range described.Truth.Healthy {
		if slices.ContainsFunc(found, of(healthy)) {
			t.Errorf("%s/%s of the healthy %s/%s", healthy.Detector, healthy.Variant, healthy.Pool, healthy.Volume)
		}
	}
	for _, f := range found {
		if f.Detector == detectors.Anomaly && strings.HasSuffix(f.Resource.Volume, "-next") {
			t.Errorf("%s of the healthy volume %s", f.Name(), f.Resource.Volume)
		}
		if r := f.Resource; r.Host != "" && !slices.ContainsFunc(sick(), func(host string) bool { return host == r.Host }) {
			t.Errorf("%s of the healthy host %s", f.Name(), r.Host)
		}
	}
	if memory, err := measure.Memory("RssAnon"); err == nil && memory > 500<<20 {
		t.Errorf("%d MiB of anonymous memory", memory>>20)
	}
}

// sick are the hosts that something is planted on: at the start, or by an incident.
func sick() []string {
	hosts := []string{"tiles-1", "import-2", "report-2", "query-2"}
	for _, pair := range hostTruth() {
		hosts = append(hosts, pair[0])
	}
	return hosts
}

// missing is what is planted and not found.
func (s *shown) missing(described *model.Fleet) (names []string) {
	found := s.findings()
	for _, planted := range described.Truth.Findings {
		there := slices.ContainsFunc(found, of(planted))
		if planted.Detector == detectors.Anomaly && planted.Variant == detectors.VariantSpike {
			s.spiked = s.spiked || there // it ends by itself, and others may take their time
			there = s.spiked
		}
		if !there {
			names = append(names, fmt.Sprintf("%s/%s of %s/%s", planted.Detector, planted.Variant, planted.Pool, planted.Volume))
		}
	}
	for name, pair := range hostTruth() {
		if !slices.ContainsFunc(found, func(f detectors.Finding) bool { return f.Name() == name && f.Resource.Host == pair[0] }) {
			names = append(names, fmt.Sprintf("%s of %s", name, pair[0]))
		}
	}
	if !slices.ContainsFunc(found, func(f detectors.Finding) bool {
		return f.Variant == detectors.VariantSlotBudget && f.Resource.Project == "example-files"
	}) {
		names = append(names, "slot budget of example-files")
	}
	if len(names) > 0 {
		s.t.Logf("not found yet: %s", strings.Join(names, ", "))
	}
	return names
}
