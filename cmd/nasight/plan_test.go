package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/option"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/gcnv"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/plan"
	"github.com/nasight/nasight/promapi"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator"
)

var planNow = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// exampleHistory fills a history with two weeks of the example fleet's pools with manual QoS, and one of the others, as
// nasight serve reads them.
func exampleHistory(t *testing.T, into *history.Memory) {
	t.Helper()
	clock := func() time.Time { return planNow }
	server, err := simulator.Start(t.Context(), simulator.Options{Epoch: planNow.Add(-2 * time.Hour), Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	settings := gcnv.DefaultConfig()
	settings.Projects = []string{"example-prod"}
	settings.Include = []string{"example-prod/[^/]*/(manual-(idle|throttled)|extreme-idle)"}
	settings.Pacing.CallsPerSecond = 1000
	source, err := gcnv.New(settings, gcnv.Options{Clock: clock, Dial: func(_ context.Context, name string) ([]option.ClientOption, error) {
		if strings.Contains(name, "monitoring") {
			return server.ClientOptions(), nil
		}
		return server.RESTOptions(), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	for _, entry := range source.Entries() {
		collector, err := entry.New(collectors.Root{}, collectors.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		result := collectors.Once(t.Context(), collector, planNow)
		if err := errors.Join(result.Err, into.Append(t.Context(), result.Past), into.Append(t.Context(), result.Samples)); err != nil {
			t.Fatal(entry.Name, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // the race detector takes its time
	defer cancel()
	done := make(chan error, 1)
	filled := make(chan struct{}, 1)
	go func() { done <- source.Backfill(ctx, into, func() { filled <- struct{}{}; cancel() }) }()
	if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	select {
	case <-filled:
	default:
		t.Fatal("the back-fill did not come to its end")
	}
}

// planOf runs the command's own work on a history, with the flags' defaults.
func planOf(t *testing.T, reader history.Reader, now time.Time, change func(*planCommand)) (string, error) {
	t.Helper()
	command := planCommand{Format: "json"}
	if change != nil {
		change(&command)
	}
	var out bytes.Buffer
	err := command.plan(t.Context(), source{reader: reader, name: "the test"}, config.Default(), now, streams{&out, &bytes.Buffer{}})
	return out.String(), err
}

type planned struct {
	At    time.Time
	Pools []*plan.Plan
}

func plansOf(t *testing.T, reader history.Reader, now time.Time, change func(*planCommand)) map[string]*plan.Plan {
	t.Helper()
	out, err := planOf(t, reader, now, change)
	if err != nil {
		t.Fatal(err)
	}
	var all planned
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	found := map[string]*plan.Plan{}
	for _, one := range all.Pools {
		found[one.Pool] = one
	}
	return found
}

func allocation(t *testing.T, p *plan.Plan, name string) plan.Allocation {
	t.Helper()
	if p == nil {
		t.Fatalf("no plan for the pool of %s", name)
	}
	for _, a := range p.Volumes {
		if a.Name == name {
			return a
		}
	}
	t.Fatalf("no volume %s in the plan of %s", name, p.Pool)
	return plan.Allocation{}
}

// From a simulated cloud whose truth is known, over the collector and the history, to the plan.
func TestPlanOfTheExampleFleet(t *testing.T) {
	if raceDetector {
		t.Skip("minutes of the race detector; TestPlanOfARealServe goes the same way, and this one runs in make test")
	}
	memory := history.NewMemory(history.MemoryOptions{})
	defer memory.Close()
	exampleHistory(t, memory)

	plans := plansOf(t, memory, planNow, nil)
	if len(plans) != 2 {
		t.Fatalf("%d pools are planned, want the two with manual QoS", len(plans))
	}
	// The volume that was asked for more than its limit since six hours is throttled: it gets what its neighbour has above its
	// own peak. The pool is all assigned, and the API does not say how large it is.
	database := allocation(t, plans["manual-throttled"], "database")
	if !strings.Contains(strings.Join(database.Why, "; "), "throttled") || !database.Need.AtLeast(1.2*1.5*128) || !database.Change.Above(0) ||
		plans["manual-throttled"].Capacity != 384 {
		t.Errorf("database: %+v", database)
	}
	// The volume that uses a tenth of what it has gives most of it away.
	archive := allocation(t, plans["manual-idle"], "archive")
	if !archive.Change.Below(-50) || archive.Propose < archive.Peak {
		t.Errorf("archive: %+v", archive)
	}
	if days := plans["manual-idle"].Days; days != 7 {
		t.Errorf("rests on %g days, want 7", float64(days))
	}
	for name, one := range plans {
		for _, a := range one.Volumes {
			if a.Propose < a.Peak && a.Propose < a.Current {
				t.Errorf("%s/%s is lowered to %g, below its peak of %g", name, a.Name, float64(a.Propose), float64(a.Peak))
			}
		}
	}

	t.Run("choices", func(t *testing.T) {
		plans := plansOf(t, memory, planNow, func(c *planCommand) {
			c.Protect, c.Floor, c.Pool = []string{"example-prod/europe-west3/archive"}, []string{"8", "nightly=199"}, "europe-west3/manual-idle"
		})
		if a := allocation(t, plans["manual-idle"], "archive"); a.Propose != 300 || len(plans) != 1 {
			t.Errorf("protected: %+v", a)
		}
		if a := allocation(t, plans["manual-idle"], "nightly"); a.Lower != 199 || plans["manual-idle"].Options.FloorMiBps != 8 {
			t.Errorf("with a floor: %+v", a)
		}
		for flag, change := range map[string]func(*planCommand){
			"--protect=nobody":        func(c *planCommand) { c.Protect = []string{"nobody"} },
			"--floor=chive=8":         func(c *planCommand) { c.Floor = []string{"chive=8"} },
			"--pool=none: no such":    func(c *planCommand) { c.Pool = "none" },
			"europe-west3/manual-idl": func(c *planCommand) { c.Pool = "nual-idle" },
		} {
			if _, err := planOf(t, memory, planNow, change); codeOf(streams{err: &bytes.Buffer{}}, err) != exitUsage || !strings.Contains(err.Error(), flag) {
				t.Errorf("%s: %v", flag, err)
			}
		}
	})
	t.Run("text", func(t *testing.T) {
		text, err := planOf(t, memory, planNow, func(c *planCommand) { c.Format = "text" })
		for _, want := range []string{
			"From the test, as of 2026-11-30T12:00:00Z.", "volume", "proposed", "why", "Steps, in this order", "gcloud netapp volumes update",
			"PATCH", "throughput_mibps", "at least 7 days",
		} {
			if err != nil || !strings.Contains(text, want) {
				t.Errorf("%q is not in the text, %v:\n%s", want, err, text)
			}
		}
	})
	t.Run("automatic QoS", func(t *testing.T) {
		one := plansOf(t, memory, planNow, func(c *planCommand) { c.Pool = "extreme-idle" })["extreme-idle"]
		if one == nil || one.Status != plan.Refused || !strings.Contains(one.Reason, "--qos-type=manual") {
			t.Errorf("%+v", one)
		}
	})
	t.Run("over HTTP", func(t *testing.T) {
		server := httptest.NewServer(promapi.NewHandler(memory, promapi.Options{}))
		defer server.Close()
		command := planCommand{Server: server.URL}
		from, err := command.open(t.Context(), config.Default())
		if err != nil {
			t.Fatal(err)
		}
		defer from.close()
		direct, err := planOf(t, memory, planNow, nil)
		if err != nil {
			t.Fatal(err)
		}
		if remote, err := planOf(t, from.reader, planNow, nil); err != nil || remote != direct {
			t.Errorf("the plan over HTTP differs, %v", err)
		}
	})
	t.Run("a serve that was stopped", func(t *testing.T) {
		text, err := planOf(t, memory, planNow.Add(30*time.Hour), func(c *planCommand) { c.Format = "text" })
		if err != nil || !strings.Contains(text, "as of 2026-11-30T12:00:01Z, 30h0m0s ago") || !strings.Contains(text, "manual-idle") {
			t.Errorf("%v: %.300s", err, text)
		}
	})
}

func TestPlanIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var errs bytes.Buffer
	if code := run(ctx, []string{"plan", "--server=http://192.0.2.1"}, streams{&bytes.Buffer{}, &errs}); code != exitUncollect || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("exit code %d, said %q", code, errs.String())
	}
}

func TestNothingToPlan(t *testing.T) {
	memory := history.NewMemory(history.MemoryOptions{})
	defer memory.Close()
	text := func(c *planCommand) { c.Format = "text" }
	read := schema.Sample{Family: schema.CollectorSuccess, Labels: []string{"client1", inventoryCollector}, Value: 1, Time: planNow}
	if err := memory.Append(t.Context(), []schema.Sample{read}); err != nil {
		t.Fatal(err)
	}
	if out, err := planOf(t, memory, planNow, text); err != nil || !strings.HasPrefix(out, "No storage pool is in the history of the test") {
		t.Errorf("%q, %v", out, err)
	}
	for i, want := range []string{"The one storage pool in", "None of the 2 storage pools"} {
		pool := []string{"gcp", "gcnv", "p", "l", []string{"a", "b"}[i], "premium", "auto", "file", "default", "default", "false", "false", "ready", ""}
		if err := memory.Append(t.Context(), []schema.Sample{{Family: schema.PoolInfo, Labels: pool, Value: 1, Time: planNow}}); err != nil {
			t.Fatal(err)
		}
		out, err := planOf(t, memory, planNow, text)
		if err != nil || !strings.HasPrefix(out, want) || strings.Count(out, "\n") != 1 {
			t.Errorf("%q, %v, want %q", out, err, want)
		}
	}
	if plans := plansOf(t, memory, planNow, func(c *planCommand) { c.Protect = []string{"home"} }); len(plans) != 0 {
		t.Errorf("%v", plans)
	}
}

func TestPlanExitCodes(t *testing.T) {
	silent := httptest.NewServer(http.NotFoundHandler())
	defer silent.Close()
	const nobody = "http://127.0.0.1:1" // a port that the system gives to nobody, unlike that of a server just closed
	empty := filepath.Join(t.TempDir(), "data")
	held, err := history.OpenEmbedded(t.Context(), history.EmbeddedOptions{Path: empty})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--server=" + nobody}, exitUncollect, nobody + ": dial tcp"},
		{[]string{"--server=" + nobody}, exitUncollect, "--history.path"},
		{[]string{"--server=" + silent.URL}, exitUncollect, silent.URL},
		{[]string{"--server=localhost:9877"}, exitUsage, "http://HOST:PORT"},
		{[]string{"--history.path=" + empty}, exitUncollect, "plan --server, detect --history.url"},
		{[]string{"--history.path=/no/such/dir"}, exitUsage, "/no/such/dir"},
		{[]string{"--history.path=" + t.TempDir()}, exitUsage, "holds no history"},
		{[]string{"--history.path=x", "--server=y"}, exitUsage, "name one of them"},
		{[]string{"--headroom=0.5"}, exitUsage, "headroom"},
		{[]string{"--headroom=NaN"}, exitUsage, "headroom"},
		{[]string{"--reserve=2"}, exitUsage, "reserve"},
		{[]string{"--floor=home=lots"}, exitUsage, "--floor=home=lots"},
		{[]string{"--floor==8"}, exitUsage, "--floor==8"},
		{[]string{"--floor=-1"}, exitUsage, "--floor=-1"},
		{[]string{"--format=xml"}, exitUsage, "xml"},
	} {
		got := nasight(t, append([]string{"plan"}, row.args...)...)
		if got.code != row.code || !strings.Contains(got.err, row.says) || strings.Count(got.err, "\n") != 1 {
			t.Errorf("plan %v: exit code %d, said %q; want %d and %q", row.args, got.code, got.err, row.code, row.says)
		}
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if got := nasight(t, "plan", "--history.path="+empty); got.code != exitUncollect || !strings.Contains(got.err, "no inventory of a cloud has been read yet; set gcnv") || got.out != "" {
		t.Errorf("an empty history: %+v", got)
	}
}

// Without pools because the inventory was refused, the command says so as the API does, whatever pool is asked for.
func TestPlanWithoutAnInventory(t *testing.T) {
	memory := history.NewMemory(history.MemoryOptions{})
	defer memory.Close()
	at := planNow.Add(-time.Minute)
	refused := []schema.Sample{
		{Family: schema.CollectorSuccess, Labels: []string{"client1", inventoryCollector}, Value: 0, Time: at},
		{Family: schema.CloudUnreachable, Labels: []string{"gcp", "gcnv", "files-example", "", "inventory", "permission"}, Value: 1, Time: at},
		{Family: schema.CloudUnreachable, Labels: []string{"gcp", "gcnv", "other-example", "", "capacity", "timeout"}, Value: 1, Time: at},
	}
	if err := memory.Append(t.Context(), refused); err != nil {
		t.Fatal(err)
	}
	for _, pool := range []string{"", "pool-a"} {
		out, err := planOf(t, memory, planNow, func(c *planCommand) { c.Pool = pool })
		var said bytes.Buffer
		if code := codeOf(streams{err: &said}, err); code != exitUncollect || out != "" || strings.Count(said.String(), "\n") != 1 ||
			!strings.Contains(said.String(), "the inventory could not be read (files-example: permission); nasight config check --connect") {
			t.Errorf("exit code %d, printed %q, said %q", code, out, said.String())
		}
	}
}

// While the past is filled in the command says so and not that a week has to be waited for.
func TestPlanDuringTheBackfill(t *testing.T) {
	const share = 0.371
	short := &plan.Plan{Project: "files-example", Pool: "young", Status: plan.Refused, Volumes: []plan.Allocation{{Why: []string{"insufficient data: 0.02 of 7 days, 6.98 more to wait"}}}}
	partly := *short
	partly.Pool, partly.Status = "partly", plan.Proposed
	whole := &plan.Plan{Project: "files-example", Pool: "whole", Status: plan.Unchanged}
	elsewhere := *short
	elsewhere.Project = "other-example"
	for name, row := range map[string]struct {
		pools []*plan.Plan
		share float64
		code  int
		says  string
	}{
		"nothing to plan":      {[]*plan.Plan{short}, share, exitUncollect, "the test: history is still being filled with the past (37 %): there are too few days to plan from yet"},
		"one of two":           {[]*plan.Plan{short, whole}, share, exitOK, "note: history is still being filled with the past (37 %): too few days are known of volumes of young yet"},
		"some of the volumes":  {[]*plan.Plan{&partly}, share, exitOK, "volumes of partly yet"},
		"all there":            {[]*plan.Plan{whole}, share, exitOK, ""},
		"filled, and young":    {[]*plan.Plan{short}, 1, exitOK, ""},
		"of another project":   {[]*plan.Plan{&elsewhere}, share, exitOK, ""},
		"another one is young": {[]*plan.Plan{short, &elsewhere}, share, exitOK, "volumes of young yet"},
	} {
		t.Run(name, func(t *testing.T) {
			memory := history.NewMemory(history.MemoryOptions{})
			defer memory.Close()
			sample := schema.Sample{Family: schema.CloudBackfill, Labels: []string{"gcp", "gcnv", "files-example"}, Value: row.share, Time: planNow.Add(-10 * time.Minute)}
			if err := memory.Append(t.Context(), []schema.Sample{sample}); err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			err := filling(t.Context(), source{reader: memory, name: "the test"}, &plan.Answer{At: planNow, Pools: row.pools}, &said)
			if code := codeOf(streams{err: &said}, err); code != row.code || !strings.Contains(said.String(), row.says) || (said.Len() > 0) != (row.says != "") {
				t.Errorf("exit code %d, said %q; want %d and %q", code, said.String(), row.code, row.says)
			}
		})
	}
}

// The files of a serve that was stopped yesterday are read, and are whole afterwards.
func TestPlanFromFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	written, err := history.OpenEmbedded(t.Context(), history.EmbeddedOptions{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	pool := []string{"gcp", "gcnv", "files-example", "europe-west3", "pool-a", "premium", "manual", "file", "default", "default", "false", "false", "ready", ""}
	sample := schema.Sample{Family: schema.PoolInfo, Labels: pool, Value: 1, Time: time.Now().Add(-26 * time.Hour)}
	if err := errors.Join(written.Append(t.Context(), []schema.Sample{sample}), written.Close()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got := nasight(t, "plan", "--history.path="+path)
		if got.code != 0 || !strings.Contains(got.out, "From "+path+", as of ") || !strings.Contains(got.out, "26h0m0s ago") || !strings.Contains(got.out, "Refused: it has no volume") {
			t.Errorf("%+v", got)
		}
	}
}
