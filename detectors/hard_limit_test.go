package detectors

import (
	"strings"
	"testing"

	"github.com/nasight/nasight/fleet"
)

// The rows of detectors.md §9 that are about GCNV volumes: space and inodes, at .80 and .95.
func TestFillTable(t *testing.T) {
	for _, row := range []struct {
		used, limit fleet.Value
		want        Severity
	}{
		{800, 1_000, Warning}, {799, 1_000, 0}, {950, 1_000, Critical}, {949, 1_000, Warning}, {1_100, 1_000, Critical},
		{fleet.Unknown, 1_000, 0}, {800, fleet.Unknown, 0}, {800, 0, 0},
	} {
		if _, got := JudgeFill(row.used, row.limit, DefaultSettings().Hard); got != row.want {
			t.Errorf("%v of %v: %s, want %s", row.used, row.limit, got, row.want)
		}
	}
}

func TestHardLimitFindings(t *testing.T) {
	volume := quiet("home")
	volume.Used, volume.Capacity = 810*gibibyte, 1_000*gibibyte
	volume.InodeUsed, volume.InodeLimit = 20_500_000, 21_200_000
	view := cloudView(aPool(levelPremium, "auto", volume))
	found := Evaluate(view, DefaultSettings())
	space, inodes := only(t, found, "hard_limit/capacity"), only(t, found, "hard_limit/inodes")
	if space.Severity != Warning || inodes.Severity != Critical || space.Confidence != 0.95 {
		t.Errorf("space %s, inodes %s, confidence %v: want warning, critical, 0.95", space.Severity, inodes.Severity, space.Confidence)
	}
	if !strings.HasSuffix(space.Remedy[0].Command, "--capacity=1013") {
		t.Errorf("command %q, want 810 / 0.8 rounded up", space.Remedy[0].Command)
	}
	if space.Evidence[1].Query != "volume_used/pool-a/home" || space.Evidence[1].Window != "now" {
		t.Errorf("evidence %+v, want the query that gives it again", space.Evidence[1])
	}
}
