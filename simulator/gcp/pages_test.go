package gcp

import (
	"testing"
	"time"
)

// A token leads back to its position for a day and for its own request only.
func TestTokens(t *testing.T) {
	at := position{Item: 3, Point: 7, At: noon.UnixNano(), Request: 42}
	for name, row := range map[string]struct {
		token   string
		request uint64
		now     time.Time
		want    position
		ok      bool
	}{
		"none":            {"", 42, noon, position{At: noon.UnixNano(), Request: 42}, true},
		"its own":         {at.token(), 42, noon.Add(23 * time.Hour), at, true},
		"too old":         {at.token(), 42, noon.Add(25 * time.Hour), position{}, false},
		"another request": {at.token(), 43, noon, position{}, false},
		"negative":        {position{Item: -1, At: noon.UnixNano(), Request: 42}.token(), 42, noon, position{}, false},
		"no base 64":      {"???", 42, noon, position{}, false},
		"no JSON":         {"AAAA", 42, noon, position{}, false},
		"long":            {string(make([]byte, maxToken+1)), 42, noon, position{}, false},
	} {
		got, failure := begin(row.token, row.request, row.now)
		if (failure == nil) != row.ok || (row.ok && got != row.want) {
			t.Errorf("%s: %+v, %v", name, got, failure)
		}
	}
}
