package evaluate_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/evaluate"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/simulator/model"
	"github.com/nasight/nasight/simulator/stage"
)

// propertyFiles are of hosts alone, of Google's volumes and of Azure's shares, with several causes each.
func propertyFiles() []string {
	return []string{"mixed/stalled-behind-full-network.yml", "mixed/two-hosts-one-volume.yml", "mixed/throttled-one-thread.yml"}
}

// read reads a scenario anew: what a test changes of it is nobody else's.
func read(t *testing.T, file string) *evaluate.Scenario {
	t.Helper()
	all, err := evaluate.ReadScenarios(filepath.Join("..", "testdata", "scenarios", filepath.Dir(file)))
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(all, func(s *evaluate.Scenario) bool { return filepath.Base(s.File) == filepath.Base(file) })
	if at < 0 {
		t.Fatalf("there is no %s", file)
	}
	return all[at]
}

// findings are what fired in a scenario, by name and resource.
func findings(t *testing.T, s *evaluate.Scenario) []string {
	t.Helper()
	episodes, err := evaluate.Episodes(t.Context(), s, stage.Open)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range episodes {
		found = append(found, fmt.Sprintf("%s of %v", e.Name, e.Resource))
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// What is found depends on neither the seed, nor the order in which hosts are described, nor the unit of time.
func TestWhatDoesNotMatter(t *testing.T) {
	for _, file := range propertyFiles() {
		want := findings(t, read(t, file))
		if len(want) == 0 {
			t.Fatalf("%s: nothing was found", file)
		}
		for _, row := range []struct {
			name   string
			change func(*evaluate.Scenario)
		}{
			{"another seed", func(s *evaluate.Scenario) { s.Seed = 20_260_105 }},
			{"hosts in another order", func(s *evaluate.Scenario) { inAll(s, func(f *model.Fleet) { slices.Reverse(f.Hosts) }) }},
			{"everything twice as fast", func(s *evaluate.Scenario) { inAll(s, twiceAsFast) }},
		} {
			changed := read(t, file)
			row.change(changed)
			if diff := cmp.Diff(want, findings(t, changed)); diff != "" {
				t.Errorf("%s, %s: found (-before +after)\n%s", file, row.name, diff)
			}
		}
	}
}

func inAll(s *evaluate.Scenario, change func(*model.Fleet)) {
	change(s.Fleet)
	for _, c := range s.Changes {
		change(c.Fleet)
	}
}

// twiceAsFast halves every time and doubles every rate and limit. What a description repeats by an alias may be one thing: each
// is changed once.
func twiceAsFast(f *model.Fleet) {
	mounts := map[*model.Mount]bool{}
	for _, h := range f.Hosts {
		h.NetworkMbps, h.OtherMiBps = 2*h.NetworkMbps, 2*h.OtherMiBps
		for _, m := range h.Mounts {
			mounts[m] = true
		}
	}
	for m := range mounts {
		m.Load.ThinkMS /= 2
		m.Way.RTTMS, m.Way.ServiceMS, m.Way.SessionUS, m.Way.ClientUS = m.Way.RTTMS/2, m.Way.ServiceMS/2, m.Way.SessionUS/2, m.Way.ClientUS/2
		m.Way.FlowMiBps *= 2
	}
	for _, project := range f.Projects {
		for _, pool := range project.Pools {
			pool.CapacityGiB *= 2
			for _, v := range pool.Volumes {
				v.ThroughputMiBps, v.Load.LatencyMS = 2*v.ThroughputMiBps, v.Load.LatencyMS/2
				v.Load.ReadMiBps, v.Load.WriteMiBps, v.Load.MetadataMiBps = 2*v.Load.ReadMiBps, 2*v.Load.WriteMiBps, 2*v.Load.MetadataMiBps
			}
		}
	}
	for _, subscription := range f.Subscriptions {
		for _, account := range subscription.Accounts {
			for _, share := range account.Shares {
				share.IOPS, share.MiBps = 2*share.IOPS, 2*share.MiBps
			}
		}
	}
}

// One seed gives one report, but for what the evaluation itself took of the processor.
func TestOneSeedOneReport(t *testing.T) {
	report := func() string {
		scenarios := []*evaluate.Scenario{read(t, "mixed/two-hosts-one-volume.yml")}
		part, err := evaluate.Play(t.Context(), scenarios, stage.Open, evaluate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		part.Cost = fleet.Unknown
		var out bytes.Buffer
		if err := (&evaluate.Report{Simulated: part}).WriteJSON(&out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if diff := cmp.Diff(report(), report()); diff != "" {
		t.Errorf("two evaluations differ (-first +second)\n%s", diff)
	}
}

// late is what a window of five minutes, the delay of a cloud and its next inventory may add to the time that a finding is kept.
const late = 15 * time.Minute

// A condition that ends is one episode, which ends when the time is over that its finding is kept for.
func TestRecovery(t *testing.T) {
	all, err := evaluate.ReadScenarios(filepath.Join("..", "testdata", "scenarios", "recovery"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		episodes, err := evaluate.Episodes(t.Context(), s, stage.Open)
		if err != nil {
			t.Fatal(err)
		}
		for _, truth := range s.Truths {
			of := slices.DeleteFunc(slices.Clone(episodes), func(e evaluate.Episode) bool { return e.Name != truth.Name })
			if len(of) != 1 || !truth.Names(of[0]) {
				t.Errorf("%s: %d episodes of %s, want the one of the truth", s.Name, len(of), truth.Name)
				continue
			}
			if last := truth.To + kept(t, truth.Name) + late; of[0].Open || of[0].To() > last {
				t.Errorf("%s: %s fired until %s, want an end by %s", s.Name, truth.Name, of[0].To(), last)
			}
		}
	}
}

// kept is how long a finding is kept that is judged every minute.
func kept(t *testing.T, name detectors.Name) time.Duration {
	t.Helper()
	for _, rule := range detectors.Rules() {
		if rule.Detector == name.Detector && slices.Contains(rule.Variants, name.Variant) {
			return time.Duration(rule.Timing.Keep) * time.Minute
		}
	}
	t.Fatalf("no rule judges %s", name)
	return 0
}
