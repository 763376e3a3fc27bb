package serve

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nasight/nasight/agent"
	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/export"
)

// The two tests below take the recorded 20 seconds in real time: three moments about 10 s apart, each shown until the
// next. They run in parallel.

// play shows the moments of a capture as they were recorded and returns after the last was put in place.
func play(t *testing.T, host *recorded) {
	t.Helper()
	clock := time.NewTicker(10 * time.Second)
	defer clock.Stop()
	for _, moment := range []string{"t1", "t2"} {
		<-clock.C
		host.show(t, moment)
	}
}

// findingsOf asks the API for the findings of a detector that fire.
func findingsOf(t *testing.T, r *running, detector string) []detectors.Finding {
	t.Helper()
	code, body := r.get(t, "/api/v1/findings?state=firing&detector="+detector)
	var answer findingsAnswer
	if err := json.Unmarshal([]byte(body), &answer); err != nil || code != http.StatusOK {
		t.Fatalf("status %d, error %v: %s", code, err, body)
	}
	return answer.Findings
}

func TestSaturatedSessionIsFoundAndSurvivesARestart(t *testing.T) {
	t.Parallel()
	host := &recorded{directory: capture(t, saturated)}
	host.show(t, "t0")
	cfg := testConfig(t, host.host("app1"))
	server := start(t, Options{Config: cfg, Build: testBuild})
	play(t, host)

	server.awaitPage(t, "/metrics", `nasight_finding{cloud="",detector="session_saturated"`, patience)
	found := findingsOf(t, server, detectors.SessionSaturated)
	if len(found) != 1 || found[0].Variant != detectors.VariantFlow || found[0].Resource.Host != "app1" {
		t.Fatalf("found %+v, want one session_saturated/flow of app1", found)
	}
	_, page := server.get(t, "/")
	for _, want := range []string{"/srv/vol1", "session_saturated / flow", "1.2.3-test", "nconnect"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if code, body := server.get(t, "/-/ready"); code != http.StatusOK {
		t.Errorf("not ready: %s", body)
	}
	for path, want := range map[string]string{
		"/metrics?collect[]=findings":                      "nasight_finding_severity",
		"/api/v1/fleet":                                    `"lowest_rtt":`,
		"/api/v1/query?query=nasight_finding":              `"variant":"flow"`,
		"/api/v1/query?query=nasight_nfs_read_bytes_total": `"export":"/srv/vol1"`,
	} {
		if code, body := server.get(t, path); code != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: status %d without %q: %.300s", path, code, want, body)
		}
	}
	server.stop()

	again := start(t, Options{Config: cfg, Build: testBuild})
	again.awaitPage(t, "/metrics", `nasight_finding{cloud="",detector="session_saturated"`, patience)
	for _, finding := range again.evaluator.latest.Load().Findings {
		if finding.ID == found[0].ID && !finding.Since.Equal(found[0].Since) {
			t.Errorf("since %s after the restart, was %s", finding.Since, found[0].Since)
		}
	}
}

func TestAgentsHostIsJudgedToo(t *testing.T) {
	t.Parallel()
	server := start(t, Options{Config: testConfig(t), Build: testBuild})
	host := &recorded{directory: capture(t, saturated)}
	host.show(t, "t0")
	ctx, cancel := contextOf(t)
	var running sync.WaitGroup
	running.Go(func() {
		err := agent.Run(ctx, agent.Config{
			Host: "far1", Build: testBuild, Paths: pathsOf(host.host("far1")), Entries: list.Entries(), Interval: time.Second,
			Listen: "127.0.0.1:0", Push: export.PusherConfig{URL: server.base + "/api/v1/write"}, Logger: server.log,
		})
		if err != nil {
			t.Errorf("agent: %v", err)
		}
	})
	defer func() { cancel(); running.Wait() }()
	play(t, host)

	body := server.awaitPage(t, "/metrics", `detector="session_saturated"`, patience)
	if !strings.Contains(body, `host="far1"`) {
		t.Errorf("no finding of the agent's host:\n%s", body)
	}
	if _, page := server.get(t, "/"); !strings.Contains(page, `<td>far1</td><th scope="row">tcp</th><td>ok</td>`) {
		t.Errorf("the page lacks the agent's collectors:\n%s", page)
	}
	if strings.Contains(body, "nasight_nfs_read_bytes_total") {
		t.Error("the agent's samples are exposed a second time: whoever scrapes both would count twice")
	}
}
