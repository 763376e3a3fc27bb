package report

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

// recorded is what history holds of a finding: serve leaves a series of each that fires.
type recorded struct {
	name        detectors.Name
	resource    fleet.Resource
	first, last time.Time
	samples     int
}

func (r recorded) hours() float64 { return float64(r.samples) * grain.Hours() }

// stillFiring is how old the last sample of a finding may be: it is written with every evaluation.
const stillFiring = 15 * time.Minute

type findingKey struct {
	name     detectors.Name
	resource fleet.Resource
}

// look takes the view of the week's end, with the looks over the days of the week, and judges it.
func (o *builder) look(ctx context.Context) (err error) {
	at := o.Week.To()
	profile := &o.terms.Profile
	profile.Inventory = o.inventory
	if profile.Days, err = fleet.LearnDays(ctx, o.reader, at, *profile); err != nil {
		return fmt.Errorf("look over the days of the week: %w", err)
	}
	if profile.Learnt, err = fleet.Learn(ctx, o.reader, at, *profile); err != nil {
		return fmt.Errorf("look over the clients' week: %w", err)
	}
	if o.view, err = o.terms.View(ctx, o.reader, at); err != nil {
		return err
	}
	o.judged = detectors.Evaluate(o.view, o.terms.Settings)
	return nil
}

// records reads the findings that fired in a week.
func (o *builder) records(ctx context.Context, week Week) (map[findingKey]*recorded, error) {
	query := fmt.Sprintf("last_over_time(%s[%s])", schema.FindingActive.Name, millis(grain))
	lines, err := o.reader.Range(ctx, query, week.From().Add(grain), week.To(), grain)
	if err != nil {
		return nil, fmt.Errorf("read the findings of week %s: %w", week, err)
	}
	found := map[findingKey]*recorded{}
	for _, line := range lines {
		r := &recorded{
			name: detectors.Name{Detector: line.Labels["detector"], Variant: line.Labels["variant"]}, resource: resourceOf(line.Labels),
			first: line.Times[0], last: line.Times[len(line.Times)-1], samples: len(line.Times),
		}
		if o.concerns(r.resource) {
			found[findingKey{r.name, r.resource}] = r
		}
	}
	return found, nil
}

// listen finds until when findings were recorded: the week's end where nasight ran then. Where it had stopped before, what fired
// last is not known to have ended.
func (o *builder) listen(ctx context.Context) error {
	o.heard = o.Week.To()
	points, err := o.reader.Instant(ctx, fmt.Sprintf("count(last_over_time(%s[%s]))", schema.CollectorSuccess.Name, millis(stillFiring)), o.heard)
	if err != nil {
		return fmt.Errorf("ask whether nasight ran when the week ended: %w", err)
	}
	if len(points) > 0 || len(o.recorded) == 0 {
		return nil
	}
	o.heard = time.Time{}
	for _, record := range o.recorded {
		if record.last.After(o.heard) {
			o.heard = record.last
		}
	}
	return nil
}

// concerns tells whether a finding is about what is asked for: a pool and what lies in it, or a client that mounts that.
func (o *builder) concerns(of fleet.Resource) bool {
	asked := selection{o.Pool, o.Project}
	switch {
	case asked.all() || of.Pool != "":
		return asked.pool(of)
	case of.Host == "":
		return o.Pool == "" && of.Project == o.Project // of a project as a whole
	}
	for _, client := range o.view.Clients {
		for _, mount := range client.Mounts {
			if mount.Host != of.Host || of.Server != "" && mount.Server != of.Server {
				continue
			}
			if mount.Volume != nil && asked.pool(mount.Volume.Identity) || mount.Share != nil && asked.pool(mount.Share.Identity) {
				return true
			}
		}
	}
	return false
}

