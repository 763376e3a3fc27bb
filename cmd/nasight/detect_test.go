package main

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/promapi"
	"github.com/nasight/nasight/schema"
)

// recordedTime is how long the recorded history is.
const recordedTime = 90 * time.Minute

// limitedVolume is what a history tells of a volume that is at its limit from 10 minutes to 30, and from 60 on.
func limitedVolume(from time.Time) []schema.Sample {
	const mib = 1 << 20
	pool := []string{"gcp", "gcnv", "example-project", "europe-west3", "pool-1"}
	volume := append(pool[:5:5], "home")
	var samples []schema.Sample
	add := func(at time.Time, family *schema.Family, value float64, labels ...string) {
		samples = append(samples, schema.Sample{Family: family, Labels: labels, Value: value, Time: at})
	}
	for since := time.Duration(0); since <= recordedTime; since += 15 * time.Second {
		at := from.Add(since)
		add(at, schema.CollectorSuccess, 1, "here", "gcnv_inventory")
		if since%(5*time.Minute) != 0 {
			continue
		}
		rate := 20.0
		if since >= 10*time.Minute && since < 30*time.Minute || since >= time.Hour {
			rate = 100
		}
		add(at, schema.PoolInfo, 1, append(pool[:5:5], "premium", "manual", "file", "default", "default", "false", "false", "ready", "")...)
		add(at, schema.VolumeInfo, 1, append(volume[:6:6], "premium", "manual", "nfsv3", "ready", "false", "false", "", "volume")...)
		add(at, schema.VolumeAssignedThroughput, 100*mib, volume...)
		add(at, schema.VolumeThroughputLimit, 100*mib, volume...)
		add(at, schema.VolumeTotalThroughput, rate*mib, volume...)
		add(at, schema.VolumeMeanLatency, 0.001*rate, volume...)
	}
	return samples
}

// The same past gives the same findings from the files of a serve that was stopped, from a server that answers PromQL, and
// from memory.
func TestDetect(t *testing.T) {
	from := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	to := from.Add(recordedTime)
	memory, data := history.NewMemory(history.MemoryOptions{}), filepath.Join(t.TempDir(), "data")
	defer memory.Close()
	files, err := history.OpenEmbedded(t.Context(), history.EmbeddedOptions{Path: data})
	if err != nil {
		t.Fatal(err)
	}
	samples := limitedVolume(from)
	if err := errors.Join(memory.Append(t.Context(), samples), files.Append(t.Context(), samples), files.Close()); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(promapi.NewHandler(memory, promapi.Options{}))
	defer server.Close()
	terms := judge.HostTerms(time.Minute)
	want, judged, err := judge.Replay(t.Context(), memory, terms, from, to, time.Minute, nil)
	if err != nil || judged != 91 || len(want) == 0 {
		t.Fatalf("%d evaluations, %d findings, error %v", judged, len(want), err)
	}
	for _, history := range []string{"--data=" + data, "--history.url=" + server.URL, "--data=" + data} {
		got := nasight(t, "detect", "--from="+from.Format(time.RFC3339), "--to="+to.Format(time.RFC3339), "--format=json", history)
		var read backtest
		if err := json.Unmarshal([]byte(got.out), &read); got.code != 0 || got.err != "" || err != nil {
			t.Fatalf("%s: %+v, %v", history, got, err)
		}
		if !read.From.Equal(from) || !read.To.Equal(to) || read.Evaluations != judged {
			t.Errorf("%s: %s to %s, %d evaluations", history, read.From, read.To, read.Evaluations)
		}
		if diff := cmp.Diff(stories(want), stories(read.Findings)); diff != "" {
			t.Errorf("%s (-memory +command):\n%s", history, diff)
		}
	}
	text := nasight(t, "detect", "--from="+from.Format(time.RFC3339), "--to="+to.Format(time.RFC3339), "--data="+data)
	if !strings.Contains(text.out, "limit_reached/throughput") || !strings.Contains(text.out, "91 evaluations") || !strings.Contains(text.out, "pool-1 home") {
		t.Errorf("%+v", text)
	}
	quiet := nasight(t, "detect", "--from="+from.Format(time.RFC3339), "--to="+from.Add(5*time.Minute).Format(time.RFC3339), "--data="+data)
	if quiet.code != 0 || !strings.Contains(quiet.out, "6 evaluations, 0 findings") {
		t.Errorf("%+v", quiet)
	}
}

type told struct {
	ID                     string
	Since, Fired, Resolved time.Time
	State                  detectors.State
}

func stories(lives []judge.Life) []told {
	var all []told
	for _, life := range lives {
		one := told{ID: life.ID, Since: life.Since, Fired: life.Fired, State: life.State}
		if life.Resolved != nil {
			one.Resolved = *life.Resolved
		}
		all = append(all, one)
	}
	return all
}

func TestDetectExitCodes(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "data")
	files, err := history.OpenEmbedded(t.Context(), history.EmbeddedOptions{Path: empty})
	if err != nil || files.Close() != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(t.TempDir(), "nasight.yml")
	if err := os.WriteFile(bad, []byte("hosts: []\nwrong_key: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args []string
		code int
		says string
	}{
		{nil, 2, "--from"},
		{[]string{"--from=soon"}, 2, "--from=soon: is no time"},
		{[]string{"--from=-1h"}, 2, "--from=-1h: is no time"},
		{[]string{"--from=1h", "--to=later"}, 2, "--to=later: is no time"},
		{[]string{"--from=1h", "--to=2h"}, 2, "is not before the end"},
		{[]string{"--from=2026-01-01", "--to=2026-11-01"}, 2, "judge less at a time"},
		{[]string{"--from=1h", "--data=" + t.TempDir()}, 2, "holds no history"},
		{[]string{"--from=1h", "--data=a", "--history.url=http://b"}, 2, "name one of them"},
		{[]string{"--from=1h", "--history.url=ftp://b"}, 2, "--history.url: the server's address is no URL"},
		{[]string{"--from=1h", "--config.file=" + bad}, 2, bad + ":2:1"},
		{[]string{"--from=1h", "--format=xml"}, 2, "xml"},
		{[]string{"--from=1h", "--data=" + empty}, 3, "has no samples from"},
		{[]string{"--from=1h", "--history.url=http://127.0.0.1:1"}, 3, "judge the history: ask http://127.0.0.1:1: dial tcp 127.0.0.1:1: "},
	} {
		got := nasight(t, append([]string{"detect"}, row.args...)...)
		if got.code != row.code || !strings.Contains(got.err, row.says) {
			t.Errorf("%v: %+v, want exit code %d and %q", row.args, got, row.code, row.says)
		}
	}
}
