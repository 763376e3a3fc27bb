package evaluate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const mib = 1 << 20

// cloud is a small world: one volume of a pool, that moves what its fleet's description says, up to its limit.
type cloud struct {
	setting Setting
	now     time.Time
	moved   float64
	closed  *atomic.Int32
}

func (c *cloud) Now() time.Time { return c.now }

func (c *cloud) Advance(to time.Time) {
	for ; c.now.Before(to); c.now = c.now.Add(time.Second) {
		c.moved += min(c.volume().Load.ReadMiBps, c.volume().ThroughputMiBps) * mib
	}
}

func (c *cloud) Close() error { c.closed.Add(1); return nil }

func (c *cloud) Moved(host, path string) (float64, bool) { return c.moved, path == "/data" }

func (c *cloud) Change(to *model.Fleet) error { c.setting.Fleet = to; return nil }

func (c *cloud) volume() *model.Volume { return c.setting.Fleet.Projects[0].Pools[0].Volumes[0] }

func (c *cloud) Collect(_ context.Context, at time.Time) ([]schema.Sample, error) {
	var samples []schema.Sample
	if at.Truncate(schema.GCNVGrain).Equal(at) {
		samples = c.grain(at)
	}
	return samples, nil
}

func (c *cloud) Past(_ context.Context, from, to time.Time) ([]schema.Sample, error) {
	var samples []schema.Sample
	for at := from.Truncate(schema.GCNVGrain); at.Before(to); at = at.Add(schema.GCNVGrain) {
		samples = append(samples, c.grain(at)...)
	}
	return samples, nil
}

// grain is what the cloud tells of five minutes, and of its inventory.
func (c *cloud) grain(at time.Time) []schema.Sample {
	project := c.setting.Fleet.Projects[0]
	pool, volume := project.Pools[0], c.volume()
	poolLabels := []string{"gcp", "gcnv", project.ID, pool.Location, pool.Name}
	labels := append(poolLabels[:5:5], volume.Name)
	use, latency := min(volume.Load.ReadMiBps/volume.ThroughputMiBps, 1), 0.001
	if use == 1 {
		latency = 0.02
	}
	var samples []schema.Sample
	add := func(family *schema.Family, value float64, labels ...string) {
		samples = append(samples, schema.Sample{Family: family, Labels: labels, Value: value, Time: at})
	}
	add(schema.PoolInfo, 1, append(poolLabels[:5:5], "premium", "manual", "file", "default", "default", "false", "false", "ready", "")...)
	add(schema.PoolCapacity, float64(pool.CapacityGiB)*(1<<30), poolLabels...)
	add(schema.PoolTotalThroughput, 2_560*mib, poolLabels...)
	add(schema.PoolAvailableThroughput, 0, poolLabels...)
	add(schema.VolumeInfo, 1, append(labels[:6:6], "premium", "manual", "nfsv3", "ready", "false", "false", "", "volume")...)
	add(schema.VolumeAssignedThroughput, volume.ThroughputMiBps*mib, labels...)
	add(schema.VolumeTotalThroughput, use*volume.ThroughputMiBps*mib, labels...)
	add(schema.VolumeThroughputLimit, volume.ThroughputMiBps*mib, labels...)
	add(schema.VolumeMeanLatency, latency, labels...)
	return samples
}

const limited = `
name: volume-at-its-limit
about: Clients ask for more of a volume than its limit.
duration: 90m
fleet:
  hosts: HOSTS
  projects:
  - id: example-project
    number: 1
    pools:
    - name: pool-1
      location: europe-west3
      service_level: PREMIUM
      qos: MANUAL
      capacity_gib: 40960
      volumes:
      - {name: home, capacity_gib: 1024, throughput_mibps: 100, protocols: [NFSV3], load: {read_mibps: 20}}
changes:
- {at: 30m, project: example-project, pool: pool-1, volume: home, set: {load: {read_mibps: 300}}}
truth:
- {detector: limit_reached, variant: throughput, resource: {pool: pool-1, volume: home}, from: 30m}
`

