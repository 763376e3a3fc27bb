package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/diagnose"
	"github.com/nasight/nasight/fleet"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func get(t *testing.T, page Page, path string) *httptest.ResponseRecorder {
	t.Helper()
	handler, err := NewHandler(func(*http.Request) Page { return page }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	recorder := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(context.Background(), http.MethodGet, path, nil)
	handler.ServeHTTP(recorder, request)
	return recorder
}

func body(t *testing.T, page Page) string {
	t.Helper()
	recorder := get(t, page, "/")
	if recorder.Code != http.StatusOK {
		t.Fatalf("status %d: %s", recorder.Code, recorder.Body)
	}
	return recorder.Body.String()
}

func wants(t *testing.T, page string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	if t.Failed() {
		t.Log(page)
	}
}

func busyMount() *fleet.Mount {
	return &fleet.Mount{
		Host: "app1", Server: "192.0.2.10", ServerName: "files.example.com", Export: "/vol1", Protocol: "nfs", Version: "3",
		MountPoints: []string{"/mnt/a", "/mnt/b c"},
		Classes:     map[string]fleet.Class{"read": {Rate: 100, RTT: 0.04, Execute: 0.04}},
		Samples:     4, ReadRate: 6.5 * (1 << 20), WriteRate: fleet.Unknown,
	}
}

func busyPage() Page {
	mount := busyMount()
	endpoint := &fleet.Endpoint{Host: "app1", Server: "192.0.2.10", Protocol: "nfs", SessionCount: 1, Mounts: []*fleet.Mount{mount}}
	client := &fleet.Client{Host: "app1", Coverage: 1, Mounts: []*fleet.Mount{mount}, Endpoints: []*fleet.Endpoint{endpoint}}
	return Page{
		Version: "1.2.3", Settings: detectors.DefaultSettings(), Now: noon, EvaluatedAt: noon.Add(-20 * time.Second),
		Fleet: &fleet.Fleet{At: noon, Window: time.Minute, Clients: []*fleet.Client{client}},
		Findings: []detectors.Finding{{
			ID: "f1", Detector: "session_saturated", Variant: "flow", Severity: detectors.Warning, Confidence: 0.75,
			State: detectors.Firing, Since: noon.Add(-time.Hour),
			Resource: fleet.Resource{Host: "app1", Server: "192.0.2.10", Protocol: "nfs"},
			Summary:  "one session carries everything",
			Evidence: []detectors.Evidence{
				{Name: "session_rtt", Value: 0.4021, Unit: "seconds", Threshold: ">= 0.25", Window: "1m0s", Query: `max(x{host="app1"})`},
				{Name: "ceiling", Value: fleet.Unknown, Unit: "bytes per second"},
			},
			Gain:      &detectors.Gain{Low: 1, High: 3.8, Unit: "factor", Model: "soft contention"},
			Remedy:    []detectors.Remedy{{What: "Mount again", Command: "umount /mnt/a && mount -o nconnect=4", Caveat: "interrupts users"}},
			BlockedBy: nil,
		}},
		Collectors: []Collector{
			{Host: "app1", Name: "nfs", Outcome: "ok", Success: true, Ran: true, Duration: 3 * time.Millisecond, LastSuccess: noon.Add(-5 * time.Second)},
			{Host: "app1", Name: "tcp", Outcome: "permission denied", Ran: true, LastSuccess: noon.Add(-time.Hour)},
			{Host: "app1", Name: "nic", Outcome: "first run pending"},
		},
	}
}

func TestPageShowsMountsFindingsAndCollectors(t *testing.T) {
	wants(t, body(t, busyPage()),
		"1.2.3", "20 s ago", "192.0.2.10 (files.example.com)", "/vol1", "<code>/mnt/a</code>, <code>/mnt/b c</code>",
		"6.5 MiB/s", "not known", "<td>active</td>", "<td>sessions</td>", `<a href="#f1">f1</a>`, `id="f1"`,
		"402 ms", "≥ 250 ms", "1 to 3.8 times", "umount /mnt/a &amp;&amp; mount -o nconnect=4", "interrupts users", "75 %",
		"2026-11-30 11:00:00 UTC", "Collectors (3, 1 failing)", "first run pending", "<strong>failed:</strong> permission denied", "1 h ago",
	)
}

func TestPageWithoutMountsSaysWhatToDo(t *testing.T) {
	page := Page{Now: noon, EvaluatedAt: noon, Fleet: &fleet.Fleet{Clients: []*fleet.Client{{Host: "app1"}}}}
	wants(t, body(t, page), "No network mount seen on 1 host.", "Mount an NFS export", "No finding, and nothing to judge", "Mounts (0)")
}

func TestPageBeforeTheFirstEvaluation(t *testing.T) {
	page := Page{Now: noon, NotReady: []string{"first run of nfs on app1 pending"}}
	wants(t, body(t, page), "Nothing evaluated yet", "Not ready", "first run of nfs on app1 pending", "No collector runs here")
}

func TestPageEscapesEverything(t *testing.T) {
	const evil = `"><script>alert(1)</script>`
	page := busyPage()
	mount := page.Fleet.Clients[0].Mounts[0]
	mount.Host, mount.Export, mount.ServerName, mount.MountPoints = evil, evil, evil, []string{evil}
	finding := &page.Findings[0]
	finding.ID, finding.Summary, finding.Resource = evil, evil, fleet.Resource{Host: evil, Export: evil, Server: mount.Server}
	finding.Remedy = []detectors.Remedy{{What: evil, Command: evil, Caveat: evil}}
	finding.Evidence = []detectors.Evidence{{Name: evil, Unit: evil, Threshold: evil, Window: evil, Query: evil}}
	finding.BlockedBy = []string{"javascript:alert(1)", evil}
	page.NotReady = []string{evil}
	page.Collectors = []Collector{{Host: evil, Name: evil, Outcome: evil}}
	page.Version = evil
	text := body(t, page)
	if strings.Contains(text, "<script") || strings.Contains(text, `""><`) {
		t.Errorf("HTML from outside is not escaped:\n%s", text)
	}
}

func TestPageHeaders(t *testing.T) {
	for _, path := range []string{"/", "/page.css"} {
		header := get(t, busyPage(), path).Header()
		if csp := header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: content security policy %q", path, csp)
		}
		if header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s may be sniffed", path)
		}
	}
	style := get(t, busyPage(), "/page.css")
	wants(t, style.Body.String(), "scheme: dark")
	if code := get(t, busyPage(), "/other").Code; code != http.StatusNotFound {
		t.Errorf("unknown path: status %d, want 404", code)
	}
}

