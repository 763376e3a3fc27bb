package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/promread"
	"github.com/nasight/nasight/schema"
)

type findings = []detectors.Finding

const ownServer = "http://localhost:9877"

// open connects to a running serve, or opens the files of one that does not run.
func (c *planCommand) open(ctx context.Context) (source, error) {
	if c.History != "" {
		return openFiles(ctx, c.History)
	}
	address := c.Server
	if address == "" {
		address = ownServer
	}
	reader, err := promread.New(address, promread.Options{})
	if err != nil {
		return source{}, usageError("--server: %w", err)
	}
	return source{reader, reader.String(), reader.Close}, nil
}

// openFiles opens a history without making one, and without deleting what a shorter retention would.
func openFiles(ctx context.Context, path string) (source, error) {
	if _, err := os.Stat(filepath.Join(path, "wal")); errors.Is(err, fs.ErrNotExist) {
		return source{}, usageError("--history.path=%s: holds no history of nasight serve", path)
	}
	const forever = 50 * 365 * 24 * time.Hour
	opened, err := history.OpenEmbedded(ctx, history.EmbeddedOptions{Path: path, Retention: forever})
	if err != nil {
		return source{}, collectError("%w; of a nasight serve that runs, use --server", err)
	}
	return source{opened, path, opened.Close}, nil
}

// lookBack is how old the inventory of a serve that was stopped may be.
const lookBack = 15 * 24 * time.Hour

// survey looks at the fleet now. Where no inventory is known now, as of a serve that was stopped, it looks at the last
// moment of which one is.
func survey(ctx context.Context, reader history.Reader, now time.Time) (sighting, error) {
	seen, err := surveyAt(ctx, reader, now)
	if err != nil || len(seen.Pools) > 0 {
		return seen, err
	}
	// Inventory is read hourly: a step below the lookback of a selector (5 minutes) misses none.
	query := fmt.Sprintf("max_over_time(max(timestamp(%s))[%ds:4m])", schema.PoolInfo.Name, int(lookBack.Seconds()))
	points, err := reader.Instant(ctx, query, now)
	if err != nil {
		return seen, fmt.Errorf("find the last inventory: %w", err)
	}
	if len(points) == 0 {
		return seen, nil
	}
	return surveyAt(ctx, reader, time.Unix(int64(points[0].Value)+1, 0))
}

func surveyAt(ctx context.Context, reader history.Reader, at time.Time) (sighting, error) {
	standard := config.Default()
	window := time.Duration(standard.Detection.Window)
	profile := fleet.Spacing(window, window/4)
	profile.Cloud = standard.Cloud
	var err error
	if profile.Days, err = fleet.LearnDays(ctx, reader, at, profile); err != nil {
		return sighting{}, fmt.Errorf("look over two weeks: %w", err)
	}
	if profile.Learnt, err = fleet.Learn(ctx, reader, at, profile); err != nil {
		return sighting{}, fmt.Errorf("look over the clients' week: %w", err)
	}
	view, err := fleet.Build(ctx, reader, at, profile)
	if err != nil {
		return sighting{}, err
	}
	return sighting{view, detectors.Evaluate(view, standard.Detection.Settings())}, nil
}
