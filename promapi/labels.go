package promapi

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"
)

// maxListed bounds lists of names, values and series where the client gives no limit.
const maxListed = 100_000

func (s selection) most() int {
	if s.limit > 0 {
		return min(s.limit, maxListed)
	}
	return maxListed
}

func (a *api) labelNames(r *http.Request) (answer, error) {
	return a.list(r, func(ctx context.Context, querier storage.Querier, hints *storage.LabelHints, matchers []*labels.Matcher) ([]string, annotations.Annotations, error) {
		return querier.LabelNames(ctx, hints, matchers...)
	})
}

func (a *api) labelValues(r *http.Request) (answer, error) {
	name := r.PathValue("name")
	if strings.HasPrefix(name, "U__") { // how clients write names that are more than letters and digits
		name = model.UnescapeName(name, model.ValueEncodingEscaping)
	}
	if !model.UTF8Validation.IsValidLabelName(name) {
		return answer{}, badData("invalid label name: %q", name)
	}
	return a.list(r, func(ctx context.Context, querier storage.Querier, hints *storage.LabelHints, matchers []*labels.Matcher) ([]string, annotations.Annotations, error) {
		return querier.LabelValues(ctx, name, hints, matchers...)
	})
}

type listFunc func(context.Context, storage.Querier, *storage.LabelHints, []*labels.Matcher) ([]string, annotations.Annotations, error)

// list collects the names or values under each of the selectors.
func (a *api) list(r *http.Request, read listFunc) (found answer, err error) {
	chosen, err := selectionOf(r.Form)
	if err != nil {
		return answer{}, err
	}
	querier, err := a.history.Queryable().Querier(chosen.start.UnixMilli(), chosen.end.UnixMilli())
	if err != nil {
		return answer{}, err
	}
	defer func() { err = errors.Join(err, querier.Close()) }()
	if len(chosen.matchers) == 0 {
		chosen.matchers = [][]*labels.Matcher{nil}
	}
	set := make(map[string]struct{})
	for _, matchers := range chosen.matchers {
		texts, notes, err := read(r.Context(), querier, &storage.LabelHints{Limit: chosen.most() + 1}, matchers)
		if err != nil {
			return answer{}, err
		}
		found.notes.Merge(notes)
		for _, text := range texts {
			set[text] = struct{}{}
		}
	}
	texts := slices.Sorted(maps.Keys(set))
	if len(texts) > chosen.most() {
		texts = texts[:chosen.most()]
		found.notes.Add(errTruncated)
	}
	found.data = append([]string{}, texts...)
	return found, nil
}

func (a *api) series(r *http.Request) (found answer, err error) {
	chosen, err := selectionOf(r.Form)
	if err != nil {
		return answer{}, err
	}
	if len(chosen.matchers) == 0 {
		return answer{}, badData("no match[] parameter provided")
	}
	querier, err := a.history.Queryable().Querier(chosen.start.UnixMilli(), chosen.end.UnixMilli())
	if err != nil {
		return answer{}, err
	}
	defer func() { err = errors.Join(err, querier.Close()) }()
	hints := &storage.SelectHints{
		Start: chosen.start.UnixMilli(), End: chosen.end.UnixMilli(), Limit: chosen.most() + 1,
		Func: "series", // a mark for storage: no samples are needed
	}
	sets := make([]storage.SeriesSet, 0, len(chosen.matchers))
	for _, matchers := range chosen.matchers {
		sets = append(sets, querier.Select(r.Context(), true, hints, matchers...))
	}
	merged := storage.NewMergeSeriesSet(sets, 0, storage.ChainedSeriesMerge)
	list := []labels.Labels{}
	for merged.Next() {
		if len(list) == chosen.most() {
			found.notes.Add(errTruncated)
			break
		}
		list = append(list, merged.At().Labels())
	}
	if err := errors.Join(merged.Err(), r.Context().Err()); err != nil {
		return answer{}, err
	}
	found.notes.Merge(merged.Warnings())
	found.data = list
	return found, nil
}
