package evaluate

import (
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
)

func TestParseScenario(t *testing.T) {
	text := without(limited, "HOSTS") + `- detector: hard_limit
  variant: capacity
  resource: {pool: pool-1}
  cause: growth
  from: 15s
  to: 45m
  limit_at: 10h
`
	s := parsed(t, "start: 2026-03-01T22:00:00Z\nseed: 7\nnoise: 0\ncause: limit\npast: 24h\n"+text)
	if s.Seed != 7 || s.Noise != 0 || s.Past != 24*time.Hour || s.Start.Hour() != 22 || s.Duration != 90*time.Minute {
		t.Errorf("%+v", s)
	}
	if len(s.Changes) != 1 || s.Changes[0].At != 30*time.Minute {
		t.Fatalf("changes %+v", s.Changes)
	}
	before, after := s.Fleet.Projects[0].Pools[0].Volumes[0], s.Changes[0].Fleet.Projects[0].Pools[0].Volumes[0]
	if before.Load.ReadMiBps != 20 || after.Load.ReadMiBps != 300 || after.ThroughputMiBps != 100 {
		t.Errorf("volume before %+v, after %+v", before, after)
	}
	first, second := s.Truths[0], s.Truths[1]
	if first.From != 30*time.Minute || first.To != 90*time.Minute || first.Limit != nil || first.Resource != (fleet.Resource{Pool: "pool-1", Volume: "home"}) {
		t.Errorf("first truth %+v", first)
	}
	if second.From != 15*time.Second || second.To != 45*time.Minute || *second.Limit != 10*time.Hour || second.Cause != "growth" {
		t.Errorf("second truth %+v", second)
	}
	plain := parsed(t, without(limited, "HOSTS"))
	if plain.Noise != 0.05 || !plain.Start.Equal(defaultStart()) {
		t.Errorf("defaults %+v", plain)
	}
}

