package azurefiles

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

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

// memory is a collectors.Memory without a file.
type memory struct {
	mu     sync.Mutex
	values map[string]float64
}

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
	t      testing.TB
	server *azure.Server
	clock  *clock
	source *Source
	config Config
	opts   Options
	past   map[string]float64 // everything that went to history, by series and moment
}

// newLab starts an emulator, and a source that reads all of its subscriptions once change has had its way.
func newLab(t testing.TB, fleet *model.Fleet, change func(*Config, *azure.Options)) *lab {
	t.Helper()
	l := &lab{t: t, clock: &clock{now: noon.Add(7*time.Minute + 11*time.Second)}, past: map[string]float64{}}
	if fleet == nil {
		var err error
		if fleet, err = azure.Example(); err != nil {
			t.Fatal(err)
		}
	} else if err := fleet.Complete(); err != nil {
		t.Fatal(err)
	}
	l.config = DefaultConfig()
	l.config.Identity.Kind = azureapi.IdentityNone
	for _, subscription := range fleet.Subscriptions {
		l.config.Subscriptions = append(l.config.Subscriptions, subscription.ID)
	}
	options := azure.Options{Seed: 1, Epoch: noon, Clock: l.clock.Now}
	if change != nil {
		change(&l.config, &options)
	}
	server, err := azure.Start(t.Context(), fleet, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	l.server = server
	l.config.Endpoints = Endpoints{ResourceManager: server.URL(), Metrics: server.URL(), Batch: server.URL(), CAFile: server.CAFile()}
	l.opts = Options{Memory: &memory{values: map[string]float64{}}, Clock: l.clock.Now, FirstRetry: time.Millisecond}
	l.restart()
	return l
}

// restart replaces the source, as a restart of the process does.
func (l *lab) restart() {
	l.t.Helper()
	if l.source != nil {
		l.source.Close()
	}
	source, err := New(l.config, l.opts)
	if err != nil {
		l.t.Fatal(err)
	}
	l.source = source
	l.t.Cleanup(source.Close)
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
	result := once(l.t, l.source, name, l.clock.Now())
	for _, sample := range slices.Concat(result.Past, result.Samples) {
		l.keep(sample)
	}
	return result
}

// once makes one run of a collector of a source.
func once(t testing.TB, source *Source, name string, at time.Time) collectors.Result {
	t.Helper()
	for _, entry := range source.Entries() {
		if entry.Name != "azurefiles_"+name {
			continue
		}
		c, err := entry.New(collectors.Root{}, collectors.Settings{})
		if err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		return collectors.Once(ctx, c, at)
	}
	t.Errorf("no collector %s", name)
	return collectors.Result{}
}

// keep stores a sample as history does, and complains about a second value of a moment.
func (l *lab) keep(sample schema.Sample) {
	id := fmt.Sprintf("%s@%d", seriesOf(sample), sample.Time.UnixMilli())
	if before, known := l.past[id]; known && before != sample.Value && sample.Time.Before(l.clock.Now()) {
		l.t.Errorf("%s was %g and is %g", id, before, sample.Value)
	}
	l.past[id] = sample.Value
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

// of finds the values of a family by their labels from the account on, joined by commas.
func of(samples []schema.Sample, family *schema.Family) map[string]float64 {
	found := map[string]float64{}
	for _, sample := range samples {
		if sample.Family == family {
			found[strings.Join(sample.Labels[4:], ",")] = sample.Value
		}
	}
	return found
}

// reasons are why something could not be read: subscription, what, reason.
func reasons(result collectors.Result) map[string]bool {
	found := map[string]bool{}
	for _, sample := range result.Samples {
		if sample.Family == schema.CloudUnreachable {
			found[sample.Labels[2][len(sample.Labels[2])-1:]+" "+strings.Join(sample.Labels[4:], " ")] = true
		}
	}
	return found
}

// minutes lists the ends of the points that history has of a series, as minutes after noon.
func (l *lab) minutes(series string) []int {
	var found []int
	for id := range l.past {
		var at int64
		name, moment, _ := strings.Cut(id, "@")
		if _, err := fmt.Sscan(moment, &at); err == nil && name == series {
			found = append(found, int(time.UnixMilli(at).Sub(noon)/time.Minute))
		}
	}
	slices.Sort(found)
	return found
}

// fleetOf is a subscription with accounts of SSD shares, the first two of which have something to do.
func fleetOf(accounts, shares int) *model.Fleet { return busyFleet(accounts, shares, 2) }

// busyFleet is one whose shares have something to do, so many of each account.
func busyFleet(accounts, shares, busy int) *model.Fleet {
	subscription := &model.Subscription{ID: testSubscription, Name: "example", Features: map[string]string{
		"AzurePremiumFilesMetadataCacheFeature": model.Registered, "HigherHandlesCountOnSmb": "NotRegistered",
	}}
	for i := range accounts {
		account := &model.Account{
			Name: fmt.Sprintf("examplefiles%02d", i), ResourceGroup: "files", Location: "westeurope", Kind: model.FileStorage,
			SKU: "PremiumV2_LRS", Created: noon.AddDate(0, -1, 0),
		}
		for j := range shares {
			share := &model.Share{Name: fmt.Sprintf("share%02d", j), QuotaGiB: 1024, IOPS: 4000, MiBps: 200, UsedGiB: 100}
			if j < busy {
				share.Load = model.Workload{ReadMiBps: 10, WriteMiBps: 5}
			}
			account.Shares = append(account.Shares, share)
		}
		subscription.Accounts = append(subscription.Accounts, account)
	}
	return &model.Fleet{Subscriptions: []*model.Subscription{subscription}}
}
