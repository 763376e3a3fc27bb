package stage

import (
	"context"

	"github.com/nasight/nasight/evaluate"
)

// Open puts a scenario's setting on the stage, for an evaluation.
func Open(ctx context.Context, s evaluate.Setting) (evaluate.World, error) {
	put, err := New(ctx, Options{Fleet: s.Fleet, Seed: s.Seed, Start: s.Start, Noise: s.Noise, Past: s.Past, Kept: true})
	if err != nil {
		return nil, err
	}
	return put, nil
}