// findings are those of the week: what was recorded, and what the week's end shows by the looks over its days. Rules of the minute
// are judged by what was recorded: a moment is no week.
func (o *builder) findings(ctx context.Context) ([]Finding, error) {
	known, err := o.records(ctx, o.Week)
	if err != nil {
		return nil, err
	}
	o.recorded = known
	if err := o.listen(ctx); err != nil {
		return nil, err
	}
	details := map[findingKey]detectors.Finding{}
	for _, finding := range o.judged {
		if o.concerns(finding.Resource) {
			details[findingKey{finding.Name(), finding.Resource}] = finding
		}
	}
	if err := o.recall(ctx, known, details); err != nil {
		return nil, err
	}
	var all []Finding
	for key, detail := range details {
		if record := known[key]; record != nil {
			all = append(all, o.fired(detail, record))
		} else if detectors.ClockOf(key.name) == detectors.Daily || len(known) == 0 {
			all = append(all, Finding{Finding: detail, AtEnd: true, Hours: fleet.Unknown})
		}
	}
	for key, record := range known {
		if _, told := details[key]; !told {
			all = append(all, o.fired(bare(key), record))
		}
	}
	before, err := o.records(ctx, o.Compare)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, compareFindings)
	for i := range all {
		all[i].New = len(before) > 0 && all[i].First != nil && before[findingKey{all[i].Name(), all[i].Resource}] == nil
		f := &all[i].Finding
		f.Evidence, f.Remedy, f.BlockedBy = listOf(f.Evidence), listOf(f.Remedy), listOf(f.BlockedBy)
	}
	return all, nil
}

// listOf is a list that JSON writes as such where it is empty.
func listOf[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func compareFindings(a, b Finding) int {
	end := func(f Finding) int {
		if f.AtEnd {
			return 0
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(b.Severity, a.Severity), cmp.Compare(end(a), end(b)), cmp.Compare(b.Hours, a.Hours), cmp.Compare(b.usd(), a.usd()),
		cmp.Compare(a.Detector, b.Detector), cmp.Compare(a.Variant, b.Variant), compareResources(a.Resource, b.Resource),
	)
}

func (f Finding) usd() float64 {
	if f.WasteUSDPerMonth == nil {
		return 0
	}
	return *f.WasteUSDPerMonth
}

// fired is a finding with what was recorded of it.
func (o *builder) fired(f detectors.Finding, r *recorded) Finding {
	first, last := r.first.UTC(), r.last.UTC()
	told := Finding{Finding: f, First: &first, Last: &last, Hours: fleet.Value(r.hours()), AtEnd: o.heard.Sub(r.last) <= stillFiring, AtLeast: o.begun(first)}
	if len(f.Evidence) == 0 {
		told.Detail = "It fired and ended within the week; its evidence is no longer computed here: nasight detect judges that time again."
	}
	told.Since, told.SinceAtLeast, told.State = first, told.AtLeast, detectors.Firing
	if !told.AtEnd {
		told.State = detectors.Resolved
	}
	return told
}

// bare is a finding of which the series alone is left.
func bare(key findingKey) detectors.Finding {
	return detectors.Finding{
		ID: detectors.ID(key.name, key.resource), Detector: key.name.Detector, Variant: key.name.Variant, Resource: key.resource, Severity: detectors.Info,
		Summary: fmt.Sprintf("%s/%s fired.", key.name.Detector, key.name.Variant), Evidence: []detectors.Evidence{}, Remedy: []detectors.Remedy{}, BlockedBy: []string{},
	}
}

// mostRecalled is at how many moments of the week findings that had ended are judged again.
const mostRecalled = 12

// recall judges findings that ended within the week as of when they were true last.
func (o *builder) recall(ctx context.Context, known map[findingKey]*recorded, details map[findingKey]detectors.Finding) error {
	moments := map[time.Time][]findingKey{}
	for key, record := range known {
		if _, told := details[key]; !told && detectors.ClockOf(key.name) == detectors.Minute {
			// A finding is kept for a while after it was true: its middle is when it held.
			middle := record.first.Add(record.last.Sub(record.first) / 2).Truncate(time.Minute)
			moments[middle] = append(moments[middle], key)
		}
	}
	order := slices.SortedFunc(maps.Keys(moments), func(a, b time.Time) int {
		return cmp.Or(cmp.Compare(len(moments[b]), len(moments[a])), b.Compare(a))
	})
	for _, at := range order[:min(len(order), mostRecalled)] {
		view, err := o.terms.View(ctx, o.reader, at)
		if err != nil {
			return err
		}
		again := map[findingKey]detectors.Finding{}
		for _, finding := range detectors.Evaluate(view, o.terms.Settings) {
			again[findingKey{finding.Name(), finding.Resource}] = finding
		}
		for _, key := range moments[at] {
			if finding, told := again[key]; told {
				details[key] = finding
			}
		}
	}
	return nil
}
