package model

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"
)

// Change is the fleet's description from a moment on.
type Change struct {
	At    time.Time
	Fleet *Fleet
}

// phase is the model of a change.
type phase struct {
	from  time.Time
	model *Model
}

// Change lets another description hold from a moment on, which is not before that of the last change. It has the same
// pools, volumes, accounts, shares and hosts; what it says of them may differ. prepare is told of its model before anybody
// can ask it; it may be nil. A description that held before has its model still, and costs nothing: it is known by its
// pointer. Others may ask the model meanwhile; two changes may not meet.
func (m *Model) Change(change Change, prepare func(*Model) error) error {
	phases := m.known()
	if n := len(phases); n > 0 && change.At.Before(phases[n-1].from) {
		return errors.New("changes of the fleet are not in the order of time")
	}
	if then := m.of(change.Fleet); then != nil {
		phases = append(slices.Clip(phases), phase{change.At, then})
		m.phases.Store(&phases)
		return nil
	}
	then := New(change.Fleet, m.seed, m.epoch)
	then.clients = m.clients
	err := m.alike(then)
	if err == nil && prepare != nil {
		err = prepare(then)
	}
	if err != nil {
		return fmt.Errorf("change of the fleet at %s: %w", change.At.UTC().Format(time.RFC3339), err)
	}
	phases = append(slices.Clip(phases), phase{change.At, then})
	m.phases.Store(&phases)
	return nil
}

// of is the model that a description has already, nil where it never held.
func (m *Model) of(fleet *Fleet) *Model {
	if fleet == m.fleet {
		return m
	}
	for _, phase := range m.known() {
		if phase.model.fleet == fleet {
			return phase.model
		}
	}
	return nil
}

func (m *Model) alike(then *Model) error {
	if len(then.volumes) != len(m.volumes) || len(then.shares) != len(m.shares) || len(then.fleet.Hosts) != len(m.fleet.Hosts) {
		return errors.New("it has other volumes, shares or hosts")
	}
	for path := range m.byPath {
		if then.byPath[path] == nil {
			return fmt.Errorf("it lacks %s", path)
		}
	}
	for path := range m.sharesByPath {
		if then.sharesByPath[path] == nil {
			return fmt.Errorf("it lacks %s", path)
		}
	}
	for _, host := range m.fleet.Hosts {
		if !slices.ContainsFunc(then.fleet.Hosts, func(h *Host) bool { return h.Name == host.Name }) {
			return fmt.Errorf("it lacks host %s", host.Name)
		}
	}
	return nil
}

// At is the model of the description that holds at a moment.
func (m *Model) At(at time.Time) *Model {
	phases := m.known()
	after := sort.Search(len(phases), func(i int) bool { return phases[i].from.After(at) })
	if after > 0 {
		return phases[after-1].model
	}
	return m
}

func (m *Model) known() []phase {
	if phases := m.phases.Load(); phases != nil {
		return *phases
	}
	return nil
}
