package bundle

import (
	"archive/tar"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// at is a moment with its two clocks; monotonic 0 stands for none.
type at struct {
	name            string
	wall, monotonic float64
}

func openAt(t *testing.T, moments ...at) *Bundle {
	t.Helper()
	var headers []tar.Header
	for _, m := range moments {
		headers = append(headers, small(m.name, m.wall, m.monotonic)...)
	}
	b, err := Open(save(t, pack(t, headers...)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// offsets are the moments with the seconds since the first one.
func offsets(b *Bundle) string {
	var out []string
	for _, m := range b.Moments {
		out = append(out, fmt.Sprintf("%s+%g", m.Name, m.Time.Sub(b.Moments[0].Time).Seconds()))
	}
	return strings.Join(out, " ")
}

func TestOrder(t *testing.T) {
	cases := map[string]struct {
		moments []at
		want    string
		notes   []string // a part of each
	}{
		"usual":                   {[]at{{"t0", 1000, 5}, {"t1", 1010, 15}, {"t2", 1020, 25}}, "t0+0 t1+10 t2+20", nil},
		"one":                     {[]at{{"t0", 1000, 5}}, "t0+0", nil},
		"ten and more":            {[]at{{"t10", 1010, 15}, {"t9", 1000, 5}}, "t9+0 t10+10", []string{"missing"}},
		"gap":                     {[]at{{"t0", 1000, 5}, {"t2", 1020, 25}}, "t0+0 t2+20", []string{`missing from the bundle: ["t1"]`}},
		"wrong order":             {[]at{{"t0", 1010, 15}, {"t1", 1000, 5}, {"t2", 1020, 25}}, "t1+0 t0+10 t2+20", []string{"sorted"}},
		"same time":               {[]at{{"t0", 1000, 5}, {"t1", 1000, 5}, {"t2", 1020, 25}}, "t0+0 t2+20", []string{"t1 has the same time as moment t0"}},
		"wall clock steps back":   {[]at{{"t0", 10000, 5}, {"t1", 6410, 15}, {"t2", 6420, 25}}, "t0+0 t1+10 t2+20", []string{"stepped by -1h0m0s before moment t1"}},
		"wall clock steps ahead":  {[]at{{"t0", 1000, 5}, {"t1", 1010, 15}, {"t2", 1025, 25}}, "t0+0 t1+10 t2+20", []string{"stepped by 5s before moment t2"}},
		"no monotonic clock":      {[]at{{"t0", 1000, 0}, {"t1", 1010, 0}}, "t0+0 t1+10", []string{"wall clock is used"}},
		"monotonic clock at once": {[]at{{"t0", 1000, 5}, {"t1", 1010, 0}, {"t2", 1020, 9000}}, "t0+0 t1+10 t2+20", []string{"wall clock is used"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := openAt(t, c.moments...)
			if got := offsets(b); got != c.want {
				t.Errorf("moments %s, want %s", got, c.want)
			}
			if len(b.Notes) != len(c.notes) {
				t.Fatalf("notes %q, want %q", b.Notes, c.notes)
			}
			for i, part := range c.notes {
				if !strings.Contains(b.Notes[i], part) {
					t.Errorf("note %q, want %q", b.Notes[i], part)
				}
			}
		})
	}
}

func TestImpossibleTimes(t *testing.T) {
	for _, clock := range []string{
		`{"realtime":NaN,"monotonic":1}`, `{"realtime":-1,"monotonic":1}`, `{"realtime":1e300,"monotonic":1}`,
		`{"realtime":1e999,"monotonic":1}`, `{"realtime":1000,"monotonic":-1}`, `{"realtime":1000,"monotonic":1e300}`,
		`{"realtime":1000,"monotonic":9e9}`, `{"realtime":"now","monotonic":1}`, `{}`, `null`,
	} {
		data := pack(t, file("t0/proc/stat", "x"), file("t0/clock.json", `{"clock":{"start":`+clock+`}}`))
		t.Run(clock, func(t *testing.T) { refused(t, save(t, data), "t0") })
	}
	for _, moment := range []string{
		`{"name":"t0"}`, `{"name":"t0","time":"9999-01-01T00:00:00Z","monotonic":1}`, `{"name":"t0","time":"1900-01-01T00:00:00Z","monotonic":1}`,
		`{"name":"t0","time":"2026-01-01T00:00:00Z","monotonic":-1}`, `{"name":"t0","time":5}`,
	} {
		data := pack(t, file("t0/proc/stat", "x"), file("bundle.json", `{"moments":[`+moment+`]}`))
		t.Run(moment, func(t *testing.T) { refused(t, save(t, data)) })
	}
}

// Moments that bundle.json names and that are not there are told of, as are those without /proc.
func TestMissingMoments(t *testing.T) {
	manifest := `{"moments":[{"name":"t0","time":"2026-11-30T10:00:00Z","monotonic":1},{"name":"t7","time":"2026-11-30T10:00:10Z"},{"name":"x\n"}]}`
	headers := append(small("t1", 1796032810, 11), file("bundle.json", manifest), file("t0/proc/stat", "x"), file("t2/sys/x", "x"))
	b, err := Open(save(t, pack(t, headers...)))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`Moments are missing from the bundle: ["t7" "x\n"].`, "Moment t2 holds no /proc and is left out."}
	if diff := cmp.Diff(want, b.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if got := offsets(b); got != "t0+0 t1+10" {
		t.Errorf("moments %s", got)
	}
}

// Whatever the clocks say, the kept moments rise in time, each is one of those given, and none is lost unsaid.
func TestOrderRises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 6).Draw(t, "count")
		var stamps []stamp
		for i := range count {
			wall := rapid.Float64Range(1, 100).Draw(t, "wall")
			monotonic := rapid.SampledFrom([]float64{0, 1, 2, 3, 1e6, 4.9e9}).Draw(t, "monotonic")
			s, err := newStamp(fmt.Sprintf("t%d", i), wall, monotonic)
			if err != nil {
				t.Fatal(err)
			}
			stamps = append(stamps, s)
		}
		b := &Bundle{}
		kept := b.order(stamps)
		if !slices.IsSortedFunc(kept, func(x, y stamp) int { return x.wall.Compare(y.wall) }) || kept[0].wall.Before(time.Unix(1, 0)) {
			t.Fatalf("%v from %v", kept, stamps)
		}
		dropped := 0
		for _, note := range b.Notes {
			if strings.Contains(note, "left out") {
				dropped++
			}
		}
		if len(kept)+dropped != count {
			t.Fatalf("%d kept, %d left out of %d", len(kept), dropped, count)
		}
	})
}
