package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

const (
	leastCompared = 30 * time.Minute // shorter stretches tell nothing
	mostCompared  = day
	settling      = time.Hour // after the end, which is not compared
)

// tellResolved tells of what ended within the week, and what that brought where as long a time after it is known.
func (o *builder) tellResolved(ctx context.Context) error {
	for _, finding := range o.weekly.Findings {
		if finding.AtEnd || finding.Last == nil {
			continue
		}
		one := Resolved{
			ID: finding.ID, Detector: finding.Detector, Variant: finding.Variant, Resource: finding.Resource, Ended: *finding.Last, Hours: float64(finding.Hours),
			Predicted: fleet.Unknown, Achieved: fleet.Unknown,
		}
		if err := o.compareAfter(ctx, finding, &one); err != nil {
			return err
		}
		o.weekly.Resolved = append(o.weekly.Resolved, one)
	}
	slices.SortFunc(o.weekly.Resolved, func(a, b Resolved) int { return cmp.Or(a.Ended.Compare(b.Ended), cmp.Compare(a.ID, b.ID)) })
	return nil
}

func (o *builder) compareAfter(ctx context.Context, f Finding, one *Resolved) error {
	length := min(f.Last.Sub(*f.First), mostCompared).Truncate(grain)
	after := f.Last.Add(settling + length)
	moved := movedBy(f.Resource)
	switch {
	case moved == "":
		one.Why = "no throughput of its own is measured"
		return nil
	case length < leastCompared:
		one.Why = "it fired for less than 30 minutes"
		return nil
	case after.After(o.Now):
		one.Why = "the same time after its end has not passed yet"
		return nil
	}
	mean := func(at time.Time) (fleet.Value, error) {
		points, err := o.reader.Instant(ctx, fmt.Sprintf("sum(avg_over_time((%s)[%s:%s]))", moved, millis(length), millis(grain)), at)
		if err != nil || len(points) == 0 {
			return fleet.Unknown, err
		}
		return fleet.Value(points[0].Value), nil
	}
	during, err := mean(*f.Last)
	if err != nil {
		return fmt.Errorf("compare %s: %w", f.ID, err)
	}
	then, err := mean(after)
	if err != nil {
		return fmt.Errorf("compare %s: %w", f.ID, err)
	}
	if one.Achieved = then.Over(during); !one.Achieved.Known() {
		one.Why = "there are no samples of the same time after its end"
	}
	one.Predicted = factorOf(f.Gain, during)
	return nil
}

// factorOf is the middle of a gain as a factor of what was moved.
func factorOf(g *detectors.Gain, during fleet.Value) fleet.Value {
	if g == nil {
		return fleet.Unknown
	}
	middle := fleet.Value(g.Low+g.High) / 2
	if g.Unit == "factor" {
		return middle
	}
	return (during + middle).Over(during)
}

// movedBy is the throughput of a resource, as an expression; empty where none is measured.
func movedBy(of fleet.Resource) string {
	if of.Host != "" {
		return movedByHost(of)
	}
	family, matchers := schema.VolumeTotalThroughput, fmt.Sprintf("cloud=%q,service=%q,project=%q,location=%q,pool=%q", of.Cloud, of.Service, of.Project, of.Location, of.Pool)
	if of.Service == serviceShares {
		family = schema.SharePeakThroughputRollUp
	}
	if of.Volume != "" {
		matchers += fmt.Sprintf(",volume=%q", of.Volume)
	}
	return fmt.Sprintf("sum(last_over_time(%s{%s}[%s]))", family.Name, matchers, millis(grain))
}

func movedByHost(of fleet.Resource) string {
	families := map[string][2]*schema.Family{
		"nfs": {schema.NFSReadBytes, schema.NFSWriteBytes}, "smb": {schema.SMBReadBytes, schema.SMBWriteBytes}, "iscsi": {schema.ISCSIReadBytes, schema.ISCSIWriteBytes},
	}
	moved, known := families[of.Protocol]
	if !known || of.Server == "" {
		return ""
	}
	matchers := fmt.Sprintf("host=%q,server=%q", of.Host, of.Server)
	return fmt.Sprintf("sum(rate(%s{%s}[%s])) + sum(rate(%s{%s}[%s]))", moved[0].Name, matchers, millis(grain), moved[1].Name, matchers, millis(grain))
}
