package gcnv

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/api/option"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator"
	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

var epoch = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *clock) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// memory is a collectors.Memory without a file.
type memory struct {
	mu     sync.Mutex
	values map[string]float64
}

func newMemory() *memory { return &memory{values: map[string]float64{}} }

func (m *memory) Load(key string) (float64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.values[key]
	return value, ok
}

func (m *memory) Store(key string, value float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values[key] = value
}

// lab is a source that reads an emulated cloud.
type lab struct {
	t      *testing.T
	server *simulator.Server
	clock  *clock
	source *Source
	config Config
	memory *memory
	token  string                   // shown with every request; empty for none
	past   map[string]schema.Sample // everything that went to history, by series and moment
}

// newLab starts an emulator with a fleet, and a source that reads all of its projects once change has had its way.
func newLab(t *testing.T, fleet *model.Fleet, change func(*Config, *simulator.Options)) *lab {
	t.Helper()
	if err := fleet.Complete(); err != nil {
		t.Fatal(err)
	}
	l := &lab{t: t, clock: &clock{now: epoch.Add(2 * time.Hour)}, memory: newMemory(), past: map[string]schema.Sample{}}
	l.config = DefaultConfig()
	l.config.Pacing.CallsPerSecond = 1000
	for _, project := range fleet.Projects {
		l.config.Projects = append(l.config.Projects, project.ID)
	}
	options := simulator.Options{Fleet: fleet, Epoch: epoch, Clock: l.clock.Now}
	if change != nil {
		change(&l.config, &options)
	}
	server, err := simulator.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	l.server = server
	l.restart()
	return l
}

// restart replaces the source, as a restart of the process does.
func (l *lab) restart() {
	l.t.Helper()
	if l.source != nil {
		l.source.Close()
	}
	source, err := New(l.config, Options{
		Memory: l.memory, Dial: l.dial, Clock: l.clock.Now, FirstRetry: time.Millisecond, Patience: 2 * time.Second,
		BackfillPause: 10 * time.Millisecond,
	})
	if err != nil {
		l.t.Fatal(err)
	}
	l.source = source
	l.t.Cleanup(source.Close)
}

func (l *lab) dial(_ context.Context, name string) ([]option.ClientOption, error) {
	if name == string(monitoringAPI) {
		if l.token != "" {
			return l.server.ClientOptionsAs(l.token), nil
		}
		return l.server.ClientOptions(), nil
	}
	if l.token != "" {
		return l.server.RESTOptionsAs(l.token), nil
	}
	return l.server.RESTOptions(), nil
}

func (l *lab) inject(fault faults.Fault) (remove func()) {
	l.t.Helper()
	remove, err := l.server.Inject(fault)
	if err != nil {
		l.t.Fatal(err)
	}
	return remove
}

// run makes one run of a collector.
func (l *lab) run(name string) collectors.Result {
	l.t.Helper()
	for _, entry := range l.source.Entries() {
		if entry.Name != name {
			continue
		}
		c, err := entry.New(collectors.Root{}, collectors.Settings{})
		if err != nil {
			l.t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(l.t.Context(), time.Minute)
		defer cancel()
		result := collectors.Once(ctx, c, l.clock.Now())
		for _, sample := range slices.Concat(result.Past, result.Samples) {
			l.keep(sample)
		}
		return result
	}
	l.t.Fatalf("no collector %s", name)
	return collectors.Result{}
}

// keep stores a sample as history does, and complains about a second value of a moment.
func (l *lab) keep(sample schema.Sample) {
	id := fmt.Sprintf("%s@%d", seriesOf(sample), sample.Time.UnixMilli())
	if before, known := l.past[id]; known && before.Value != sample.Value && sample.Time.Before(l.clock.Now()) {
		l.t.Errorf("%s was %g and is %g", id, before.Value, sample.Value)
	}
	l.past[id] = sample
}

// good makes one run that has to succeed.
func (l *lab) good(name string) collectors.Result {
	l.t.Helper()
	result := l.run(name)
	if result.Err != nil {
		l.t.Fatalf("%s: %v", name, result.Err)
	}
	return result
}

func seriesOf(sample schema.Sample) string {
	return sample.Family.Name + "{" + strings.Join(sample.Labels, ",") + "}"
}

// of finds the values of a family by their labels from the third one on (without cloud and service), joined by commas.
func of(samples []schema.Sample, family *schema.Family) map[string]float64 {
	found := map[string]float64{}
	for _, sample := range samples {
		if sample.Family == family {
			found[strings.Join(sample.Labels[2:], ",")] = sample.Value
		}
	}
	return found
}

// moments lists the times of the samples that history has of a series.
func (l *lab) moments(series string) []time.Time {
	var times []time.Time
	for _, sample := range l.past {
		if seriesOf(sample) == series {
			times = append(times, sample.Time)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	return times
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// fleetOf is a fleet of premium pools with two volumes each, one pool in each project.
func fleetOf(ids ...string) *model.Fleet {
	fleet := &model.Fleet{}
	for i, id := range ids {
		fleet.Projects = append(fleet.Projects, &model.Project{
			ID: id, Number: int64(1001 + i),
			Pools: []*model.Pool{{
				Name: "pool1", Location: "europe-west3", ServiceLevel: model.Premium, CapacityGiB: 4096,
				Volumes: []*model.Volume{volumeOf("data", 40), volumeOf("logs", 10)},
			}},
		})
	}
	return fleet
}

func volumeOf(name string, mibps float64) *model.Volume {
	return &model.Volume{
		Name: name, CapacityGiB: 1024, Protocols: []string{"NFSV3"}, UsedGiB: 500, InodesUsed: 1000,
		Mount: []model.MountOption{{Export: "/" + name, IPAddress: "192.0.2.10", Protocol: "NFSV3"}},
		Load:  model.Workload{ReadMiBps: mibps, WriteMiBps: mibps / 4, MetadataMiBps: 0.1},
	}
}
