package plan

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

// viewOfPools is a view of two pools with manual QoS of one project, and one automatic of another.
func viewOfPools() *fleet.Fleet {
	a, b, c := viewPool("a", "manual"), viewPool("b", "manual"), viewPool("c", "auto")
	c.Identity.Project = "other-example"
	for _, pool := range []*fleet.Pool{a, b, c} {
		pool.Volumes = []*fleet.Volume{}
		viewVolume(pool, "quiet-"+pool.Identity.Pool, 300, 10)
		viewVolume(pool, "busy-"+pool.Identity.Pool, 200, 180)
		for _, volume := range pool.Volumes {
			volume.Of = pool
		}
	}
	return &fleet.Fleet{Pools: []*fleet.Pool{a, b, c}}
}

func ask(t *testing.T, query string) (*Answer, error) {
	t.Helper()
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	settings := detectors.DefaultSettings()
	request, err := NewRequest(settings).Query(values)
	if err != nil {
		return nil, err
	}
	return request.Answer(viewOfPools(), settings)
}

func TestRequestChoosesPools(t *testing.T) {
	for query, want := range map[string][]string{
		"":                                  {"a", "b"},
		"project=files-example":             {"a", "b"},
		"project=other-example":             nil,
		"pool=b":                            {"b"},
		"pool=c":                            {"c"}, // refused, with the reason
		"pool=europe-west3/a":               {"a"},
		"pool=files-example/europe-west3/a": {"a"},
		"pool=c&project=other-example":      {"c"},
		"floor=8&floor=busy-a=100&protect=quiet-b&headroom=1.5&reserve=0&failover_ready=true": {"a", "b"},
	} {
		answer, err := ask(t, query)
		if err != nil {
			t.Errorf("%q: %v", query, err)
			continue
		}
		var got []string
		for _, one := range answer.Pools {
			got = append(got, one.Pool)
		}
		if !slices.Equal(got, want) || answer.Pools == nil {
			t.Errorf("%q plans %v, want %v", query, got, want)
		}
	}
}

func TestRequestTakesWishes(t *testing.T) {
	answer, err := ask(t, "floor=8&floor=busy-a=250&protect=files-example/europe-west3/quiet-a&headroom=1.5&reserve=0&failover_ready=true&pool=a")
	if err != nil {
		t.Fatal(err)
	}
	options, volumes := answer.Pools[0].Options, answer.Pools[0].Volumes
	if options.Headroom != 1.5 || options.Reserve != 0 || options.FloorMiBps != 8 || !options.FailoverReady || options.MinCoverage != 0.8 {
		t.Errorf("options %+v", options)
	}
	if volumes[0].LowerBy != byProtected || volumes[0].Lower != 300 || volumes[1].Lower < 250 {
		t.Errorf("volumes %+v", volumes)
	}
	settings := detectors.DefaultSettings()
	settings.Pool.Headroom, settings.MinimumCoverage = 1.3, 0.9
	if request := NewRequest(settings); request.Headroom != 1.3 || request.leastCoverage != 0.9 || request.Check() != nil {
		t.Errorf("the detectors' settings are not taken: %+v", request)
	}
}

func TestWrongRequests(t *testing.T) {
	for query, want := range map[string]struct {
		says    string
		missing bool
	}{
		"pool=none":                    {"pool=none: no such pool among 3; with manual QoS: europe-west3/a, europe-west3/b", true},
		"pool=":                        {"pool=: write a name", false},
		"pool=c&project=files-example": {"pool=c: no such pool among 2", true},
		"project=nobody":               {"project=nobody: no pool of such a project is known; there are files-example, other-example", true},
		"pool=a&pool=b":                {"pool=b: given more than once", false},
		"headroom=lots":                {"headroom=lots: write a number", false},
		"headroom=0.5":                 {"headroom is 0.5", false},
		"headroom=NaN":                 {"write a number in plain digits", false},
		"reserve=2":                    {"reserve is 2", false},
		"floor=x=y":                    {"floor=x=y: write MIBPS or VOLUME=MIBPS", false},
		"floor=0":                      {"floor=0: write", false},
		"floor=nobody=8":               {"floor=nobody=8: no such volume", false},
		"protect=nobody":               {"protect=nobody: no such volume", false},
		"failover_ready=maybe":         {"failover_ready=maybe: write true or false", false},
	} {
		_, err := ask(t, query)
		var wrong *RequestError
		if err == nil || !strings.Contains(err.Error(), want.says) || strings.Contains(err.Error(), "\n") || (errors.As(err, &wrong) && wrong.Missing) != want.missing {
			t.Errorf("%q: %v, want %q, missing %v", query, err, want.says, want.missing)
		}
	}
}

// Days of data are in the JSON, and no pool is an empty list and not null.
func TestAnswerAsJSON(t *testing.T) {
	for query, want := range map[string]string{"pool=a": `"days_of_data":7`, "project=other-example": `"pools":[]`} {
		answer, err := ask(t, query)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := json.Marshal(answer); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%q: %s, %v, want %s", query, text, err, want)
		}
	}
}

func FuzzQuery(f *testing.F) {
	for _, query := range []string{"", "pool=a&floor=8&floor=a=9", "headroom=1e999", "reserve=-0", "failover_ready=1", "floor==", "pool=%00"} {
		f.Add(query)
	}
	settings := detectors.DefaultSettings()
	f.Fuzz(func(t *testing.T, text string) {
		query, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		request, err := NewRequest(settings).Query(query)
		if err != nil {
			return
		}
		answer, err := request.Answer(viewOfPools(), settings)
		var wrong *RequestError
		if err != nil && !errors.As(err, &wrong) {
			t.Fatalf("%q: %v", text, err)
		}
		if err == nil && len(answer.Pools) > 3 {
			t.Fatalf("%q plans %d pools", text, len(answer.Pools))
		}
	})
}
