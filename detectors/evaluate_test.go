package detectors

import (
	"encoding/json"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nasight/nasight/fleet"
)

func TestNamesAreTheClosedList(t *testing.T) {
	want := []string{
		"session_saturated/slots", "session_saturated/session_slots", "session_saturated/flow", "session_saturated/cpu",
		"session_saturated/sender", "session_saturated/skew",
		"pool_throughput_unused/unallocated", "pool_throughput_unused/allocated_unused", "pool_throughput_unused/auto_qos",
		"pool_throughput_unused/stranded_capacity", "pool_throughput_unused/level_change", "pool_throughput_unused/flex_custom",
		"smb_multichannel/single_thread_penalty", "smb_multichannel/hot_file", "smb_multichannel/missing",
		"smb_multichannel/too_few", "smb_multichannel/too_many",
		"metadata_heavy/ceiling", "metadata_heavy/share",
		"limit_reached/throughput", "limit_reached/iops", "limit_reached/egress", "limit_reached/ingress",
		"limit_reached/metadata", "limit_reached/credits",
		"beyond_envelope/envelope", "beyond_envelope/volume_maximum",
		"client_bound/network", "client_bound/cpu", "client_bound/placement", "client_bound/slot_budget", "client_bound/single_thread",
		"anomaly/level", "anomaly/spike", "anomaly/flatline", "anomaly/stale",
		"hard_limit/handles", "hard_limit/file", "hard_limit/capacity", "hard_limit/inodes", "hard_limit/snapshots",
		"server_unresponsive/stalled", "server_latency/server",
	}
	var got []string
	for _, name := range Names() {
		got = append(got, name.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestRulesAreSound(t *testing.T) {
	seen := map[Name]bool{}
	for _, rule := range Rules() {
		if timing := rule.Timing; timing.Needed < 1 || timing.Needed > timing.Of || timing.Keep < 1 {
			t.Errorf("%s: timing %+v cannot work", rule.Detector, timing)
		}
		if rule.Question == "" || rule.Window <= 0 || rule.judge == nil {
			t.Errorf("%s: the row is incomplete", rule.Detector)
		}
		for _, variant := range rule.Variants {
			name := Name{rule.Detector, variant}
			if seen[name] || !slices.Contains(Names(), name) {
				t.Errorf("%s is listed twice or is not in the closed list", name)
			}
			seen[name] = true
		}
	}
}

func TestConfidence(t *testing.T) {
	known := func(weight float64, holds bool) signal { return signal{weight, true, holds} }
	for _, row := range []struct {
		name     string
		coverage float64
		signals  []signal
		doubts   int
		want     float64
	}{
		{"all known and true", 1, []signal{seen(0.9), seen(0.6)}, 0, 1},
		{"coverage counts", 0.8, []signal{seen(0.9)}, 0, 0.8},
		{"coverage is clamped", 1.25, []signal{seen(0.9)}, 0, 1},
		{"P6 alone: A = .7/2.2", 1, []signal{unseen(0.7), seen(0.7), unseen(0.5), unseen(0.3)}, 0, 0.75},
		{"P6 with vu: A = 1.2/2.2", 1, []signal{unseen(0.7), seen(0.7), seen(0.5), unseen(0.3)}, 0, 0.8},
		{"a signal that contradicts: 1.5/2.2", 1, []signal{known(0.7, false), seen(0.7), seen(0.5), seen(0.3)}, 0, 0.7},
		{"one doubt", 1, []signal{seen(0.9)}, 1, 0.7},
		{"two doubts", 1, []signal{seen(0.9)}, 2, 0.5},
		{"nothing available", 1, []signal{unseen(0.8)}, 0, 0.6},
		{"nothing at all true", 1, []signal{known(0.8, false)}, 0, 0},
		{"rounded to steps of 0.05", 0.87, []signal{seen(0.9)}, 0, 0.85},
	} {
		if got := confidence(row.coverage, row.signals, 0.7, row.doubts); got != row.want {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}

func TestConfidenceOfFindings(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*fleet.Client, *fleet.Endpoint)
		want   float64
	}{
		{"the path alone", func(*fleet.Client, *fleet.Endpoint) {}, 0.75},
		{"with the volume's utilisation", func(_ *fleet.Client, e *fleet.Endpoint) { e.VolumeUtilisation = 0.3 }, 0.8},
		{"with volume and unloaded latency", func(_ *fleet.Client, e *fleet.Endpoint) { e.VolumeUtilisation, e.BaseLatency = 0.3, 1*ms }, 0.85},
		{"with a learnt ceiling as well", func(_ *fleet.Client, e *fleet.Endpoint) {
			e.VolumeUtilisation, e.BaseLatency, e.Ceiling = 0.3, 1*ms, 2.3*mebibyte
		}, 1},
		{"segments sent again: 0.1 %", func(_ *fleet.Client, e *fleet.Endpoint) { e.Retransmits = 0.001 }, 0.5},
		{"segments sent again: 0.09 %", func(_ *fleet.Client, e *fleet.Endpoint) { e.Retransmits = 0.0009 }, 0.75},
		{"four fifths of the samples", func(c *fleet.Client, _ *fleet.Endpoint) { c.Coverage = 0.8 }, 0.6},
	} {
		client, endpoint, _ := slowFlow()
		row.change(client, endpoint)
		finding := only(t, Evaluate(aView(client), DefaultSettings()), "session_saturated/flow")
		if finding.Confidence != row.want {
			t.Errorf("%s: %v, want %v", row.name, finding.Confidence, row.want)
		}
		if lost := strings.Contains(finding.Summary, "packet loss"); lost != endpoint.Retransmits.AtLeast(0.001) {
			t.Errorf("%s: packet loss named: %v", row.name, lost)
		}
	}
}

func TestHint(t *testing.T) {
	client, endpoint, _ := slowFlow()
	endpoint.Retransmits, client.Coverage = 0.01, 0.8
	settings := DefaultSettings()
	settings.HintBelow = 0.45
	finding := only(t, Evaluate(aView(client), settings), "session_saturated/flow")
	if finding.Confidence != 0.4 || !finding.Hint {
		t.Errorf("confidence %v, hint %v; want a hint at 0.4", finding.Confidence, finding.Hint)
	}
	if finding := only(t, Evaluate(aView(client), DefaultSettings()), "session_saturated/flow"); finding.Hint {
		t.Error("0.4 is a hint, want only what is below 0.4")
	}
}

func TestCoverage(t *testing.T) {
	for _, row := range []struct {
		profile  string
		coverage fleet.Value
		want     int
	}{
		{"windowed", 0.8, 1}, {"windowed", 0.79, 0}, {"windowed", fleet.Unknown, 0},
		{"snapshot", fleet.Unknown, 1}, {"snapshot", 0.5, 0},
	} {
		client, _, _ := slowFlow()
		client.Coverage = row.coverage
		if got := len(Evaluate(aView(client), profiles()[row.profile])); got != row.want {
			t.Errorf("%s, coverage %v: %d findings, want %d", row.profile, row.coverage, got, row.want)
		}
	}
}

func TestStateAndSince(t *testing.T) {
	for profile, want := range map[string]State{"windowed": Pending, "snapshot": Firing} {
		client, _, _ := slowFlow()
		finding := Evaluate(aView(client), profiles()[profile])[0]
		if finding.State != want || !finding.Since.Equal(noon) {
			t.Errorf("%s: %s since %s, want %s since the view's moment", profile, finding.State, finding.Since, want)
		}
	}
}

// An id is a promise to dashboards and to those who silenced it: it may not depend on anything but name and resource.
func TestIDs(t *testing.T) {
	endpoint := fleet.Resource{Host: "client.example.com", Server: "192.0.2.10", Protocol: "nfs"}
	name := Name{SessionSaturated, VariantFlow}
	if got, want := id(name, endpoint), "session_saturated/flow/90a71f823ae4"; got != want {
		t.Errorf("id %s, want %s as in every version", got, want)
	}
	seen := map[string]bool{}
	for _, resource := range []fleet.Resource{
		endpoint, {Host: "client.example.com"}, {Server: "client.example.com"}, {Host: "192.0.2.10", Server: "client.example.com", Protocol: "nfs"},
	} {
		if key := id(name, resource); seen[key] {
			t.Errorf("two resources share the id %s", key)
		} else {
			seen[key] = true
		}
	}
}

func TestEvidenceCanBeAskedAgain(t *testing.T) {
	client, _, _ := slowFlow()
	finding := only(t, Evaluate(aView(client), DefaultSettings()), "session_saturated/flow")
	evidence := map[string]Evidence{}
	for _, e := range finding.Evidence {
		evidence[e.Name] = e
	}
	want := Evidence{
		Name: "out-of-order arrivals", Value: 0, Unit: "ratio", Window: "60 s",
		Query: "session_out_of_order/client.example.com",
	}
	if diff := cmp.Diff(want, evidence["out-of-order arrivals"]); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
	if ratio := evidence["smoothed over lowest round-trip time"]; ratio.Query != "session_rtt_over_lowest/client.example.com" || math.Abs(float64(ratio.Value)-214.17) > 0.01 {
		t.Errorf("the ratio of two features is %+v, want 214 with the query that gives it", ratio)
	}
	if volume := evidence["volume utilisation"]; volume.Value.Known() || volume.Threshold != "< 0.85" {
		t.Errorf("what was to be judged and is missing is %+v, want it shown as missing", volume)
	}
	if _, shown := evidence["learnt ceiling of one session"]; shown {
		t.Error("context that is missing is shown")
	}
	view := aView(client)
	view.Query = nil
	for _, e := range Evaluate(view, DefaultSettings())[0].Evidence {
		if e.Query != "" {
			t.Errorf("%s: query %q from a view that has none", e.Name, e.Query)
		}
	}
}

func TestPrecedence(t *testing.T) {
	client, endpoint, _ := slowFlow()
	client.CPU.Busy = 0.95
	other := anEndpoint()
	other.Server, other.Transports, other.Sessions = "192.0.2.20", endpoint.Transports, endpoint.Sessions
	other.LowestRTT, other.Moving = 1.2*ms, 1
	with(client, other)
	found := Evaluate(aView(client), DefaultSettings())
	cpu := only(t, found, "client_bound/cpu")
	if len(found) != 3 || len(cpu.BlockedBy) != 0 || found[0].ID != cpu.ID {
		t.Fatalf("findings %v, the host's blocked by %v; want the host's first and free", names(found), cpu.BlockedBy)
	}
	for _, finding := range found[1:] {
		if diff := cmp.Diff([]string{cpu.ID}, finding.BlockedBy); diff != "" {
			t.Errorf("%s blocked by (-want +got):\n%s", finding.Resource.Server, diff)
		}
	}
}

// chain makes a finding of a name for a host, one of its endpoints, or one of the endpoint's mounts.
func chain(name Name, resource fleet.Resource) Finding {
	return Finding{ID: id(name, resource), Detector: name.Detector, Variant: name.Variant, Resource: resource, Confidence: 1}
}

func TestPrecedenceTable(t *testing.T) {
	host := fleet.Resource{Host: "client.example.com"}
	endpoint := fleet.Resource{Host: "client.example.com", Server: "192.0.2.10", Protocol: "nfs"}
	elsewhere := fleet.Resource{Host: "client.example.com", Server: "192.0.2.20", Protocol: "nfs"}
	mount := fleet.Resource{Host: "client.example.com", Server: "192.0.2.10", Export: "/vol1", Protocol: "nfs"}
	// In the order of causes: each blocks all that follow it.
	ladder := []Finding{
		chain(Name{LimitReached, "throughput"}, endpoint),
		chain(Name{ServerUnresponsive, VariantStalled}, endpoint),
		chain(Name{ClientBound, VariantNetwork}, host),
		chain(Name{SessionSaturated, VariantSlots}, endpoint),
		chain(Name{SMBMultichannel, "missing"}, endpoint),
		chain(Name{ClientBound, VariantSingleThread}, mount),
		chain(Name{ServerLatency, VariantServer}, endpoint),
		chain(Name{Anomaly, "level"}, mount),
	}
	for i := range ladder {
		for j := range ladder {
			pair := []Finding{ladder[i], ladder[j]}
			block(pair)
			if blocked := len(pair[1].BlockedBy) > 0; blocked != (i < j) {
				t.Errorf("%s blocks %s: %v, want %v", pair[0].Name(), pair[1].Name(), blocked, i < j)
			}
		}
	}
	all := slices.Clone(ladder)
	block(all)
	for _, finding := range all[1:] {
		if diff := cmp.Diff([]string{ladder[0].ID}, finding.BlockedBy); diff != "" {
			t.Errorf("%s blocked by more than the root (-want +got):\n%s", finding.Name(), diff)
		}
	}
	for name, pair := range map[string][]Finding{
		"two servers of one host":          {ladder[1], chain(Name{SessionSaturated, VariantFlow}, elsewhere)},
		"a budget competes with none":      {chain(Name{ClientBound, VariantSlotBudget}, fleet.Resource{Service: "gcnv"}), ladder[3]},
		"metadata competes with none":      {ladder[3], chain(Name{MetadataHeavy, VariantShare}, mount)},
		"two variants of one detector":     {ladder[3], chain(Name{SessionSaturated, VariantFlow}, endpoint)},
		"a hint blocks nothing":            {hinted(ladder[0]), ladder[3]},
		"what is pending blocks nothing":   {inState(ladder[0], Pending), inState(ladder[3], Firing)},
		"what is gone blocks nothing":      {inState(ladder[0], Resolved), inState(ladder[3], Firing)},
		"a limit of before, a dead server": {inState(ladder[0], Keep), inState(ladder[1], Firing)},
	} {
		block(pair)
		if len(pair[0].BlockedBy)+len(pair[1].BlockedBy) > 0 {
			t.Errorf("%s: blocked by %v and %v", name, pair[0].BlockedBy, pair[1].BlockedBy)
		}
	}
}

// Placement is what remains: it waits for what is on its way to name the time.
func TestPlacementWaits(t *testing.T) {
	endpoint := fleet.Resource{Host: "client.example.com", Server: "192.0.2.10", Protocol: "smb"}
	mount := fleet.Resource{Host: "client.example.com", Server: "192.0.2.10", Export: "home", Protocol: "smb"}
	for state, want := range map[State]bool{Pending: true, Firing: true, Keep: true, Resolved: false} {
		pair := []Finding{
			inState(chain(Name{SMBMultichannel, VariantTooFew}, endpoint), state),
			inState(chain(Name{ClientBound, VariantPlacement}, mount), Firing),
		}
		block(pair)
		if blocked := len(pair[1].BlockedBy) > 0; blocked != want {
			t.Errorf("%s: blocked %v, want %v", state, blocked, want)
		}
	}
}

func hinted(f Finding) Finding {
	f.Hint = true
	return f
}

func inState(f Finding, state State) Finding {
	f.State = state
	return f
}

// everything draws a view with any number anywhere: zero, huge, negative or missing.
func everything(t *rapid.T) *fleet.Fleet {
	client, endpoint, transport := slowFlow()
	second := aTransport()
	second.Version = "4.1"
	endpoint.Transports = append(endpoint.Transports, second)
	endpoint.Sessions = append(endpoint.Sessions, aSession(0))
	endpoint.Provider = rapid.SampledFrom([]fleet.Provider{"", fleet.ProviderGCNV, fleet.ProviderAzure}).Draw(t, "provider")
	client.Cloud = rapid.SampledFrom([]string{"", "gce", "azure"}).Draw(t, "cloud")
	for _, part := range []any{client, endpoint, transport, second, endpoint.Sessions[0], endpoint.Sessions[1], endpoint.Mounts[0]} {
		draw(t, reflect.ValueOf(part).Elem())
	}
	for _, class := range []string{"read", "write", "commit", "attr", "dir", "other"} {
		c := fleet.Class{}
		draw(t, reflect.ValueOf(&c).Elem())
		endpoint.Mounts[0].Classes[class] = c
	}
	return aView(client)
}

func draw(t *rapid.T, v reflect.Value) {
	values := []float64{0, 0, 1e-4, 0.01, 0.3, 0.86, 0.95, 1, 2, 3, 16, 60, 128, 1e3, 1e5, 1e9, -1, math.NaN(), math.Inf(1)}
	switch {
	case v.Type() == reflect.TypeFor[fleet.Value]():
		v.SetFloat(rapid.SampledFrom(values).Draw(t, "value"))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			draw(t, v.Field(i))
		}
	}
}

// Whatever numbers come, findings keep their form, and the same view gives the same findings.
func TestFindingsKeepTheirForm(t *testing.T) {
	fired := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		view := everything(t)
		for _, settings := range profiles() {
			found := Evaluate(view, settings)
			if diff := cmp.Diff(found, Evaluate(view, settings), sameNumbers()); diff != "" {
				t.Fatalf("evaluated twice (-first +second):\n%s", diff)
			}
			for _, finding := range found {
				fired[finding.Name().String()]++
				checkForm(t, finding, found)
			}
			round := Judge(view, settings)
			NewLifecycle(settings).Step(round)
		}
		for _, client := range view.Clients {
			for _, mount := range client.Mounts {
				StateOf(mount, client.Endpoints[0], client, DefaultSettings())
				Notes(mount, client.Endpoints[0], client)
			}
		}
	})
	if fired["client_bound/cpu"] == 0 {
		t.Error("the views drawn are too tame to test anything: not one finds a busy processor")
	}
}

