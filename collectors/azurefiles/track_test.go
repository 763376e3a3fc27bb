package azurefiles

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/schema"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestWindows(t *testing.T) {
	load, space := groupNamed(t, "load"), groupNamed(t, "space")
	for name, test := range map[string]struct {
		g          *group
		now        time.Time
		cursor     time.Time
		partial    bool
		start, end time.Time // zero for nothing to read
	}{
		"at the first start":         {load, noon.Add(30 * time.Second), time.Time{}, false, noon.Add(-63 * time.Minute), noon.Add(-3 * time.Minute)},
		"a minute later":             {load, noon.Add(time.Minute), noon.Add(-3 * time.Minute), false, noon.Add(-7 * time.Minute), noon.Add(-2 * time.Minute)},
		"within the same minute":     {load, noon.Add(50 * time.Second), noon.Add(-3 * time.Minute), false, time.Time{}, time.Time{}},
		"after two hours without it": {load, noon, noon.Add(-2 * time.Hour), false, noon.Add(-124 * time.Minute), noon.Add(-64 * time.Minute)},
		"after a day without it":     {load, noon, noon.Add(-24 * time.Hour), false, noon.Add(-299 * time.Minute), noon.Add(-239 * time.Minute)},
		"an hour lacks a metric":     {load, noon, noon.Add(-2 * time.Hour), true, noon.Add(-63 * time.Minute), noon.Add(-3 * time.Minute)},
		"a clock that was set back":  {load, noon, noon.Add(time.Hour), false, time.Time{}, time.Time{}},
		"hours at the first start":   {space, noon.Add(30 * time.Minute), time.Time{}, false, noon.Add(-4 * time.Hour), noon.Add(-3 * time.Hour)},
		"hours within the same hour": {space, noon.Add(30 * time.Minute), noon.Add(-3 * time.Hour), false, time.Time{}, time.Time{}},
		"hours, one of them over":    {space, noon.Add(time.Hour), noon.Add(-3 * time.Hour), false, noon.Add(-3 * time.Hour), noon.Add(-2 * time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			delay := schema.AzureDelay
			if test.g.grain == time.Hour {
				delay = schema.AzureCapacityDelay
			}
			w, ok := windowOf(test.g, test.cursor, test.partial, test.now, delay)
			if ok == test.end.IsZero() || ok && (!w.Start.Equal(test.start) || !w.End.Equal(test.end)) {
				t.Errorf("got %v to %v, %t; want %v to %v", w.Start, w.End, ok, test.start, test.end)
			}
		})
	}
}

// However the runs fall, the windows are made of whole minutes, none is younger than the delay, none is long, and together
// they leave no minute out.
func TestWindowsLeaveNothingOut(t *testing.T) {
	load := groupNamed(t, "load")
	rapid.Check(t, func(t *rapid.T) {
		now, cursor := noon, time.Time{}
		for range rapid.IntRange(1, 30).Draw(t, "runs") {
			now = now.Add(time.Duration(rapid.IntRange(1, 4*3600).Draw(t, "seconds")) * time.Second)
			for steps := 0; ; steps++ {
				w, ok := windowOf(load, cursor, false, now, schema.AzureDelay)
				if !ok {
					break
				}
				switch {
				case steps > 10:
					t.Fatal("it does not come to an end")
				case !w.Start.Equal(w.Start.Truncate(time.Minute)) || !w.End.Equal(w.End.Truncate(time.Minute)) || !w.Start.Before(w.End):
					t.Fatalf("%v to %v are no minutes", w.Start, w.End)
				case w.End.After(now.Add(-schema.AzureDelay)) || w.End.Sub(w.Start) > time.Hour:
					t.Fatalf("%v to %v at %v", w.Start, w.End, now)
				case !cursor.IsZero() && w.Start.After(cursor):
					t.Fatalf("nothing was read from %v to %v", cursor, w.Start)
				case !cursor.IsZero() && !w.End.After(cursor):
					t.Fatalf("%v does not move on from %v", w.End, cursor)
				}
				cursor = w.End
			}
			if behind := now.Add(-schema.AzureDelay).Sub(cursor); behind >= time.Minute {
				t.Fatalf("%s behind", behind)
			}
		}
	})
}

func TestTrackKnowsWhatCameBefore(t *testing.T) {
	track := azureapi.NewTrack()
	if !track.Insert(azureapi.Point{End: 1000, Value: 5}) || track.Insert(azureapi.Point{End: 1000, Value: 6}) || !track.Insert(azureapi.Point{End: 500, Value: 1}) {
		t.Error("a bucket counts twice or not at all")
	}
	if track.Newest != (azureapi.Point{End: 1000, Value: 5}) {
		t.Errorf("the newest is %+v", track.Newest)
	}
	track.Forget(500)
	if len(track.Known) != 1 || !track.Insert(azureapi.Point{End: 400, Value: 2}) || track.Newest.End != 1000 {
		t.Error("it forgets too much or too little")
	}
}
