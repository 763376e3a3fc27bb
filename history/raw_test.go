package history

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/nasight/nasight/schema"
)

// rawReader is a history whose samples can be read.
type rawReader interface {
	Raw(prefix string, from, to time.Time, atLeast int) func(context.Context) ([]schema.Sample, error)
}

func rawOf(t *testing.T, s store) rawReader {
	t.Helper()
	reader, ok := s.(rawReader)
	if !ok {
		t.Fatalf("%T has no raw samples", s)
	}
	return reader
}

// readRaw reads a span to its end and tells how many reads it took.
func readRaw(t *testing.T, s store, from, to float64, atLeast int) (lines []string, reads int) {
	t.Helper()
	next := rawOf(t, s).Raw("", at(from), at(to), atLeast)
	for {
		samples, err := next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if len(samples) == 0 {
			return lines, reads
		}
		reads++
		for _, one := range samples {
			lines = append(lines, fmt.Sprintf("%s%v%v %v@%v", one.Family.Name, one.Family.Labels, one.Labels, one.Value, one.Time.Sub(base).Seconds()))
		}
	}
}

func TestRawGivesEverySampleOnce(t *testing.T) {
	onEach(t, func(t *testing.T, s store) {
		appendAll(t, s,
			line("h", "v", 0, 1, 15, 2, 30, 3), line("h", "w", 15, 4), line("g", "", 15, 5, 16, 6),
			line("h", "v", 7.5, 9)) // late
		want := []string{
			"b_total[host][g] 5@15", "b_total[host][g] 6@16",
			"b_total[host volume][h v] 9@7.5", "b_total[host volume][h v] 2@15", "b_total[host volume][h w] 4@15",
		}
		for _, atLeast := range []int{1, 2, 3, 100} {
			got, reads := readRaw(t, s, 7.5, 29.999, atLeast)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("%d at least (-want +got):\n%s", atLeast, diff)
			}
			if most := map[int]int{1: 3, 2: 3, 3: 2, 100: 1}[atLeast]; reads != most {
				t.Errorf("%d at least: %d reads, want %d", atLeast, reads, most)
			}
		}
		if got, _ := readRaw(t, s, 1000, 2000, 1); len(got) > 0 {
			t.Errorf("outside the span: %v", got)
		}
	})
}

// Only metrics whose names begin as asked are read.
func TestRawOfSomeNames(t *testing.T) {
	onEach(t, func(t *testing.T, s store) {
		appendAll(t, s, line("h", "v", 0, 1))
		for prefix, want := range map[string]int{"": 1, "b_": 1, "b_total": 1, "total": 0, "nasight_": 0} {
			samples, err := rawOf(t, s).Raw(prefix, at(0), at(60), 10)(context.Background())
			if err != nil || len(samples) != want {
				t.Errorf("names that begin with %q: %d samples, %v; want %d", prefix, len(samples), err, want)
			}
		}
	})
}

// A read goes on behind the last series, whatever is written meanwhile.
func TestRawGoesOnBehindTheLastSeries(t *testing.T) {
	onEach(t, func(t *testing.T, s store) {
		appendAll(t, s, line("b", "", 0, 1), line("d", "", 0, 2), line("f", "", 0, 3))
		next := rawOf(t, s).Raw("", at(0), at(60), 1)
		var got []string
		for _, between := range []string{"a", "e", "c", "g"} {
			samples, err := next(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, sample := range samples {
				got = append(got, sample.Labels[0])
			}
			appendAll(t, s, line(between, "", 1, 1))
		}
		// The reading is past a and c when they are written, and not past e; g is a fifth read away.
		if want := []string{"b", "d", "e", "f"}; !slices.Equal(got, want) {
			t.Errorf("read %v, want %v", got, want)
		}
	})
}

func TestRawStopsWithItsContext(t *testing.T) {
	onEach(t, func(t *testing.T, s store) {
		appendAll(t, s, line("h", "v", 0, 1))
		next := rawOf(t, s).Raw("", at(0), at(60), 1)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if samples, err := next(ctx); err == nil && len(samples) == 0 {
			t.Error("a cancelled read looks like the end")
		}
		samples, err := next(context.Background())
		if err != nil || len(samples) != 1 {
			t.Errorf("the read again gives %v, %v", samples, err)
		}
	})
}

// What an agent sends is the schema's where it can be, with type and help, and is sent on in any case.
func TestSamplesOfSeries(t *testing.T) {
	got := Samples([]SeriesSample{
		{Labels: labels.FromStrings("__name__", schema.CPUSeconds.Name, "host", "h", "mode", "busy"), Time: 1000, Value: 1},
		{Labels: labels.FromStrings("__name__", "nasight_of_next_year_total", "host", "h"), Time: 2000, Value: 2},
	})
	if got[0].Family.Type != schema.Counter || got[0].Family.Help == "" || !slices.Equal(got[0].Labels, []string{"h", "busy"}) {
		t.Errorf("known: %+v of %+v", got[0], got[0].Family)
	}
	if got[1].Family.Name != "nasight_of_next_year_total" || got[1].Time.UnixMilli() != 2000 || !slices.Equal(got[1].Family.Labels, []string{"host"}) {
		t.Errorf("unknown: %+v of %+v", got[1], got[1].Family)
	}
}
