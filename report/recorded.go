package report

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

// mostUnread is the share of the week that may be unrecorded before durations are called what they are: those of a part.
const mostUnread = 0.05

// listened is in which slots of the week nasight judged, minute by minute, and in which client hosts were read.
type listened struct{ findings, hosts course }

// listenTo reads when nasight ran: a history that was filled with the past has samples of times in which nothing was judged.
func (o *builder) listenTo(ctx context.Context) (err error) {
	if o.listened.findings, err = o.heardOf(ctx, schema.CollectorSuccess, schema.FindingActive); err != nil {
		return fmt.Errorf("read when nasight ran: %w", err)
	}
	if o.listened.hosts, err = o.heardOf(ctx, schema.NFSReadBytes, schema.SMBReadBytes, schema.ISCSIReadBytes); err != nil {
		return fmt.Errorf("read when client hosts were read: %w", err)
	}
	return nil
}

// heardOf are the slots in which one of the families has a sample.
func (o *builder) heardOf(ctx context.Context, families ...*schema.Family) (course, error) {
	there := newCourse()
	for _, family := range families {
		query := fmt.Sprintf("count(last_over_time(%s[%s]))", family.Name, millis(grain))
		lines, err := o.reader.Range(ctx, query, o.Week.From().Add(grain), o.Week.To(), grain)
		if err != nil {
			return nil, err
		}
		for _, line := range lines {
			for _, at := range line.Times {
				if slot := int(at.Sub(o.Week.From())/grain) - 1; slot >= 0 && slot < slots {
					there[slot] = 1
				}
			}
		}
	}
	return there, nil
}

// spell is how long a course has values, together.
func (c course) spell() time.Duration { return time.Duration(len(c.known())) * grain }

// unrecorded are the times in which nothing was judged minute by minute, where that is a part of the week worth naming.
func (o *builder) unrecorded() []Gap {
	if !coverageOf(o.listened.findings).Below(1 - mostUnread) {
		return []Gap{}
	}
	return listOf(gapsOf(o.listened.findings, o.Week.From(), time.Hour))
}

// begun tells whether a finding fired when the recording began, so that it may be older than it seems.
func (o *builder) begun(at time.Time) bool {
	slot := int(math.Ceil(float64(at.Sub(o.Week.From()))/float64(grain))) - 1
	const settles = 6 // slots: rules ask for a condition that lasts, up to half an hour
	for i := slot - settles; i < slot; i++ {
		if i >= 0 && i < len(o.listened.findings) && math.IsNaN(o.listened.findings[i]) {
			return true
		}
	}
	return false
}

// lasted is for how long there was cause for a finding, in words.
func (o *builder) lasted(f Finding) string {
	throughput := []string{detectors.VariantThroughput, detectors.VariantEgress, detectors.VariantIngress}
	if f.Detector == detectors.LimitReached && slices.Contains(throughput, f.Variant) {
		if at := o.atLimit(f.Resource); at.AtLeast(leastAtLimit) {
			return "at its throughput limit in " + percent(at) + " of the week's samples"
		}
	}
	return f.recordedFor()
}

// recordedFor says how long a finding was recorded, and that it may have been longer where the recording had not begun.
func (f Finding) recordedFor() string {
	switch {
	case f.First == nil:
		return ""
	case f.AtLeast:
		return "recorded since " + f.First.UTC().Format("Mon 15:04") + ", at least " + hours(float64(f.Hours))
	}
	return "lasted " + hours(float64(f.Hours)) + " of the week"
}

// atLimit is the share of a volume's samples at its throughput limit.
func (o *builder) atLimit(of fleet.Resource) fleet.Value {
	for _, row := range o.weekly.Efficiency {
		if row.Level == "volume" && row.Resource.Project == of.Project && row.Resource.Location == of.Location && row.Resource.Service == of.Service &&
			row.Resource.Pool == of.Pool && row.Resource.Volume == of.Volume {
			return row.AtLimit
		}
	}
	return fleet.Unknown
}

// hostsRead is for how long of the week client hosts were read.
func (o *builder) hostsRead() time.Duration { return o.listened.hosts.spell() }
