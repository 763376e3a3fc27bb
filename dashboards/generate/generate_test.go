package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/nasight/nasight/schema"
)

// What is committed is what the rows make, the page that lists the panels too.
func TestFilesAreUpToDate(t *testing.T) {
	made, docs := t.TempDir(), t.TempDir()
	page, err := os.ReadFile("../../docs/dashboards.md")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(docs, "dashboards.md"), page, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := write(made, docs); err != nil {
		t.Fatal(err)
	}
	same := func(committed, made string) {
		t.Helper()
		a, errA := os.ReadFile(committed)
		b, errB := os.ReadFile(made)
		if errA != nil || errB != nil || string(a) != string(b) {
			t.Errorf("%s is not what the rows make (%v, %v): run \"make dashboards\"", committed, errA, errB)
		}
	}
	same("../../docs/dashboards.md", filepath.Join(docs, "dashboards.md"))
	files, err := filepath.Glob("../*.json")
	if err != nil || len(files) != len(boards()) {
		t.Errorf("%d files of %d dashboards, %v", len(files), len(boards()), err)
	}
	for _, file := range files {
		same(file, filepath.Join(made, filepath.Base(file)))
	}
	if err := writeList(filepath.Join(made, "fleet.json")); err == nil || !strings.Contains(err.Error(), "marks") {
		t.Errorf("a page without marks: %v", err)
	}
}

// Grafana's own library reads what is written, with the options of every panel. It returns an error of no words when all is well.
func TestStrictReading(t *testing.T) {
	plugins.RegisterDefaultPlugins()
	strictly := func(data []byte) string {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(data, &fields); err != nil {
			t.Fatal(err)
		}
		delete(fields, "id") // null is what the library does not write and Grafana's import asks for
		data, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		var read dashboard.Dashboard //nolint:staticcheck // Grafana 11 does not read the second version
		if err := read.UnmarshalJSONStrict(data); err != nil {
			return err.Error()
		}
		return ""
	}
	for _, b := range boards() {
		data, err := json.Marshal(b.build())
		if err != nil {
			t.Fatal(err)
		}
		if fault := strictly(data); fault != "" {
			t.Errorf("%s: %s", b.uid, fault)
		}
		for _, wrong := range [][2]string{{`"graphTooltip"`, `"graphTooltips"`}, {`"showHeader"`, `"showHeading"`}} {
			if strings.Contains(string(data), wrong[0]) && strictly([]byte(strings.Replace(string(data), wrong[0], wrong[1], 1))) == "" {
				t.Errorf("%s: %s is not missed", b.uid, wrong[0])
			}
		}
	}
}

func TestExpressions(t *testing.T) {
	slow := schema.VolumeTotalThroughput
	for got, want := range map[string]string{
		now(schema.CPUCores, inHosts):                              `max by (host) (last_over_time(nasight_cpu_cores{host=~"$host"}[5m]))`,
		now(schema.Simulated, ""):                                  `max(last_over_time(nasight_simulated{}[5m]))`,
		window(slow):                                               "40m", // four and one of five minutes, 15 minutes late
		window(schema.PoolCapacity):                                "300m",
		over("a or b", "c", "host"):                                "(a or b) / on (host) (c > 0)",
		over("a", "c", "host"):                                     "a / on (host) (c > 0)",
		among("a or b", "host", "c"):                               "(a or b) and on (host) c",
		mapped("a", "pool", "level", "b"):                          "a * on (pool) group_left (level) topk by (pool) (1, b)",
		prometheusDuration(5 * time.Minute):                        "5m",
		prometheusDuration(90 * time.Second):                       "1m30s",
		variable{label: "l", from: []*schema.Family{slow}}.query(): "label_values(" + slow.Name + "{}, l)",
		variable{label: "l", matchers: `a="b"`, from: []*schema.Family{schema.PoolInfo, schema.AccountInfo}}.query(): `label_values({__name__=~"nasight_pool_info|nasight_account_info",a="b"}, l)`,
	} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if got := slowest(mean(slow, "") + " + " + rate(schema.CPUSeconds, "")); got != 5*time.Minute {
		t.Errorf("slowest of five minutes and 15 seconds: %s", got)
	}
	if got := slowest(now(schema.PoolCapacity, "") + " + " + rate(schema.CPUSeconds, "")); got != schema.HostGrain {
		t.Errorf("a window that is written out asks for no step: %s", got)
	}
}

// Panels stand beside each other while there is room, and below the highest of those before.
func TestLayout(t *testing.T) {
	l := layout{}
	var got [][4]uint32
	for _, size := range [][2]uint32{{24, 1}, {8, 4}, {8, 8}, {8, 4}, {12, 8}, {16, 8}, {24, 1}} {
		at := l.put(size[0], size[1])
		got = append(got, [4]uint32{at.X, at.Y, at.W, at.H})
	}
	want := [][4]uint32{{0, 0, 24, 1}, {0, 1, 8, 4}, {8, 1, 8, 8}, {16, 1, 8, 4}, {0, 9, 12, 8}, {0, 17, 16, 8}, {0, 25, 24, 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
