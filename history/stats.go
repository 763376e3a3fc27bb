package history

import (
	"fmt"
	"sync"
)

// Written says what became of the samples of one batch, or of all batches since the start.
type Written struct {
	Stored    uint64 // accepted; a sample that was already stored with the same value counts too
	TooOld    uint64 // older than the history takes
	TooNew    uint64 // ahead of the clock
	Duplicate uint64 // a second value for a stored moment: the first one stays
	NotFinite uint64 // NaN or infinite
	Malformed uint64 // no name, too many labels, bad label names, impossible time
	Refused   uint64 // new series beyond the limit on series
	Altered   uint64 // label values that were cut or made valid UTF-8; their samples are stored
}

// Lost is the number of samples that were not stored and never will be.
func (w Written) Lost() uint64 {
	return w.TooOld + w.TooNew + w.Duplicate + w.NotFinite + w.Malformed + w.Refused
}

// String tells the counts that are not zero.
func (w Written) String() string {
	text := fmt.Sprintf("%d samples stored", w.Stored)
	for _, part := range []struct {
		count uint64
		what  string
	}{
		{w.TooOld, "too old"},
		{w.TooNew, "ahead of the clock"},
		{w.Duplicate, "second values for a stored moment"},
		{w.NotFinite, "not a finite number"},
		{w.Malformed, "malformed"},
		{w.Refused, "beyond the limit on series"},
	} {
		if part.count > 0 {
			text += fmt.Sprintf(", %d %s", part.count, part.what)
		}
	}
	return text
}

// Add adds the counts of another batch.
func (w *Written) Add(more Written) {
	w.Stored += more.Stored
	w.TooOld += more.TooOld
	w.TooNew += more.TooNew
	w.Duplicate += more.Duplicate
	w.NotFinite += more.NotFinite
	w.Malformed += more.Malformed
	w.Refused += more.Refused
	w.Altered += more.Altered
}

// tally sums batches; the zero value is ready to use.
type tally struct {
	mu  sync.Mutex
	sum Written
}

func (t *tally) add(w Written) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sum.Add(w)
}

func (t *tally) read() Written {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sum
}
