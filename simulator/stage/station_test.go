package stage

import (
	"testing"
	"time"

	"github.com/nasight/nasight/simulator/model"
)

const oneHost = `hosts:
- {name: app-1, address: 198.51.100.1, mounts: [{protocol: nfs3, server: 192.0.2.10, export: /data, path: /mnt/data, load: {threads: 8}}]}
`

// TestNextAgentBeginsAnew: while nothing reads a host its agent is gone. The next one has collectors of its own, and what the
// first wrote down.
func TestNextAgentBeginsAnew(t *testing.T) {
	begin := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	described := func(unread bool) *model.Fleet {
		fleet, err := model.Parse("fleet.yml", []byte(oneHost))
		if err != nil {
			t.Fatal(err)
		}
		fleet.Hosts[0].Unread = unread
		return fleet
	}
	s, err := New(t.Context(), Options{Fleet: described(false), Seed: 1, Start: begin})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	collected := func(after time.Duration) int {
		s.Advance(begin.Add(after))
		samples, err := s.Collect(t.Context(), begin.Add(after))
		if err != nil {
			t.Fatal(err)
		}
		return len(samples)
	}
	change := func(unread bool) {
		if err := s.Change(described(unread)); err != nil {
			t.Fatal(err)
		}
	}
	if collected(time.Minute) == 0 {
		t.Fatal("nothing was read of the host")
	}
	first, memory := s.hosts[0].collectors["nfs"], s.hosts[0].memory
	change(true)
	if n := collected(2 * time.Minute); n != 0 {
		t.Errorf("%d samples of a host that nothing reads", n)
	}
	change(false)
	if collected(3*time.Minute) == 0 {
		t.Error("nothing was read of the host again")
	}
	if next := s.hosts[0].collectors["nfs"]; next == first || next == nil {
		t.Error("the next agent has the collectors of the first")
	}
	if s.hosts[0].memory != memory {
		t.Error("the next agent knows nothing of what the first wrote down")
	}
}