func sameNumbers() cmp.Option {
	return cmp.Comparer(func(a, b fleet.Value) bool { return a == b || !a.Known() && !b.Known() })
}

func checkForm(t *rapid.T, f Finding, all []Finding) {
	if !slices.Contains(Names(), f.Name()) {
		t.Fatalf("%s is not in the closed list", f.Name())
	}
	if f.Confidence < 0 || f.Confidence > 1 || math.Abs(f.Confidence*20-math.Round(f.Confidence*20)) > 1e-9 {
		t.Fatalf("%s: confidence %v is no step of 0.05", f.Name(), f.Confidence)
	}
	if f.Gain != nil && !(f.Gain.Low <= f.Gain.High) {
		t.Fatalf("%s: gain %+v is upside down", f.Name(), f.Gain)
	}
	if f.Summary == "" || len(f.Evidence) == 0 || len(f.Remedy) == 0 || f.Resource == (fleet.Resource{}) {
		t.Fatalf("%s: incomplete: %+v", f.Name(), f)
	}
	if strings.Contains(f.Summary, "NaN") || strings.Contains(f.Summary, "Inf") {
		t.Fatalf("%s: summary %q", f.Name(), f.Summary)
	}
	for _, blocker := range f.BlockedBy {
		if !slices.ContainsFunc(all, func(other Finding) bool { return other.ID == blocker && other.ID != f.ID }) {
			t.Fatalf("%s: blocked by %s, which is not there", f.Name(), blocker)
		}
	}
	if _, err := json.Marshal(f); err != nil {
		t.Fatalf("%s: %v", f.Name(), err)
	}
	checkWords(t, f)
}

