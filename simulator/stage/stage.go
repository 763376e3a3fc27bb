// Package stage puts a simulated fleet before the real collectors: its hosts as files, its clouds as emulators that speak
// the clouds' own protocols. All of it goes by simulated time, so that an hour passes in a second.
package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/azurefiles"
	"github.com/nasight/nasight/collectors/gcnv"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator"
	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/model"
	"github.com/nasight/nasight/simulator/world"
)

// Stage is a fleet in motion with everything that reads it. It is used by one goroutine at a time, but for Fill.
type Stage struct {
	world *world.World
	clock atomic.Pointer[time.Time]
	hosts []*station // in the description's order

	google *simulator.Server  // nil without projects
	azure  *azure.Server      // nil without subscriptions
	gcnv   *gcnv.Source       // reads google
	files  *azurefiles.Source // reads azure
	memory collectors.Memory
	clouds []*reader
	host   string // that asks them
	kept   bool
}

// Options say what is put on the stage.
type Options struct {
	Fleet  *model.Fleet // complete
	Seed   uint64
	Start  time.Time         // the moment at which hosts were booted and the description's values hold
	Noise  float64           // deviation of what hosts count, as a share
	Past   time.Duration     // how far back the clouds can be asked
	Kept   bool              // the past has the minutes, too, that serve would have kept of Azure's
	World  *world.World      // one that moves already: it takes the place of Fleet, Seed, Start and Noise
	Host   string            // that asks the clouds; empty for one of the stage's own
	Memory collectors.Memory // what the clouds' collectors remember; nil for a new one
}

func (o *Options) complete() (err error) {
	if o.World == nil {
		if o.World, err = world.New(o.Fleet, world.Options{Seed: o.Seed, Epoch: o.Start, Noise: o.Noise}); err != nil {
			return err
		}
	}
	o.Fleet = o.World.Model().Fleet()
	if o.Memory == nil {
		o.Memory = &memory{}
	}
	return nil
}

// New puts a fleet on the stage. Close it when done. The error says what is impossible about the fleet.
func New(ctx context.Context, options Options) (_ *Stage, err error) {
	if err := options.complete(); err != nil {
		return nil, err
	}
	now := options.World.Now()
	s := &Stage{world: options.World, memory: options.Memory, host: cmp.Or(options.Host, "nasight-1"), kept: options.Kept}
	s.clock.Store(&now)
	for range options.Fleet.Hosts {
		s.hosts = append(s.hosts, newStation())
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if err := s.openGoogle(ctx, options); err != nil {
		return nil, err
	}
	return s, s.openAzure(ctx, options)
}

// now is the stage's time.
func (s *Stage) now() time.Time { return *s.clock.Load() }

// Now is the moment that the fleet stands at.
func (s *Stage) Now() time.Time { return s.world.Now() }

// Advance takes the fleet to a moment. One that has passed changes nothing.
func (s *Stage) Advance(to time.Time) {
	s.world.Advance(to)
	if now := s.world.Now(); now.After(s.now()) {
		s.clock.Store(&now)
	}
}

// Change lets another description of the same fleet hold from now on.
func (s *Stage) Change(to *model.Fleet) error { return s.world.Change(to) }

// Moved is how many bytes a mount has read and written since the start; false where there is no such mount.
func (s *Stage) Moved(host, path string) (float64, bool) { return s.world.Moved(host, path) }

// Collect reads every host, and each cloud whose collectors are due. An error says which collector could not read.
func (s *Stage) Collect(ctx context.Context, at time.Time) ([]schema.Sample, error) {
	var all []schema.Sample
	for i, machine := range s.world.Machines() {
		if machine == nil {
			s.hosts[i].stop()
			continue
		}
		samples, err := s.hosts[i].collect(ctx, machine, at)
		if err != nil {
			return nil, err
		}
		all = append(all, samples...)
	}
	for _, r := range s.clouds {
		samples, err := r.collect(ctx, at)
		if err != nil {
			return nil, err
		}
		all = append(all, samples...)
	}
	return all, nil
}

// Close stops the emulators.
func (s *Stage) Close() error {
	var errs []error
	if s.gcnv != nil {
		s.gcnv.Close()
	}
	if s.files != nil {
		s.files.Close()
	}
	if s.google != nil {
		errs = append(errs, s.google.Close())
	}
	if s.azure != nil {
		errs = append(errs, s.azure.Close())
	}
	return errors.Join(errs...)
}

// memory is what collectors remember, for as long as the stage is there.
type memory struct{ values sync.Map }

func (m *memory) Load(key string) (float64, bool) {
	value, ok := m.values.Load(key)
	if !ok {
		return 0, false
	}
	number, ok := value.(float64)
	return number, ok
}

func (m *memory) Store(key string, value float64) { m.values.Store(key, value) }

// reader is one collector of a cloud with its clock.
type reader struct {
	host      string
	entry     collectors.Entry
	collector collectors.Collector
	next      time.Time
}

// collectTime bounds a run by the clock of this machine.
const collectTime = 5 * time.Minute

func (r *reader) collect(ctx context.Context, at time.Time) ([]schema.Sample, error) {
	if at.Before(r.next) {
		return nil, nil
	}
	r.next = at.Add(r.entry.Interval)
	ctx, cancel := context.WithTimeout(ctx, collectTime)
	defer cancel()
	result := collectors.Once(ctx, r.collector, at)
	if !result.Success() {
		return nil, fmt.Errorf("collector %s: %w", r.entry.Name, result.Err)
	}
	read := schema.Sample{Family: schema.CollectorSuccess, Labels: []string{r.host, r.entry.Name}, Value: 1, Time: at}
	return append(result.Past, append(result.Samples, read)...), nil
}