// Each row replaces something of a good scenario by something wrong.
func TestScenarioErrors(t *testing.T) {
	good := without(limited, "HOSTS")
	const truth = "- {detector: limit_reached, variant: throughput, resource: {pool: pool-1, volume: home}, from: 30m}"
	for _, row := range []struct{ old, text, want string }{
		{"duration: 90m", "duration: 90m\ndurations: 1h", "test.yml:5: durations: no such setting; did you mean duration?"},
		{"service_level", "service_level_", "test.yml:12: projects[0].pools[0].service_level_: no such setting; did you mean service_level?"},
		{"from: 30m", "from: 30m, form: 1m", "test.yml:20: truth[0].form: no such setting; did you mean from?"},
		{"set: {load: {read_mibps: 300}}", "set: {laod: {read_mibps: 300}}", "test.yml:18: projects[0].pools[0].volumes[0].laod: no such setting; did you mean load?"},
		{"name: volume-at-its-limit", "name: Volume at its limit", "test.yml:2: name: "},
		{"about: Clients ask for more of a volume than its limit.", "about: ' '", "test.yml:3: about: is empty"},
		{"duration: 90m", "duration: 0s", "test.yml:4: duration: 0s is out of range: 1m0s to 336h0m0s in steps of 15s"},
		{"duration: 90m", "duration: 90m1s", "test.yml:4: duration: "},
		{"duration: 90m", "duration: long", `test.yml:4: duration: "long" is no length of time`},
		{"duration: 90m", "duration: 90m\npast: -1h", "test.yml:5: past: "},
		{"duration: 90m", "duration: 90m\nnoise: 0.6", "test.yml:5: noise: 0.6 is out of range: 0 to 0.5"},
		{"duration: 90m", "duration: 90m\nnoise: .nan", "test.yml:5: noise: .nan is no number to reckon with"},
		{"duration: 90m", "duration: 90m\nseed: -1", "test.yml:5: "},
		{"duration: 90m", "duration: 90m\ncause: two words", "test.yml:5: cause: "},
		{"duration: 90m", "duration: 90m\nstart: monday", `test.yml:5: start: "monday" is no moment`},
		{"duration: 90m", "duration: 90m\nstart: 2026-01-05T08:00:15Z", "test.yml:5: "},
		{"duration: 90m", "duration: 90m\ntwin: volume-at-its-limit", "test.yml:5: twin: the scenario is its own twin"},
		{"duration: 90m", "duration: 90m\ntwin: other", "test.yml:5: twin: a scenario with truths"},
		{"duration: 90m", "duration: 90m\nduration: 80m", "test.yml:5: "},
		{"  projects:", "  hosts: []\n  projects:", "test.yml:6: fleet.hosts: there is no client"},
		{"throughput_mibps: 100", "throughput_mibps: -1", "test.yml:16: fleet.projects[0].pools[0].volumes[0].throughput_mibps: "},
		{"read_mibps: 300", "read_mibps: -300", "test.yml:18: changes[0]: makes projects[0].pools[0].volumes[0].load.read_mibps: "},
		{"at: 30m, project", "at: 90m, project", "test.yml:18: changes[0].at: 1h30m0s is out of range"},
		{"at: 30m, project", "at: 0s, project", "test.yml:18: changes[0].at: 0s is out of range"},
		{"volume: home, set", "volume: hame, set", `test.yml:18: changes[0]: there is no "hame" in the fleet's volumes`},
		{"project: example-project, pool", "pool", `test.yml:18: changes[0]: names "pool-1" without what holds it`},
		{"project: example-project, pool: pool-1, volume: home, ", "", "test.yml:18: changes[0]: names nothing"},
		{"project: example-project, pool", "host: web-1, project: example-project, pool", "test.yml:18: changes[0]: names two things"},
		{"set: {load: {read_mibps: 300}}", "set: {}", "test.yml:18: changes[0]: sets nothing"},
		{"set: {load: {read_mibps: 300}}", "set: 3", "test.yml:18: changes[0]: sets nothing"},
		{", set: {load: {read_mibps: 300}}", "", "test.yml:18: changes[0]: sets nothing"},
		{"variant: throughput", "variant: speed", `test.yml:20: truth[0].variant: there is no detector "limit_reached" with a variant "speed"`},
		{"detector: limit_reached", "detector: limits", "test.yml:20: truth[0].variant: "},
		{"resource: {pool: pool-1, volume: home}, ", "", "test.yml:20: truth[0].resource: names nothing"},
		{"resource: {pool: pool-1, volume: home}", "resource: {host: web-1}", `test.yml:20: truth[0].resource.host: there is no host "web-1"`},
		{"pool-1, volume: home}, from", "pool-1, volume: hame}, from", `test.yml:20: truth[0].resource.volume: there is no volume "hame" in the fleet`},
		{"resource: {pool: pool-1", "resource: {pool: pool-2", `test.yml:20: truth[0].resource.pool: there is no pool "pool-2"`},
		{"resource: {pool: pool-1", "resource: {project: other, pool: pool-1", `test.yml:20: truth[0].resource.project: there is no project "other"`},
		{"from: 30m", "from: 90m", "test.yml:20: truth[0].from: 1h30m0s is not within the duration"},
		{"from: 30m", "from: -15s", "test.yml:20: truth[0].from: "},
		{"from: 30m", "from: 20s", "test.yml:20: truth[0].from: 20s is no multiple of 15s"},
		{"from: 30m", "from: 30m, to: 91m", "test.yml:20: truth[0].to: 1h31m0s is not within"},
		{"from: 30m", "from: 30m, to: 29m", "test.yml:20: truth[0].to: 29m0s is not after 30m0s"},
		{"from: 30m", "from: 30m, limit_at: 20m", "test.yml:20: truth[0].limit_at: "},
		{"from: 30m", "from: 30m, remedy: [{project: example-project, pool: pool-1, set: {capacity_gib: 50000}}]", "test.yml:20: truth[0].remedy: names no mount"},
		{truth, truth + "\n" + truth, "test.yml:21: truth[1]: overlaps truth[0] of the same limit_reached/throughput and resource"},
		{truth, truth + "\n" + strings.Replace(truth, "pool: pool-1, ", "", 1), "test.yml:21: truth[1]: overlaps truth[0]"},
		{good, "", "test.yml:1: name: "},
		{good, "- a\n- b\n", "test.yml:1: "},
		{good, "name: [\n", "test.yml:1: "},
	} {
		text := strings.Replace(good, row.old, row.text, 1)
		if text == good {
			t.Fatalf("the scenario has no %q", row.old)
		}
		_, err := ParseScenario("test.yml", []byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), row.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s…", row.text, err, row.want)
		}
	}
}

// Two truths of one name may follow each other, and be at one time about two volumes.
func TestTruthsThatDoNotOverlap(t *testing.T) {
	volume := "      - {name: home, "
	good := strings.Replace(without(limited, "HOSTS"), volume, "      - {name: other, capacity_gib: 1024, throughput_mibps: 100, protocols: [NFSV3]}\n"+volume, 1)
	for _, more := range []string{
		"- {detector: limit_reached, variant: throughput, resource: {pool: pool-1, volume: home}, from: 0s, to: 29m}",
		"- {detector: limit_reached, variant: throughput, resource: {pool: pool-1, volume: other}, from: 30m}",
		"- {detector: limit_reached, variant: iops, resource: {pool: pool-1, volume: home}, from: 30m}",
	} {
		if _, err := ParseScenario("test.yml", []byte(good+more+"\n")); err != nil {
			t.Errorf("%s: %v", more, err)
		}
	}
}

func FuzzParseScenario(f *testing.F) {
	f.Add([]byte(limited))
	f.Add([]byte(without(limited, "HOSTS")))
	f.Add([]byte("fleet: &a {hosts: *a}\nchanges: [{set: *a}]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := ParseScenario("f.yml", data)
		if err != nil && (!strings.HasPrefix(err.Error(), "f.yml") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("error %q", err)
		}
	})
}
