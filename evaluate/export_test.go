package evaluate

import "context"

// Episodes plays a scenario without its remedies, and tells what fired.
func Episodes(ctx context.Context, s *Scenario, open Opening) ([]Episode, error) {
	alone := *s
	alone.Truths = nil
	played, err := play(ctx, &alone, open)
	if err != nil {
		return nil, err
	}
	return played.Episodes, nil
}

// Names tells whether an episode is about a truth and shares an evaluation with it.
func (t Truth) Names(e Episode) bool {
	_, overlaps := t.overlap(e)
	return overlaps && e.Name == t.Name && t.fits(e.Resource)
}