// scientific is a number as no person writes it.
var scientific = regexp.MustCompile(`\d[eE][+-]?\d`)

// checkWords: what is to be done has a command or says why it has none, and numbers are as people write them.
func checkWords(t *rapid.T, f Finding) {
	for _, remedy := range f.Remedy {
		if (remedy.Command == "") == (remedy.ByHand == "") {
			t.Fatalf("%s: %q has the command %q and says of it %q", f.Name(), remedy.What, remedy.Command, remedy.ByHand)
		}
	}
	for _, evidence := range f.Evidence {
		if evidence.Value.Known() && !met(float64(evidence.Value), evidence.Threshold) {
			t.Fatalf("%s: %s: %v stands beside %q", f.Name(), evidence.Name, evidence.Value, evidence.Threshold)
		}
		for _, raw := range []string{" seconds", "bytes per second", "operations per second", " ratio", " or)"} {
			if line := evidence.Line(); scientific.MatchString(evidence.Shown()+evidence.Asked()) || strings.Contains(line[len(evidence.Name):], raw) {
				t.Fatalf("%s: %s", f.Name(), line)
			}
		}
	}
}

func TestNothingKnownFindsNothing(t *testing.T) {
	endpoint := anEndpoint(unknown(&fleet.Mount{}))
	endpoint.Transports, endpoint.Sessions = []*fleet.Transport{aTransport()}, []*fleet.Session{aSession(fleet.Unknown)}
	for profile, settings := range profiles() {
		if found := Evaluate(aView(aClient(endpoint)), settings); len(found) != 0 {
			t.Errorf("%s: %v", profile, names(found))
		}
		if found := Evaluate(nil, settings); len(found) != 0 {
			t.Errorf("%s: no view gives %v", profile, names(found))
		}
	}
}

// JSON is the form that the API, check and the saved life cycle share: nothing may change on the way.
func TestFindingJSONRoundTrip(t *testing.T) {
	client, _, _ := slowFlow()
	want := Evaluate(aView(client), DefaultSettings())
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got []Finding
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, sameNumbers()); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}
