package serve

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/plan"
)

// planner is a server that has evaluated a view, or nothing yet.
func planner(view *fleet.Fleet, cloud bool) *Server {
	cfg := config.Default()
	if cloud {
		cfg.GCNV.Projects = []string{"files-example"}
	}
	s := &Server{evaluator: &evaluator{}, log: slog.New(slog.DiscardHandler)}
	s.config.Store(&cfg)
	if view != nil {
		s.evaluator.latest.Store(&evaluation{At: view.At, Fleet: view, Settings: detectors.DefaultSettings()})
	}
	return s
}

func viewToPlan(days time.Time) *fleet.Fleet {
	identity := fleet.Resource{Cloud: "gcp", Service: "gcnv", Project: "files-example", Location: "europe-west3", Pool: "pool-a"}
	pool := &fleet.Pool{Identity: identity, QoS: "manual", Total: 512 << 20, Available: fleet.Unknown}
	for name, used := range map[string]fleet.Value{"quiet": 10, "busy": 240} {
		id := identity
		id.Volume = name
		pool.Volumes = append(pool.Volumes, &fleet.Volume{Identity: id, Of: pool, Assigned: 256 << 20, Limit: fleet.Unknown, Days: fleet.VolumeDays{
			Coverage: 1, Full: true, P99: used * (1 << 20), P95: used * (1 << 20), Max: used * (1 << 20), Before: used * (1 << 20), Latency: fleet.Unknown,
		}})
	}
	return &fleet.Fleet{At: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Pools: []*fleet.Pool{pool}, DaysAt: days}
}

func askPlan(t *testing.T, s *Server, query string) *httptest.ResponseRecorder {
	t.Helper()
	recorder := httptest.NewRecorder()
	s.plans(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/plan?"+query, nil))
	return recorder
}

func TestPlanOverHTTP(t *testing.T) {
	view := viewToPlan(time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC))
	got := askPlan(t, planner(view, true), "pool=pool-a&floor=32&protect=busy")
	var answer plan.Answer
	if err := json.Unmarshal(got.Body.Bytes(), &answer); err != nil || got.Code != http.StatusOK {
		t.Fatalf("%d: %v in %s", got.Code, err, got.Body)
	}
	if len(answer.Pools) != 1 || answer.Pools[0].Status != plan.Proposed || !answer.At.Equal(view.At) || answer.Pools[0].Days != 7 {
		t.Errorf("answer %s", got.Body)
	}
	// The command line makes the same of the same view.
	settings := detectors.DefaultSettings()
	request := plan.NewRequest(settings)
	request.Pool, request.Floors, request.Protect = "pool-a", []string{"32"}, []string{"busy"}
	made, err := request.Answer(view, settings)
	if err != nil {
		t.Fatal(err)
	}
	if want, err := json.Marshal(made); err != nil || string(want)+"\n" != got.Body.String() {
		t.Errorf("the API says\n%s, the function\n%s, %v", got.Body, want, err)
	}
}

func TestPlanSaysWhyNot(t *testing.T) {
	now := time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC)
	for name, row := range map[string]struct {
		server *Server
		query  string
		code   int
		says   string
	}{
		"before the first evaluation": {planner(nil, true), "", 503, "nothing has been evaluated yet"},
		"before the look over days":   {planner(viewToPlan(time.Time{}), true), "", 503, "no look over the volumes' days"},
		"before the inventory":        {planner(&fleet.Fleet{}, true), "", 503, "reading of the inventory is pending"},
		"without a cloud":             {planner(&fleet.Fleet{}, false), "", 503, "set gcnv"},
		"unknown pool":                {planner(viewToPlan(now), true), "pool=none", 404, "pool=none: no such pool among 1; with manual QoS: europe-west3/pool-a"},
		"unknown project":             {planner(viewToPlan(now), true), "project=none", 404, "project=none"},
		"unknown parameter":           {planner(viewToPlan(now), true), "pol=none", 400, `unknown parameter \"pol\"`},
		"a headroom that is none":     {planner(viewToPlan(now), true), "headroom=0.5", 400, "headroom is 0.5"},
		"a floor that is none":        {planner(viewToPlan(now), true), "floor=lots", 400, "floor=lots"},
		"a volume that is none":       {planner(viewToPlan(now), true), "protect=nobody", 400, "protect=nobody"},
		"no query":                    {planner(viewToPlan(now), true), "pool=%zz", 400, "cannot be read"},
		"wrong before it is early":    {planner(nil, true), "reserve=x", 400, "reserve=x"},
	} {
		got := askPlan(t, row.server, row.query)
		if got.Code != row.code || !strings.Contains(got.Body.String(), row.says) || strings.Count(got.Body.String(), "\n") != 1 {
			t.Errorf("%s: %d %s, want %d and %q", name, got.Code, got.Body, row.code, row.says)
		}
		if after := got.Header().Get("Retry-After"); (after != "") != (row.code == http.StatusServiceUnavailable) {
			t.Errorf("%s: Retry-After %q", name, after)
		}
	}
}

// The path is there on a real server, and is for reading.
func TestPlanRoute(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.Hosts = nil
	server := start(t, Options{Config: cfg, Build: testBuild})
	server.awaitPage(t, "/api/v1/plan", "no cloud is read", patience)
	if code, body := request(t, http.MethodPost, server.base+"/api/v1/plan"); code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d %s", code, body)
	}
}
