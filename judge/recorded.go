package judge

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// Recorded are the findings that history has as firing at any of the moments from one to another, a step apart, each as it was recorded
// last. It is to be asked before anything is recorded anew.
func Recorded(ctx context.Context, reader history.Reader, from, to time.Time, step time.Duration) ([]detectors.Recorded, error) {
	begun, err := recordedLast(ctx, reader, schema.FindingSince, from, to, step)
	if err != nil {
		return nil, err
	}
	bounds, err := recordedLast(ctx, reader, schema.FindingSinceAtLeast, from, to, step)
	if err != nil {
		return nil, err
	}
	recorded := make([]detectors.Recorded, 0, len(begun))
	for id, one := range begun {
		one.Since = momentOf(one.value)
		one.SinceAtLeast = bounds[id].value != 0
		recorded = append(recorded, one.Recorded)
	}
	return recorded, nil
}

type recordedValue struct {
	detectors.Recorded
	value float64
}

// recordedLast is the newest value of each finding, by its id.
func recordedLast(ctx context.Context, reader history.Reader, family *schema.Family, from, to time.Time, step time.Duration) (map[string]recordedValue, error) {
	lines, err := reader.Range(ctx, fmt.Sprintf("last_over_time(%s[%s])", family.Name, promDuration(step)), from, to, step)
	if err != nil {
		return nil, fmt.Errorf("read since when findings hold: %w", err)
	}
	found := map[string]recordedValue{}
	for _, line := range lines {
		if len(line.Times) == 0 {
			continue
		}
		last := len(line.Times) - 1
		name, resource := detectors.Name{Detector: line.Labels["detector"], Variant: line.Labels["variant"]}, fleet.ResourceOf(line.Labels)
		one := recordedValue{value: line.Values[last], Recorded: detectors.Recorded{At: line.Times[last], Finding: detectors.Finding{
			ID: detectors.ID(name, resource), Detector: name.Detector, Variant: name.Variant, Resource: resource,
		}}}
		if other, twice := found[one.ID]; !twice || one.At.After(other.At) {
			found[one.ID] = one
		}
	}
	return found, nil
}

// seconds are those since 1970, to the millisecond, which a number of 64 bits holds exactly enough.
func seconds(at time.Time) float64 { return float64(at.UnixMilli()) / 1e3 }

func momentOf(seconds float64) time.Time {
	return time.UnixMilli(int64(math.Round(seconds * 1e3))).UTC()
}

func flag(set bool) fleet.Value {
	if set {
		return 1
	}
	return 0
}
