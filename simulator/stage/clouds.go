package stage

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/azurefiles"
	"github.com/nasight/nasight/collectors/gcnv"
	"github.com/nasight/nasight/simulator"
	"github.com/nasight/nasight/simulator/azure"
)

// callsPerSecond does without the pacing that spares a real cloud: simulated time passes faster than its limits count.
const callsPerSecond = 1_000

// openGoogle starts Google's emulator and the collectors that read it.
func (s *Stage) openGoogle(ctx context.Context, options Options) (err error) {
	if len(options.Fleet.Projects) == 0 {
		return nil
	}
	if s.google, err = simulator.Start(ctx, simulator.Options{Model: s.world.Model(), Clock: s.now}); err != nil {
		return err
	}
	cfg := gcnv.DefaultConfig()
	for _, project := range options.Fleet.Projects {
		cfg.Projects = append(cfg.Projects, project.ID)
	}
	cfg.Endpoints = gcnv.Endpoints{Monitoring: s.google.GRPCAddress(), NetApp: s.google.URL(), Insecure: true}
	cfg.Pacing.CallsPerSecond = callsPerSecond
	cfg.BackfillDays = options.pastDays()
	if s.gcnv, err = gcnv.New(cfg, gcnv.Options{Clock: s.now, Memory: s.memory, Logger: slog.New(slog.DiscardHandler)}); err != nil {
		return fmt.Errorf("read Google's emulator: %w", err)
	}
	return s.read(s.gcnv.Entries())
}

const day = 24 * time.Hour

// pastDays are the whole days that hold what is to be read of the past.
func (o Options) pastDays() int { return max(0, int((o.Past+day-1)/day)) }

// openAzure starts Azure's emulator and the collectors that read it.
func (s *Stage) openAzure(ctx context.Context, options Options) (err error) {
	if len(options.Fleet.Subscriptions) == 0 {
		return nil
	}
	if s.azure, err = azure.Start(ctx, nil, azure.Options{Model: s.world.Model(), Clock: s.now}); err != nil {
		return err
	}
	if s.files, err = s.openFiles(s.now, s.memory, options.pastDays()); err != nil {
		return err
	}
	return s.read(s.files.Entries())
}

// openFiles are the collectors of Azure Files at a time, which ask for so many days of the past.
func (s *Stage) openFiles(clock func() time.Time, memory collectors.Memory, days int) (*azurefiles.Source, error) {
	cfg := azurefiles.DefaultConfig()
	for _, subscription := range s.world.Model().Fleet().Subscriptions {
		cfg.Subscriptions = append(cfg.Subscriptions, subscription.ID)
	}
	cfg.Identity.Kind, cfg.BackfillDays = "none", days
	cfg.Endpoints.ResourceManager, cfg.Endpoints.Metrics, cfg.Endpoints.CAFile = s.azure.URL(), s.azure.URL(), s.azure.CAFile()
	files, err := azurefiles.New(cfg, azurefiles.Options{Clock: clock, Memory: memory, Logger: slog.New(slog.DiscardHandler), Unpaced: true})
	if err != nil {
		return nil, fmt.Errorf("read Azure's emulator: %w", err)
	}
	return files, nil
}

func (s *Stage) read(entries []collectors.Entry) error {
	for _, entry := range entries {
		r, err := s.readerOf(entry)
		if err != nil {
			return err
		}
		s.clouds = append(s.clouds, r)
	}
	return nil
}

func (s *Stage) readerOf(entry collectors.Entry) (*reader, error) {
	c, err := entry.New(collectors.Root{}, collectors.Settings{})
	if err != nil {
		return nil, fmt.Errorf("collector %s: %w", entry.Name, err)
	}
	return &reader{host: s.host, entry: entry, collector: c}, nil
}
