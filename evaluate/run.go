package evaluate

import (
	"context"
	"regexp"
	"runtime"
	"slices"
	"sync"

	"github.com/nasight/nasight/fleet"
)

// Options are how an evaluation runs.
type Options struct {
	Workers  int                 // how many scenarios at a time; 0: one for each processor
	Only     *regexp.Regexp      // of the names; nil: all
	Progress func(done, all int) // told after each; calls do not overlap; may be nil
}

// Report is what an evaluation gives. A part that was not run is nil.
type Report struct {
	Simulated *Part `json:"simulated"`
	Real      *Part `json:"real"`
}

// Part are the scores of the simulated scenarios or of the real recordings. The two are never counted together: the simulator
// shares assumptions with the rules, so its scores show that they agree, and only those of recordings show that they are true.
type Part struct {
	Cases      int `json:"cases"`
	Negatives  int `json:"negatives"`           // of those, without any truth
	Disturbed  int `json:"negatives_disturbed"` // of those, with a finding
	Unlabelled int `json:"unlabelled"`          // findings that no label speaks of; they count nowhere else
	Scores

	Cost       fleet.Value `json:"cpu_seconds_per_1000_series"` // of one evaluation; missing where it was not measured
	Notices    Notices     `json:"anomaly_notices"`
	Deviations []Deviation `json:"deviations"`

	Predictions []Prediction `json:"predictions"`
}

// Prediction is one gain that a finding promised, and what its remedy brought.
type Prediction struct {
	Case     string         `json:"case"`
	Detector string         `json:"detector"`
	Variant  string         `json:"variant"`
	Resource fleet.Resource `json:"resource"`
	Low      float64        `json:"low"`
	High     float64        `json:"high"`
	Unit     string         `json:"unit"`
	Achieved fleet.Value    `json:"achieved"` // in the same unit
}

// Deviation is one truth that was missed, or one finding that was false or came twice.
type Deviation struct {
	Case     string         `json:"case"`
	Kind     string         `json:"kind"` // missed or false
	Detector string         `json:"detector"`
	Variant  string         `json:"variant"`
	Resource fleet.Resource `json:"resource"`
	At       fleet.Value    `json:"at_seconds"` // when the truth or the finding began; missing for a recording
}

// wants tells whether a name is one of those that are asked for.
func (o Options) wants(name string) bool { return o.Only == nil || o.Only.MatchString(name) }

// Play judges scenarios in simulated time, each in a world of its own. It returns nil where no name is asked for.
func Play(ctx context.Context, scenarios []*Scenario, open Opening, options Options) (*Part, error) {
	wanted := slices.DeleteFunc(slices.Clone(scenarios), func(s *Scenario) bool { return !options.wants(s.Name) })
	if len(wanted) == 0 {
		return nil, nil
	}
	all, err := parallel(ctx, wanted, options, func(ctx context.Context, s *Scenario) (*played, error) {
		return play(ctx, s, open)
	})
	if err != nil {
		return nil, err
	}
	part := &Part{}
	var cases []Case
	for _, one := range all {
		cases = append(cases, one.Case)
		part.Notices.add(one.told)
	}
	part.count(cases)
	part.Cost = cost(all)
	return part, nil
}

// count fills in what follows from the cases.
func (p *Part) count(cases []Case) {
	p.Cases, p.Scores, p.Cost, p.Deviations = len(cases), Score(cases), fleet.Unknown, []Deviation{}
	p.Predictions = []Prediction{}
	for _, c := range cases {
		p.Deviations = append(p.Deviations, c.deviations()...)
		p.Predictions = append(p.Predictions, c.predictions()...)
		if len(c.Truths) > 0 {
			continue
		}
		p.Negatives++
		if len(c.Episodes) > 0 {
			p.Disturbed++
		}
	}
}

func (c Case) deviations() []Deviation {
	var found []Deviation
	m := c.match()
	begun := func(seconds float64) fleet.Value {
		if c.Snapshot {
			return fleet.Unknown
		}
		return fleet.Value(seconds)
	}
	for i, truth := range c.Truths {
		if m.first[i] == nil {
			found = append(found, Deviation{c.Name, "missed", truth.Detector, truth.Variant, truth.Resource, begun(truth.From.Seconds())})
		}
	}
	for i, episode := range c.Episodes {
		if m.truth[i] < 0 {
			found = append(found, Deviation{c.Name, "false", episode.Detector, episode.Variant, episode.Resource, begun(episode.From().Seconds())})
		}
	}
	return found
}

// predictions are the gains of the truths that were found and whose remedy was tried with some effect.
func (c Case) predictions() []Prediction {
	var found []Prediction
	m := c.match()
	for i, truth := range c.Truths {
		if m.first[i] == nil {
			continue
		}
		gain, achieved := m.first[i].held(truth)
		if achieved.Known() {
			found = append(found, Prediction{c.Name, truth.Detector, truth.Variant, m.first[i].Resource, gain.Low, gain.High, gain.Unit, achieved})
		}
	}
	return found
}

// parallel does the same to every item, some at a time, and keeps their order. The first error ends it.
func parallel[T, R any](ctx context.Context, items []T, options Options, do func(context.Context, T) (R, error)) ([]R, error) {
	workers := options.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	results, next := make([]R, len(items)), make(chan int)
	var group sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range min(workers, len(items)) {
		group.Go(func() {
			for i := range next {
				var err error
				if results[i], err = do(ctx, items[i]); err != nil {
					cancel(err)
					return
				}
				mu.Lock()
				if done++; options.Progress != nil {
					options.Progress(done, len(items))
				}
				mu.Unlock()
			}
		})
	}
	feed(ctx, next, len(items))
	group.Wait()
	return results, context.Cause(ctx)
}

// feed hands out the numbers of the items until the context ends.
func feed(ctx context.Context, next chan<- int, count int) {
	defer close(next)
	for i := range count {
		select {
		case next <- i:
		case <-ctx.Done():
			return
		}
	}
}
