package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/plan"
	"github.com/nasight/nasight/schema"
)

// inventoryCollector is the collector that reads which pools there are.
const inventoryCollector = "gcnv_inventory"

// unknownPools says why no pool is in a history: an error, unless the inventory was read and holds none.
func unknownPools(ctx context.Context, from source, at time.Time) error {
	query := fmt.Sprintf("min(last_over_time(%s{collector=%q}[%ds]))", schema.CollectorSuccess.Name, inventoryCollector, int(lookBack.Seconds()))
	points, err := from.reader.Instant(ctx, query, at)
	switch {
	case err != nil:
		return collectError("read the volumes' history from %s: %w", from.name, err)
	case len(points) == 0:
		return collectError("%s: no storage pool is known: no inventory of a cloud has been read yet; set gcnv in the configuration of nasight serve, "+
			"or try again after its first reading", from.name)
	case points[0].Value > 0:
		return nil
	}
	reasons, err := refusals(ctx, from.reader, at)
	if err != nil {
		return collectError("read the volumes' history from %s: %w", from.name, err)
	}
	return collectError("%s: no storage pool is known: the inventory could not be read%s; nasight config check --connect says what lacks", from.name, reasons)
}

// refusals are the projects whose inventory could not be read, with the reasons.
func refusals(ctx context.Context, reader history.Reader, at time.Time) (string, error) {
	query := fmt.Sprintf("max by (project, reason) (last_over_time(%s{api=\"inventory\"}[3h]))", schema.CloudUnreachable.Name)
	points, err := reader.Instant(ctx, query, at)
	if err != nil || len(points) == 0 {
		return "", err
	}
	found := map[string]bool{}
	for _, point := range points {
		found[fmt.Sprintf("%.63s: %.63s", point.Labels["project"], point.Labels["reason"])] = true
	}
	texts := slices.Sorted(maps.Keys(found))
	const most = 5
	if more := len(texts) - most; more > 0 {
		texts = append(texts[:most], fmt.Sprintf("%d more", more))
	}
	return " (" + strings.Join(texts, ", ") + ")", nil
}

// filling tells of pools that have too few days because the back-fill still runs. Where no pool is left that could be
// planned that is an error, as of what could not be read; else a note.
func filling(ctx context.Context, from source, answer *plan.Answer, notes io.Writer) error {
	var young []string
	share, planned := math.Inf(1), false
	progress, err := backfilled(ctx, from.reader, answer.At)
	if err != nil {
		return collectError("read the volumes' history from %s: %w", from.name, err)
	}
	for _, one := range answer.Pools {
		stored, known := progress[one.Project]
		if !known || stored >= 1 || !one.Insufficient() {
			planned = true
			continue
		}
		planned = planned || one.Status != plan.Refused
		share, young = min(share, stored), append(young, one.Pool)
	}
	if len(young) == 0 {
		return nil
	}
	text := fmt.Sprintf("history is still being filled with the past (%.0f %%)", math.Floor(100*share))
	if !planned {
		return collectError("%s: %s: there are too few days to plan from yet; ask again in some minutes", from.name, text)
	}
	_, err = fmt.Fprintf(notes, "note: %s: too few days are known of volumes of %.200s yet; ask again in some minutes\n", text, strings.Join(young, ", "))
	return err
}

// backfilled is which share of the past is stored, by project.
func backfilled(ctx context.Context, reader history.Reader, at time.Time) (map[string]float64, error) {
	points, err := reader.Instant(ctx, fmt.Sprintf("min by (project) (last_over_time(%s[2h]))", schema.CloudBackfill.Name), at)
	if err != nil {
		return nil, err
	}
	shares := map[string]float64{}
	for _, point := range points {
		shares[point.Labels["project"]] = point.Value
	}
	return shares, nil
}
