package history

import (
	"testing"
)

// What is stored already is not new, wherever it is in a series.
func TestAppendNewTellsWhatWasNotThere(t *testing.T) {
	e := openEmbedded(t, EmbeddedOptions{Path: t.TempDir(), Now: clockAt(60)})
	for _, row := range []struct {
		what    string
		pairs   []float64
		fresh   int
		written Written
	}{
		{"the first", []float64{0, 1, 15, 2}, 2, Written{Stored: 2}},
		{"the last again", []float64{15, 2}, 0, Written{Stored: 1}},
		{"all again, and one", []float64{0, 1, 15, 2, 30, 3}, 1, Written{Stored: 3}},
		{"a late one", []float64{5, 9}, 1, Written{Stored: 1}},
		{"a late one again", []float64{5, 9}, 0, Written{Stored: 1}},
		{"another value", []float64{30, 4, 5, 4}, 0, Written{Duplicate: 2}},
		{"none that is stored", []float64{-100 * hour, 1, 7 * hour, 1}, 0, Written{TooOld: 1, TooNew: 1}},
	} {
		series, _ := fromSchema(line("h", "v", row.pairs...))
		fresh, written, err := e.AppendNew(t.Context(), series)
		if err != nil || len(fresh) != row.fresh || written != row.written {
			t.Errorf("%s: %d new, %+v, %v; want %d, %+v", row.what, len(fresh), written, err, row.fresh, row.written)
		}
	}
	appendAll(t, e, line("g", "v", 0, 1))
	series, _ := fromSchema(line("g", "v", 0, 1))
	if fresh, _, err := e.AppendNew(t.Context(), series); err != nil || len(fresh) != 0 {
		t.Errorf("what nasight stored itself: %d new, %v", len(fresh), err)
	}
}
