package fleet

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Sums and counts of a cloud's samples have as many on a Prometheus before 3.0, whose ranges are closed on both sides: none of them
// reaches to the sample at its beginning.
func TestRangesHoldNoSampleTooMany(t *testing.T) {
	ranges := regexp.MustCompile(`(?:sum|count|avg)_over_time\([^\[]*\[(\d+)ms\]`)
	seen := 0
	for _, feature := range slices.Concat(cloudFeatures(), azureFeatures()) {
		for _, found := range ranges.FindAllStringSubmatch(feature.Expr, -1) {
			if seen++; !strings.HasSuffix(found[1], "999") {
				t.Errorf("%s: the range of %s ms has the sample at its beginning: %s", feature.Name, found[1], feature.Expr)
			}
		}
	}
	if seen < 8 {
		t.Errorf("only %d ranges were looked at", seen)
	}
}
