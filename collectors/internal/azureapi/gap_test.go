package azureapi

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
)

var midnight = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

func hoursOf(from, to int) Window {
	return Window{midnight.Add(time.Duration(from) * time.Hour), midnight.Add(time.Duration(to) * time.Hour)}
}

// A gap closes from its beginning on, may grow meanwhile, and counts what it was.
func TestGap(t *testing.T) {
	var gap Gap
	share := func(more ...Gap) float64 { return Filled(slices.Values(append(more, gap))) }
	if _, ok := gap.Rest(midnight); ok || gap.Open() || share() != 1 || gap.Fill(midnight) {
		t.Errorf("none is %+v", gap)
	}
	gap.Widen(hoursOf(0, 8))
	if rest, ok := gap.Rest(time.Time{}); !ok || rest != hoursOf(0, 8) || share() != 0 {
		t.Errorf("open is %+v, %v, %g", rest, ok, share())
	}
	if rest, ok := gap.Rest(hoursOf(6, 6).Start); !ok || rest != hoursOf(6, 8) {
		t.Errorf("from six on it is %+v, %v", rest, ok)
	}
	if !gap.Fill(hoursOf(2, 2).Start) || share() != 0.25 || gap.Fill(midnight) {
		t.Errorf("a quarter filled is %+v", gap)
	}
	gap.Widen(hoursOf(8, 10))
	if share() != 0 || gap.Window != hoursOf(2, 10) {
		t.Errorf("wider it is %+v", gap)
	}
	gap.Fill(hoursOf(10, 10).End)
	if gap.Open() || share() != 1 {
		t.Errorf("closed it is %+v", gap)
	}
	if got := share(Gap{Window: hoursOf(0, 8), longest: 8 * time.Hour}); got != 0.5 {
		t.Errorf("of two, one of them closed: %g", got)
	}
}

func TestSince(t *testing.T) {
	end, reach := hoursOf(24, 24).End, 6*time.Hour
	for _, row := range []struct{ cursor, want time.Time }{
		{time.Time{}, hoursOf(18, 0).Start}, {midnight, hoursOf(18, 0).Start}, {hoursOf(20, 0).Start, hoursOf(20, 0).Start},
	} {
		if got := Since(row.cursor, end, reach); !got.Equal(row.want) {
			t.Errorf("since %s: %s, want %s", row.cursor, got, row.want)
		}
	}
}

func TestLasting(t *testing.T) {
	permission := &azcore.ResponseError{StatusCode: http.StatusForbidden}
	for _, row := range []struct {
		err  error
		want bool
	}{
		{nil, true}, {permission, true}, {Join(permission, &MetricError{Metric: "m", Code: "Missing"}), true},
		{&MetricError{Metric: "m", Code: "Throttled"}, false}, {Join(permission, errors.New("no space left on device")), false},
		{&azcore.ResponseError{StatusCode: http.StatusTooManyRequests}, false},
	} {
		if got := Lasting(row.err); got != row.want {
			t.Errorf("%v: %v", row.err, got)
		}
	}
}
