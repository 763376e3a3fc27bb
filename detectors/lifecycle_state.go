package detectors

import (
	"encoding/json"
	"fmt"
	"time"
)

// saved is the life cycle's form on disk.
type saved struct {
	Version int               `json:"version"`
	At      time.Time         `json:"at"`
	Tracks  map[string]*track `json:"tracks"`
	Told    []notice          `json:"told,omitempty"`
	Unseen  blind             `json:"unseen"`
}

const savedVersion = 1

// MarshalJSON saves where every finding stands. The settings are not part of it.
func (l *Lifecycle) MarshalJSON() ([]byte, error) {
	return json.Marshal(saved{savedVersion, l.at, l.tracks, l.told, l.unseen})
}

// UnmarshalJSON restores what MarshalJSON saved into a life cycle made by NewLifecycle. It changes nothing on error.
func (l *Lifecycle) UnmarshalJSON(data []byte) error {
	var state saved
	if err := json.Unmarshal(data, &state); err != nil {
		return fmt.Errorf("restore the life cycle of findings: %w", err)
	}
	if state.Version != savedVersion {
		return fmt.Errorf("restore the life cycle of findings: version %d, want %d", state.Version, savedVersion)
	}
	for id, t := range state.Tracks {
		if t == nil || t.Finding.ID != id || !t.valid() {
			return fmt.Errorf("restore the life cycle of findings: %q is damaged", id)
		}
		if t.Judged.IsZero() { // saved by a version that did not note it
			t.Judged = state.At
		}
	}
	if state.Tracks == nil {
		state.Tracks = map[string]*track{}
	}
	l.at, l.tracks, l.told = state.At, state.Tracks, state.Told
	l.unseen = Round{Unjudged: state.Unseen.Unjudged, Unknown: state.Unseen.Unknown}.blind()
	return nil
}

func (t *track) valid() bool {
	switch t.Finding.State {
	case Pending:
		count, _ := t.trues()
		return count > 0
	case Firing, Keep, Resolved:
		return t.Misses >= 0
	}
	return false
}
