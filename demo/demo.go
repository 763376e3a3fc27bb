// Package demo is nasight serve on a simulated fleet, to see the product without an account or a server. Only what is read
// is simulated: the clouds by emulators that speak their protocols, the hosts by files as their kernels would show them.
// Collectors, back-fill, history, detection and HTTP are those of serve.
package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/serve"
	"github.com/nasight/nasight/simulator/model"
	"github.com/nasight/nasight/simulator/world"
)

// Notice says what all of it is.
const Notice = "SIMULATED DATA: nasight demo shows an invented fleet. Nothing here is measured."

// Options say what is shown and how.
type Options struct {
	Fleet   *model.Fleet // complete; nil for the built-in one with its incidents
	Seed    uint64       // of the fleet's noise: the same seed at the same time gives the same data
	Speed   float64      // how often the incidents of an hour come within it: 1 to MaxSpeed
	Address string       // to listen on
	History string       // directory; empty for a temporary one
	Build   export.Build

	Export   config.Export   // where results go; the zero value for nowhere
	Alerting config.Alerting // rules that are evaluated here; the zero value for none

	Logger    *slog.Logger   // nil for none
	Listening func(net.Addr) // told once it can be asked; may be nil

	reduce func(*model.Fleet)
}

// MaxSpeed is the highest speed. Rules want a minute at least to see anything.
const MaxSpeed = 60

const (
	past     = 14 * 24 * time.Hour // what history holds at the start
	lastHour = time.Hour           // of it, which the collectors read
	grain    = 15 * time.Second    // of what they read
	noise    = 0.01                // deviation of what hosts count
)

// Run serves until the context ends. What it made on disk is gone then, but a history that Options name.
func Run(ctx context.Context, options Options) (err error) {
	if !(options.Speed >= 1 && options.Speed <= MaxSpeed) { // NaN fails both
		return fmt.Errorf("speed %g is out of range: 1 to %d", options.Speed, MaxSpeed)
	}
	log := options.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	log.Warn(Notice)
	if err := free(ctx, options.Address); err != nil {
		return err
	}
	directory, remove, err := temporary(os.TempDir(), log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if options.History == "" {
		options.History = filepath.Join(directory, "history")
	}
	if err := serve.Claim(options.History, true); err != nil {
		return err
	}
	s, err := newSimulation(ctx, options, directory)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	return s.run(ctx, options, log)
}

// free tells at the start whether the address can be listened on: making the past takes a while.
func free(ctx context.Context, address string) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w; choose another address with --web.listen-address", address, err)
	}
	return listener.Close()
}

// simulation is what serve reads.
type simulation struct {
	world  *world.World
	hosts  *hosts
	clouds *clouds
	plot   *plot // nil: nothing happens
}

func newSimulation(ctx context.Context, options Options, directory string) (*simulation, error) {
	s := &simulation{}
	now := time.Now()
	if options.Fleet == nil {
		s.plot = &plot{cycle: time.Duration(float64(time.Hour) / options.Speed), began: now, known: map[string]*model.Fleet{}, reduce: options.reduce}
		fleet, err := s.plot.fleet("")
		if err != nil {
			return nil, err
		}
		options.Fleet = fleet
	}
	var err error
	s.world, err = world.New(options.Fleet, world.Options{
		Seed: options.Seed, Epoch: now.Truncate(model.Grain), Boot: now.Add(-lastHour).Truncate(grain), Noise: noise,
	})
	if err != nil {
		return nil, err
	}
	s.hosts = &hosts{directory: directory, fleet: options.Fleet}
	s.clouds, err = startClouds(ctx, s.world.Model())
	return s, err
}

func (s *simulation) close() error { return s.clouds.close() }

// run fills history with the past of the hosts, and serves.
func (s *simulation) run(ctx context.Context, options Options, log *slog.Logger) error {
	cfg := s.configuration(options)
	began := time.Now()
	err := s.remember(ctx, cfg)
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return nil // told to end before there was anything to see
	}
	if err != nil {
		return err
	}
	log.Info("the hosts' past is in history", "took", time.Since(began).Round(time.Millisecond))
	if err := s.move(); err != nil {
		return err
	}
	server, err := serve.New(ctx, serve.Options{
		Config: cfg, Build: options.Build, Simulated: Notice, Logger: log, Listening: options.Listening,
	})
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return server.Run(ctx) })
	group.Go(func() error { return s.live(ctx) })
	return group.Wait()
}

// tick is how often the hosts' files are written: they are read every 15 seconds.
const tick = 2 * time.Second

// live lets the fleet move with the clock until the context ends.
func (s *simulation) live(ctx context.Context) error {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			if err := s.move(); err != nil {
				return err
			}
		}
	}
}

// move takes the fleet to the present.
func (s *simulation) move() error {
	now := time.Now()
	s.world.Advance(now)
	if s.plot != nil {
		changed, err := s.plot.at(now)
		if err != nil {
			return err
		}
		if changed != nil {
			if err := s.world.Change(changed); err != nil {
				return fmt.Errorf("let an incident begin or end: %w", err)
			}
		}
	}
	return s.hosts.write(s.world.Machines())
}
