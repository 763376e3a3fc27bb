package stage

import (
	"context"
	"fmt"
	"time"

	"github.com/nasight/nasight/schema"
)

const (
	minutesRead = 23 * time.Hour   // of one reading of the past, which asks for a day of minutes
	minutesLate = 30 * time.Minute // after which all of them are told
)

// minutes are Azure's that serve would have kept of the time from one moment up to another, as its collectors read them then. A
// back-fill fetches no more than the last day of them.
func (s *Stage) minutes(ctx context.Context, from, to time.Time) ([]schema.Sample, error) {
	if s.files == nil || !s.kept {
		return nil, nil
	}
	var all []schema.Sample
	for end := to; end.After(from); end = end.Add(-minutesRead) {
		samples, err := s.minutesBefore(ctx, end.Add(minutesLate))
		if err != nil {
			return nil, fmt.Errorf("the minutes of the day before %s: %w", end.UTC().Format(time.RFC3339), err)
		}
		begin := end.Add(-minutesRead)
		if begin.Before(from) {
			begin = from
		}
		for _, sample := range samples {
			if ofMinutes(sample) && !sample.Time.Before(begin) && sample.Time.Before(end) {
				all = append(all, sample)
			}
		}
	}
	return all, nil
}

func ofMinutes(sample schema.Sample) bool {
	return sample.Family.Grain == schema.AzureGrain && sample.Family.Delay == schema.AzureDelay
}

// firstMinute is the earliest of a back-fill's; zero where there is none.
func firstMinute(samples []schema.Sample) time.Time {
	var first time.Time
	for _, sample := range samples {
		if ofMinutes(sample) && (first.IsZero() || sample.Time.Before(first)) {
			first = sample.Time
		}
	}
	return first
}

// minutesBefore are those of a day, and what else its reading tells.
func (s *Stage) minutesBefore(ctx context.Context, end time.Time) ([]schema.Sample, error) {
	source, err := s.openFiles(func() time.Time { return end }, &memory{}, 1)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	into := &shelf{}
	for _, entry := range source.Entries() {
		r, err := s.readerOf(entry)
		if err != nil {
			return nil, err
		}
		samples, err := r.collect(ctx, end)
		if err != nil {
			return nil, err
		}
		into.samples = append(into.samples, samples...)
	}
	err = filled(ctx, source.Backfill, into)
	return into.samples, err
}