// brokenWriter stands for a client that has left.
type brokenWriter struct{ http.ResponseWriter }

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("gone") }

func TestPageToAClientThatLeft(t *testing.T) {
	handler, err := NewHandler(func(*http.Request) Page { return busyPage() }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(brokenWriter{recorder}, httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/", nil))
	if recorder.Body.Len() != 0 {
		t.Errorf("%d bytes went to a client that left", recorder.Body.Len())
	}
}

func TestMountRow(t *testing.T) {
	page := busyPage()
	client := page.Fleet.Clients[0]
	blocked, elsewhere, over := page.Findings[0], page.Findings[0], page.Findings[0]
	blocked.ID, blocked.Detector, blocked.Variant, blocked.BlockedBy = "f0", "server_latency", "server", []string{"f1"}
	elsewhere.ID, elsewhere.Resource.Host = "f9", "other"
	over.ID, over.State = "f8", detectors.Resolved
	page.Findings = []detectors.Finding{elsewhere, over, blocked, page.Findings[0]}
	row := newView(page).Mounts[0]
	if row.State != detectors.StateActive || row.Binding != diagnose.StepSessions || row.Sessions != 1 {
		t.Errorf("state %s, bound at %q, %v sessions", row.State, row.Binding, row.Sessions)
	}
	if diff := cmp.Diff([]string{"f0", "f1"}, row.Findings); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	client.Coverage = 0.5
	if row := newView(page).Mounts[0]; row.State != detectors.StateThin {
		t.Errorf("half of the reads: state %s, want %s", row.State, detectors.StateThin)
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		3 * time.Millisecond: "3ms", 59 * time.Second: "59 s", 119 * time.Second: "1 min", 25 * time.Hour: "25 h", 72 * time.Hour: "3 days",
	} {
		if got := short(d); got != want {
			t.Errorf("short(%s) = %q, want %q", d, got, want)
		}
	}
	if got := ago(noon, time.Time{}); got != "never" {
		t.Errorf("ago of no time = %q", got)
	}
	if got := ago(noon, noon.Add(time.Minute)); got != "0s ago" {
		t.Errorf("ago of a moment ahead = %q", got)
	}
}
