// Package world puts a fleet in motion: client hosts that load the volumes and shares of the clouds. What a host and its
// cloud count comes from the same requests: package queue says what every mount gets, package model what the clouds'
// limits leave of it, package host writes what the machine then shows.
//
// Time goes in windows: five minutes where a mount is of Google's storage, one minute elsewhere, as the clouds count. In a
// window a load is even. A window's traffic is a pure function of the fleet, the seed and the window, so the clouds can be
// asked for any time, and in any order; only the hosts' counters add up from step to step.
package world

import (
	"fmt"
	"time"

	"github.com/nasight/nasight/envelope"
	"github.com/nasight/nasight/simulator/host"
	"github.com/nasight/nasight/simulator/model"
)

// Options say how a fleet moves.
type Options struct {
	Seed  uint64
	Epoch time.Time // when the description's values hold
	Boot  time.Time // when the hosts' counters are zero; zero for the epoch
	Noise float64   // deviation of what a host counts in a step, as a share; 0 for none
}

// World is a fleet in motion. It is used by one goroutine at a time; its model may be asked by others meanwhile.
type World struct {
	options  Options
	model    *model.Model
	traffic  *traffic
	machines []*machine
	now      time.Time
}

// New puts a complete fleet in motion. The error says which host's network is impossible.
func New(fleet *model.Fleet, options Options) (*World, error) {
	if options.Boot.IsZero() {
		options.Boot = options.Epoch
	}
	m := model.New(fleet, options.Seed, options.Epoch)
	t := &traffic{model: m, scenes: map[*model.Model]*scene{}}
	if err := t.add(m); err != nil {
		return nil, err
	}
	m.Drive(t)
	w := &World{options: options, model: m, traffic: t, now: options.Boot}
	for _, described := range fleet.Hosts {
		w.machines = append(w.machines, newMachine(described, t.at(options.Boot), options))
	}
	return w, nil
}

// Model is what the clouds do: the emulators serve it.
func (w *World) Model() *model.Model { return w.model }

// Now is the moment that the hosts' counters stand for.
func (w *World) Now() time.Time { return w.now }

// Machines are the hosts as they are now, in the description's order; nil for one that nothing reads. They change with the
// next Advance.
func (w *World) Machines() []*host.Machine {
	out := make([]*host.Machine, len(w.machines))
	for i, m := range w.machines {
		if !m.unread {
			out[i] = &m.state
		}
	}
	return out
}

// Advance lets the hosts count on until a moment. One that has passed changes nothing.
func (w *World) Advance(to time.Time) {
	for w.now.Before(to) {
		next := w.now.Truncate(model.ShareGrain).Add(model.ShareGrain)
		if to.Before(next) {
			next = to
		}
		for _, m := range w.machines {
			m.step(w.traffic.at(w.now), w.options, w.now, next)
		}
		w.now = next
	}
}

// Change lets another description of the same hosts, volumes and shares hold from now on. Counters go on.
func (w *World) Change(to *model.Fleet) error {
	return w.model.Change(model.Change{At: w.now, Fleet: to}, w.traffic.add)
}

// Moved is how many bytes of data a mount has read and written since the hosts' boot; false where there is no such mount.
func (w *World) Moved(host, path string) (float64, bool) {
	for _, m := range w.machines {
		if m.state.Name == host {
			moved, ok := m.moved[path]
			return moved, ok
		}
	}
	return 0, false
}

// table is the published performance of volumes.
func table() (*envelope.Table, error) {
	t, err := envelope.Load()
	if err != nil {
		return nil, fmt.Errorf("performance of volumes: %w", err)
	}
	return t, nil
}
