package promapi

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// The span that requests without start or end cover. Prometheus takes all of time; samples of a history lie within.
var (
	earliest = time.Unix(0, 0).UTC()
	latest   = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
)

// maxSeconds bounds times and durations: beyond it, arithmetic on them overflows.
const maxSeconds = 9e9

// maxMatchers bounds the selectors of one request.
const maxMatchers = 100

func parseTime(text string) (time.Time, error) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		if math.IsNaN(seconds) || math.Abs(seconds) > maxSeconds {
			return time.Time{}, fmt.Errorf("cannot parse %q to a valid timestamp", text)
		}
		return time.UnixMilli(int64(math.Round(seconds * 1000))).UTC(), nil
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || math.Abs(float64(t.Unix())) > maxSeconds {
		return time.Time{}, fmt.Errorf("cannot parse %q to a valid timestamp", text)
	}
	return t.UTC(), nil
}

// timeOr reads a time that may be left out.
func timeOr(form url.Values, name string, fallback time.Time) (time.Time, error) {
	text := form.Get(name)
	if text == "" {
		return fallback, nil
	}
	t, err := parseTime(text)
	if err != nil {
		return time.Time{}, badParameter(name, err)
	}
	return t, nil
}

func parseDuration(text string) (time.Duration, error) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		if math.IsNaN(seconds) || math.Abs(seconds) > maxSeconds {
			return 0, fmt.Errorf("cannot parse %q to a valid duration", text)
		}
		return time.Duration(seconds * float64(time.Second)), nil
	}
	d, err := model.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("cannot parse %q to a valid duration", text)
	}
	return time.Duration(d), nil
}

// timeout is the server's own or the client's, whichever is shorter.
func (a *api) timeout(form url.Values) (time.Duration, error) {
	text := form.Get("timeout")
	if text == "" {
		return a.opts.Timeout, nil
	}
	d, err := parseDuration(text)
	if err != nil {
		return 0, badParameter("timeout", err)
	}
	if d <= 0 {
		return a.opts.Timeout, nil
	}
	return min(d, a.opts.Timeout), nil
}

// limitOf reads the limit on results; 0 means none.
func limitOf(form url.Values) (int, error) {
	text := form.Get("limit")
	if text == "" {
		return 0, nil
	}
	limit, err := strconv.Atoi(text)
	if err == nil && limit < 0 {
		err = errors.New("limit must be non-negative")
	}
	if err != nil {
		return 0, badParameter("limit", err)
	}
	return limit, nil
}

// stepRange is the moments that a range query is evaluated at.
type stepRange struct {
	start, end time.Time
	step       time.Duration
}

// maxSteps is Prometheus' own limit: a week by the minute, a year by the hour.
const maxSteps = 11_000

func stepRangeOf(form url.Values) (stepRange, error) {
	var r stepRange
	var err error
	if r.start, err = parseTime(form.Get("start")); err != nil {
		return r, badParameter("start", err)
	}
	if r.end, err = parseTime(form.Get("end")); err != nil {
		return r, badParameter("end", err)
	}
	if r.end.Before(r.start) {
		return r, badParameter("end", errors.New("end timestamp must not be before start time"))
	}
	if r.step, err = parseDuration(form.Get("step")); err != nil {
		return r, badParameter("step", err)
	}
	if r.step < time.Millisecond {
		return r, badParameter("step", errors.New("zero or negative query resolution step widths are not accepted. Try a positive integer"))
	}
	if r.end.Sub(r.start)/r.step > maxSteps {
		return r, badData("exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)")
	}
	return r, nil
}

// selection is what the label and series requests have in common.
type selection struct {
	start, end time.Time
	matchers   [][]*labels.Matcher // alternatives
	limit      int
}

func selectionOf(form url.Values) (selection, error) {
	var s selection
	var err error
	if s.limit, err = limitOf(form); err != nil {
		return s, err
	}
	if s.start, err = timeOr(form, "start", earliest); err != nil {
		return s, err
	}
	if s.end, err = timeOr(form, "end", latest); err != nil {
		return s, err
	}
	s.matchers, err = matchersOf(form["match[]"])
	return s, err
}

func matchersOf(texts []string) ([][]*labels.Matcher, error) {
	if len(texts) > maxMatchers {
		return nil, badParameter("match[]", fmt.Errorf("more than %d selectors", maxMatchers))
	}
	sets, err := parser.NewParser(parser.Options{}).ParseMetricSelectors(texts)
	if err != nil {
		return nil, badParameter("match[]", err)
	}
	for _, set := range sets {
		if matchesNothing(set) {
			return nil, badParameter("match[]", errors.New("match[] must contain at least one non-empty matcher"))
		}
	}
	return sets, nil
}

// matchesNothing tells a selector that would match series without any label.
func matchesNothing(set []*labels.Matcher) bool {
	for _, matcher := range set {
		if !matcher.Matches("") {
			return false
		}
	}
	return true
}
