package judge

import (
	"regexp"
	"strconv"
	"testing"
	"time"
)

// A sample on the edge of two grains is of the one that it ends, also where the history is a Prometheus before 3.0, whose ranges
// are closed on both sides.
func TestGrainsDoNotOverlap(t *testing.T) {
	ranges := regexp.MustCompile(`_over_time\([^\[]*\[(\d+)ms\]`)
	seen := 0
	for _, source := range sources(time.UTC, 50, time.Minute) {
		for _, query := range source.queries {
			for _, found := range ranges.FindAllStringSubmatch(query, -1) {
				seen++
				if length, err := strconv.ParseInt(found[1], 10, 64); err != nil || length >= seriesGrain.Milliseconds() {
					t.Errorf("%s: a range of %s ms reaches into the grain before: %s", source.signal.ID, found[1], query)
				}
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d ranges were looked at", seen)
	}
}
