package evaluate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/diagnose"
	"github.com/nasight/nasight/internal/captures"
)

// Recordings judges the recordings below a directory as nasight check does. Their labels do not speak of everything: a
// finding that no label expects or refuses is neither right nor wrong, and is counted apart. It returns nil where no name is asked for.
func Recordings(ctx context.Context, directory string, options Options) (*Part, error) {
	all, err := captures.Read(directory)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(c captures.Capture) bool { return !options.wants(c.Name) })
	if len(all) == 0 {
		return nil, nil
	}
	examined, err := parallel(ctx, all, options, examine)
	if err != nil {
		return nil, err
	}
	part := &Part{}
	var cases []Case
	for _, one := range examined {
		cases = append(cases, one.Case)
		part.Unlabelled += one.unlabelled
	}
	part.count(cases)
	return part, nil
}

// labelled is one recording as it was judged.
type labelled struct {
	Case
	unlabelled int
}

func examine(ctx context.Context, c captures.Capture) (labelled, error) {
	recording, err := c.Open()
	if err != nil {
		return labelled{}, err
	}
	report, err := diagnose.Run(ctx, diagnose.Recorded(recording), diagnose.Options{
		Entries: list.Entries(), Detectors: detectors.DefaultSettings(), Deadline: time.Minute,
	})
	if err != nil {
		return labelled{}, fmt.Errorf("examine %s: %w", c.Directory, err)
	}
	return label(c, report.Findings), nil
}

// label turns a recording's labels into truths, and its findings into episodes of one evaluation. Of the findings that make
// a conclusion any one will do, and one truth stands for it; where none is there, the first is the one that was missed.
func label(c captures.Capture, findings []detectors.Finding) labelled {
	found := map[detectors.Name]bool{}
	for _, finding := range findings {
		if said(finding) {
			found[finding.Name()] = true
		}
	}
	result := labelled{Case: Case{Name: c.Name, Snapshot: true}}
	right, wrong := map[detectors.Name]bool{}, map[detectors.Name]bool{}
	for _, label := range c.ExpectedTrue {
		names := captures.Conclusions()[label]
		if len(names) == 0 {
			continue
		}
		made := slices.DeleteFunc(slices.Clone(names), func(name detectors.Name) bool { return !found[name] })
		if len(made) == 0 {
			made = names[:1]
		}
		right[made[0]] = true
	}
	for _, label := range c.ExpectedFalse {
		for _, name := range captures.Conclusions()[label] {
			wrong[name] = !right[name]
		}
	}
	for _, name := range detectors.Names() {
		if right[name] {
			result.Truths = append(result.Truths, Truth{Name: name})
		}
	}
	for _, finding := range findings {
		switch name := finding.Name(); {
		case !said(finding):
		case right[name], wrong[name]:
			result.Episodes = append(result.Episodes, Episode{
				Name: name, Resource: finding.Resource, Moments: []time.Duration{0}, Open: true,
				Confidence: finding.Confidence, Gain: finding.Gain,
			})
		default:
			result.unlabelled++
		}
	}
	return result
}

// said tells whether a one-shot check says a finding without reserve. The labels name conclusions and not which of them is
// the root, so one that another finding blocks counts too.
func said(f detectors.Finding) bool { return f.State == detectors.Firing && !f.Hint }