// without leaves out the lines that hold a word.
func without(text, word string) string {
	var kept []string
	for _, line := range strings.Split(text, "\n") {
		if !strings.Contains(line, word) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

func parsed(t *testing.T, text string) *Scenario {
	t.Helper()
	scenario, err := ParseScenario("test.yml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return scenario
}

// open counts the worlds that are open.
func opening(balance *atomic.Int32) Opening {
	return func(_ context.Context, setting Setting) (World, error) {
		balance.Add(-1)
		return &cloud{setting: setting, now: setting.Start, closed: balance}, nil
	}
}

func TestPlay(t *testing.T) {
	var balance atomic.Int32
	positive := parsed(t, without(limited, "HOSTS"))
	quiet := strings.Replace(without(without(limited, "HOSTS"), "- {detector"), "read_mibps: 300", "read_mibps: 60", 1)
	quiet = strings.Replace(strings.Replace(quiet, "name: volume-at", "name: volume-below", 1), "truth:", "truth: []", 1)
	part, err := Play(t.Context(), []*Scenario{positive, parsed(t, quiet)}, opening(&balance), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if balance.Load() != 0 {
		t.Errorf("%d worlds were not closed", -balance.Load())
	}
	if part.Cases != 2 || part.Negatives != 1 || part.Disturbed != 0 || part.Total.Found != 1 || part.Total.False != 0 {
		t.Errorf("%+v", part)
	}
	row := rowOf(t, part.Scores, detectors.Name{Detector: detectors.LimitReached, Variant: detectors.VariantThroughput})
	if !row.DetectMedian.Above(0) || !row.DetectMedian.Below(3600) {
		t.Errorf("time to detect %v", row.DetectMedian)
	}
	if !part.Cost.Above(0) && part.Cost.Known() {
		t.Errorf("cost %v", part.Cost)
	}
}

// A volume of which a quarter is used for two weeks has throughput to spare: the look over days finds it, through history
// in files as through that in memory.
func TestPlayWithPast(t *testing.T) {
	text := strings.Replace(without(without(limited, "HOSTS"), "at: 30m"), "duration: 90m", "duration: 15m\npast: 336h", 1)
	text = strings.Replace(text, "changes:\n", "", 1)
	text = strings.Replace(text, "limit_reached, variant: throughput", "pool_throughput_unused, variant: allocated_unused", 1)
	text = strings.Replace(text, "from: 30m", "from: 0m", 1)
	text = strings.Replace(text, "throughput_mibps: 100", "throughput_mibps: 400", 1)
	var balance atomic.Int32
	part, err := Play(t.Context(), []*Scenario{parsed(t, text)}, opening(&balance), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if part.Total.Found != 1 {
		t.Errorf("%+v", part)
	}
}

func TestTemporaryHistoryIsDeleted(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	store, err := storeOf(t.Context(), &Scenario{Duration: longest, Past: tick})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// broken is a world that fails at a time.
type broken struct{ cloud }

func (b *broken) Collect(ctx context.Context, at time.Time) ([]schema.Sample, error) {
	if at.Sub(b.setting.Start) >= 2*time.Minute {
		return nil, errors.New("the emulator is gone")
	}
	return b.cloud.Collect(ctx, at)
}

func TestPlayFails(t *testing.T) {
	scenario := parsed(t, without(limited, "HOSTS"))
	var balance atomic.Int32
	gone := func(_ context.Context, setting Setting) (World, error) {
		balance.Add(-1)
		return &broken{cloud{setting: setting, now: setting.Start, closed: &balance}}, nil
	}
	_, err := Play(t.Context(), []*Scenario{scenario, scenario, scenario}, gone, Options{Workers: 2})
	if want := "test.yml: after 2m0s: collect: the emulator is gone"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if balance.Load() != 0 {
		t.Errorf("%d worlds were not closed", -balance.Load())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Play(ctx, []*Scenario{scenario}, opening(&balance), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of an evaluation that was cancelled", err)
	}
}

// What the simulator cannot play is a mistake of the scenario, in a line of its file.
func TestImpossibleWorld(t *testing.T) {
	scenario := parsed(t, without(limited, "HOSTS"))
	for _, row := range []struct {
		err  error
		want string
	}{
		{errors.New("host web-1 asks for more than any network carries"), "test.yml:6: fleet: host web-1 asks"},
		{keyedError{}, "test.yml:16: fleet: projects[0].pools[0].volumes[0]: is too fast"},
	} {
		_, err := Play(t.Context(), []*Scenario{scenario}, func(context.Context, Setting) (World, error) { return nil, row.err }, Options{})
		var impossible *ImpossibleError
		if !errors.As(err, &impossible) || !strings.HasPrefix(err.Error(), row.want) || !errors.Is(err, row.err) {
			t.Errorf("error %v, want %s", err, row.want)
		}
	}
}

type keyedError struct{}

func (keyedError) Error() string { return "projects[0].pools[0].volumes[0]: is too fast" }
func (keyedError) Key() string   { return "projects[0].pools[0].volumes[0]" }

// A remedy that doubles the limit of a volume of which three times its limit is asked doubles what is moved.
func TestAchieved(t *testing.T) {
	scenario := parsed(t, without(limited, "HOSTS"))
	remedied := parsed(t, strings.Replace(without(limited, "HOSTS"), "throughput_mibps: 100", "throughput_mibps: 200", 1))
	promise := scenario.Truths[0]
	promise.Remedied = &Remedied{Fleet: remedied.Fleet, Changes: remedied.Changes, Mounts: []MountName{{"web-1", "/data"}}}
	var balance atomic.Int32
	achieved, err := achieve(t.Context(), scenario, promise, opening(&balance))
	if err != nil || achieved == nil {
		t.Fatalf("%v, %v", achieved, err)
	}
	near(t, "factor", achieved.in("factor"), 2)
	near(t, "bytes per second", achieved.in("bytes per second"), 100*mib)
	promise.Remedied.Mounts[0].Path = "/other"
	if _, err := achieve(t.Context(), scenario, promise, opening(&balance)); err == nil || balance.Load() != 0 {
		t.Errorf("error %v, %d worlds open", err, -balance.Load())
	}
	promise.Remedied = nil
	if achieved, err := achieve(t.Context(), scenario, promise, opening(&balance)); achieved != nil || err != nil {
		t.Errorf("%v, %v without a remedy", achieved, err)
	}
}

func TestReadScenarios(t *testing.T) {
	directory := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(directory, name)), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fails := func(want string) {
		t.Helper()
		if _, err := ReadScenarios(directory); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	fails("holds no file")
	good := without(limited, "HOSTS")
	write("b/positive.yml", good)
	write("a.yaml", strings.Replace(strings.Replace(good, "name: volume-at-its-limit", "name: other", 1), "90m", "60m", 1))
	write("notes.txt", "nothing")
	scenarios, err := ReadScenarios(directory)
	if err != nil || len(scenarios) != 2 || scenarios[0].Name != "other" || scenarios[0].Duration != time.Hour {
		t.Fatalf("%v, %v", scenarios, err)
	}
	write("c.yml", good)
	fails(fmt.Sprintf("%s:2: name: volume-at-its-limit is a scenario of %s already", filepath.Join(directory, "c.yml"), filepath.Join(directory, "b/positive.yml")))
	negative := strings.Replace(without(good, "- {detector"), "truth:", "truth: []\ntwin: nobody\ncause: limit", 1)
	write("c.yml", strings.Replace(negative, "name: volume-at-its-limit", "name: negative", 1))
	fails(`c.yml:20: twin: there is no scenario "nobody"`)
}
