package diagnose

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/nasight/nasight/bundle"
	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/schema"
)

// fake is a collector made of a function.
type fake func(ctx context.Context, sink collectors.Sink) error

func (f fake) Collect(ctx context.Context, sink collectors.Sink) error { return f(ctx, sink) }

func entry(name string, collect fake) collectors.Entry {
	return collectors.Entry{Name: name, New: func(collectors.Root, collectors.Settings) (collectors.Collector, error) { return collect, nil }}
}

func moments(count int) []bundle.Moment {
	var out []bundle.Moment
	for i := range count {
		out = append(out, bundle.Moment{
			Name: "t", Time: time.Unix(1_700_000_000+10*int64(i), 0),
			Root: collectors.Root{Host: "client", Procfs: fstest.MapFS{}, Sysfs: fstest.MapFS{}},
		})
	}
	return out
}

func run(t *testing.T, count int, entries ...collectors.Entry) *Report {
	t.Helper()
	report, err := Run(context.Background(), slices.Values(moments(count)), Options{
		Entries: entries, Detectors: detectors.DefaultSettings(), Deadline: 50 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// mountEntry gives one mount whose counters grow by 1,000 op/s.
func mountEntry(export string) collectors.Entry {
	count := 0.0
	return entry("nfs", func(_ context.Context, sink collectors.Sink) error {
		labels := []string{"client", "192.0.2.10", export, "nfs", "0:40"}
		sink.Add(schema.NFSMountInfo, 1, append(labels, "192.0.2.10", "3", "tcp", "/mnt/a", "sys", "", "rw")...)
		sink.Add(schema.NFSMountAge, 100+count, labels...)
		for class, share := range map[string]float64{"read": 1, "write": 0, "attr": 0, "dir": 0} {
			sink.Add(schema.NFSOperations, 1000*count*share, append(labels, class)...)
			sink.Add(schema.NFSRTT, 10*count*share, append(labels, class)...)
			sink.Add(schema.NFSExecute, 10*count*share, append(labels, class)...)
		}
		for _, session := range []string{"192.0.2.1:800", "192.0.2.1:801"} {
			labels := []string{"client", "192.0.2.10", "nfs", session}
			sink.Add(schema.SessionReceived, 1e6*count, labels...)
			sink.Add(schema.SessionAcked, 1e4*count, labels...)
		}
		count += 10
		return nil
	})
}

func TestNoMomentIsAnError(t *testing.T) {
	_, err := Run(context.Background(), slices.Values(moments(0)), Options{Detectors: detectors.DefaultSettings()})
	if !errors.Is(err, ErrNoMoment) {
		t.Errorf("got %v, want ErrNoMoment", err)
	}
}

func TestHungCollectorCostsItsDeadline(t *testing.T) {
	released := make(chan struct{})
	defer close(released)
	report := run(t, 2, mountEntry("/vol"), entry("stuck", func(context.Context, collectors.Sink) error {
		<-released // a source that ignores the context, as a read of a dead file can
		return nil
	}))
	if len(report.Mounts) != 1 {
		t.Fatalf("%d mounts, want the other collector's one", len(report.Mounts))
	}
	stuck := report.Collectors[1]
	if stuck.Success || !strings.Contains(stuck.Reason, "did not return in time") {
		t.Errorf("stuck collector: %+v", stuck)
	}
}

func TestFailuresAndSkippedInputAreTold(t *testing.T) {
	report := run(t, 1,
		entry("none", func(context.Context, collectors.Sink) error { return collectors.ErrNoData }),
		entry("denied", func(context.Context, collectors.Sink) error {
			return &fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}
		}),
		entry("odd", func(_ context.Context, sink collectors.Sink) error { sink.Skip("short_line", 3); return nil }),
		entry("panics", func(context.Context, collectors.Sink) error { panic("index out of range") }),
	)
	want := []struct {
		success bool
		reason  string
	}{{true, "no data"}, {false, "permission denied"}, {true, ""}, {false, "index out of range"}}
	for i, state := range report.Collectors {
		if state.Success != want[i].success || !strings.Contains(state.Reason, want[i].reason) {
			t.Errorf("%s: %+v, want %+v", state.Name, state, want[i])
		}
	}
	if report.Collectors[2].Skipped["short_line"] != 3 {
		t.Errorf("skipped: %v", report.Collectors[2].Skipped)
	}
}

func TestThinDataIsNoVerdict(t *testing.T) {
	report := run(t, 1, mountEntry("/vol"))
	mount := report.Mounts[0]
	if mount.State != "insufficient_data" || mount.Operations.Known() || strings.Contains(mount.Verdict, "Healthy") {
		t.Errorf("one moment: state %q, operations %v, verdict %q", mount.State, mount.Operations, mount.Verdict)
	}
	if !strings.Contains(headline(report), "not enough was read") {
		t.Errorf("headline %q", headline(report))
	}
}

func TestHealthyMountSaysWhy(t *testing.T) {
	report := run(t, 3, mountEntry("/vol"))
	mount := report.Mounts[0]
	if mount.State != "active" || len(report.Findings) != 0 {
		t.Fatalf("state %q, findings %v", mount.State, report.Findings)
	}
	for _, part := range []string{"Healthy", "1000 op/s", "10 ms"} {
		if !strings.Contains(mount.Verdict, part) {
			t.Errorf("verdict %q lacks %q", mount.Verdict, part)
		}
	}
	for _, step := range mount.Ladder {
		if step.Binding {
			t.Errorf("step %q binds a healthy mount", step.Step)
		}
	}
}

// TestMissingEvidenceIsNotHealth: a rule whose numbers are missing cannot fire, and that is no good news.
func TestMissingEvidenceIsNotHealth(t *testing.T) {
	without := func(drop func(schema.Sample) bool) collectors.Entry {
		inner, _ := mountEntry("/vol").New(collectors.Root{}, collectors.Settings{})
		return entry("nfs", func(ctx context.Context, sink collectors.Sink) error {
			return inner.Collect(ctx, filter{sink, drop})
		})
	}
	for name, c := range map[string]struct {
		moments int
		drop    func(schema.Sample) bool
		says    string
	}{
		"no sessions": {3, func(s schema.Sample) bool {
			return s.Family == schema.SessionReceived || s.Family == schema.SessionAcked
		}, "no TCP session"},
		"no reads": {3, func(s schema.Sample) bool {
			return s.Family == schema.NFSOperations && s.Labels[len(s.Labels)-1] == "read"
		}, "class read"},
		"two moments": {2, func(schema.Sample) bool { return false }, "three moments"},
	} {
		mount := run(t, c.moments, without(c.drop)).Mounts[0]
		if mount.State != "insufficient_data" || !strings.Contains(mount.Verdict, c.says) || strings.Contains(mount.Verdict, "Healthy") {
			t.Errorf("%s: state %q, verdict %q, want %q in it", name, mount.State, mount.Verdict, c.says)
		}
	}
}

// filter is a sink that loses samples.
type filter struct {
	collectors.Sink
	drop func(schema.Sample) bool
}

func (f filter) Add(family *schema.Family, value float64, labels ...string) {
	if !f.drop(schema.Sample{Family: family, Labels: labels, Value: value}) {
		f.Sink.Add(family, value, labels...)
	}
}

func TestUnreadMountsAreNotNone(t *testing.T) {
	denied := entry("nfs", func(context.Context, collectors.Sink) error {
		return &fs.PathError{Op: "open", Path: "self/mountstats", Err: fs.ErrPermission}
	})
	fine := entry("cpu", func(context.Context, collectors.Sink) error { return nil })
	report := run(t, 2, denied, fine)
	if !strings.Contains(headline(report), "could not be read") || !strings.Contains(report.Blind(), "permission denied") {
		t.Errorf("headline %q, blind %q", headline(report), report.Blind())
	}
	report = run(t, 2, fine)
	if !strings.Contains(headline(report), "switched off") || report.Blind() != "" {
		t.Errorf("headline %q, blind %q", headline(report), report.Blind())
	}
	none := entry("nfs", func(context.Context, collectors.Sink) error { return collectors.ErrNoData })
	if report = run(t, 2, none, fine); !strings.Contains(headline(report), "nothing to judge") || report.Blind() != "" {
		t.Errorf("headline %q, blind %q", headline(report), report.Blind())
	}
}

func TestManyQuietMountsAreFolded(t *testing.T) {
	mounts := make([]Mount, 200)
	mounts[150].Findings = []string{"a finding"}
	shown, folded := fold(mounts)
	if len(shown) != mostMounts+1 || folded != 200-len(shown) || len(shown[mostMounts].Findings) != 1 {
		t.Errorf("%d shown, %d folded", len(shown), folded)
	}
}

func TestJSONKeepsItsContract(t *testing.T) {
	var out bytes.Buffer
	if err := run(t, 1, mountEntry("/vol")).WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var report map[string]any
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"host", "window", "mounts", "findings", "collectors"} {
		if _, ok := report[key]; !ok {
			t.Errorf("key %q is missing", key)
		}
	}
	mount := report["mounts"].([]any)[0].(map[string]any)
	for _, key := range []string{"mountpoints", "server", "export", "protocol", "sessions", "state", "ladder"} {
		if _, ok := mount[key]; !ok {
			t.Errorf("key mounts[].%q is missing", key)
		}
	}
	step := mount["ladder"].([]any)[0].(map[string]any)
	for _, key := range []string{"step", "load", "capacity", "utilisation", "unit", "binding"} {
		if _, ok := step[key]; !ok {
			t.Errorf("key mounts[].ladder[].%q is missing", key)
		}
	}
	if step["load"] != nil {
		t.Errorf("a load that one moment cannot tell must be null, got %v", step["load"])
	}
	if findings, ok := report["findings"].([]any); !ok || len(findings) != 0 {
		t.Errorf("findings must be an empty list, got %v", report["findings"])
	}
}

func TestNamesCannotDriveTheTerminal(t *testing.T) {
	report := run(t, 3, mountEntry("/vol\x1b[31m\r|<b>"))
	var text, markdown bytes.Buffer
	if err := errors.Join(report.Text(&text, false), report.Markdown(&markdown)); err != nil {
		t.Fatal(err)
	}
	for name, out := range map[string]string{"text": text.String(), "markdown": markdown.String()} {
		if strings.ContainsAny(out, "\x1b\r") {
			t.Errorf("%s holds a control character", name)
		}
	}
	if strings.Contains(markdown.String(), "<b>") {
		t.Error("markdown holds HTML of a name")
	}
}

func TestColourOnlyWhereAsked(t *testing.T) {
	report := run(t, 3, mountEntry("/vol"))
	for _, colour := range []bool{false, true} {
		var out bytes.Buffer
		if err := report.Text(&out, colour); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "\x1b[") != colour {
			t.Errorf("colour %v: escape sequences %v", colour, !colour)
		}
	}
}

func TestLiveKeepsItsSpacingAndStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root := collectors.Root{Host: "client"}
		var times []time.Time
		for moment := range Live(t.Context(), root, 3, 5*time.Second) {
			times = append(times, moment.Time)
			time.Sleep(time.Second) // what the collectors take must not add to the interval
		}
		if len(times) != 3 || times[1].Sub(times[0]) != 5*time.Second || times[2].Sub(times[1]) != 5*time.Second {
			t.Errorf("times %v", times)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		count := 0
		for range Live(ctx, root, 3, time.Hour) {
			count++
			cancel()
		}
		if count != 1 {
			t.Errorf("%d moments after cancelling in the first", count)
		}
	})
}

func TestCancelledRunSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Run(ctx, slices.Values(moments(2)), Options{Entries: []collectors.Entry{mountEntry("/vol")}, Detectors: detectors.DefaultSettings()})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
