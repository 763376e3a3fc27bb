package judge

import (
	"context"
	"time"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
)

const (
	learnEvery = time.Hour
	learnAgain = 5 * time.Minute // after a failure
)

// Learner takes the long looks over history once an hour. The zero value has taken none.
type Learner struct{ at time.Time }

// Learn puts what the long looks find into a profile, where it is time for them. Without them the views lack the learnt
// values; nothing else depends on it, so that an error is worth a warning and no more.
func (l *Learner) Learn(ctx context.Context, reader history.Reader, at time.Time, profile *fleet.Profile) error {
	if since := at.Sub(l.at); since >= 0 && since < learnEvery {
		return nil
	}
	learnt, err := fleet.Learn(ctx, reader, at, *profile)
	if err != nil {
		l.at = at.Add(learnAgain - learnEvery)
		return err
	}
	profile.Learnt, l.at = learnt, at
	return nil
}
