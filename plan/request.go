package plan

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

// Request is what an operator asks for. The command line and the API fill it and have it answered by the same function,
// so that both give the same figures of the same view. Start from NewRequest.
type Request struct {
	Pool    string // POOL, LOCATION/POOL or PROJECT/LOCATION/POOL; empty: every pool with manual QoS
	Project string // project id; empty: every project

	Headroom      float64 // see Options
	Reserve       float64
	Floors        []string // MIBPS for all volumes, or VOLUME=MIBPS
	Protect       []string // VOLUME, LOCATION/VOLUME or PROJECT/LOCATION/VOLUME
	FailoverReady bool

	leastCoverage float64
}

// NewRequest asks for every pool with manual QoS by the documented options. The settings of the detectors give the
// headroom and the least coverage, so that a plan and the finding that advises it agree on what a volume needs.
func NewRequest(settings detectors.Settings) Request {
	return Request{Headroom: settings.Pool.Headroom, Reserve: Defaults().Reserve, leastCoverage: settings.MinimumCoverage}
}

// Answer is what a request brings. Its JSON is what `nasight plan --format json` and /api/v1/plan print.
type Answer struct {
	At    time.Time `json:"at"` // the moment of the view that the plans are made from
	Pools []*Plan   `json:"pools"`
	Known int       `json:"-"` // pools, of any QoS, in the project that was asked for
}

// RequestError says what is wrong with a request: a parameter, its value, the reason and what to write instead.
type RequestError struct {
	Parameter string // as the API calls it; the command line has it behind two dashes
	Value     string
	Problem   string
	Missing   bool // the parameter is well-formed and names a pool or project that is not there
}

// Error is one line.
func (e *RequestError) Error() string { return e.Parameter + "=" + e.Value + ": " + e.Problem }

// Answer plans what the request asks for, each proof verified. A *RequestError means that the request is wrong; any other
// error is a fault of nasight's own.
func (r Request) Answer(view *fleet.Fleet, settings detectors.Settings) (*Answer, error) {
	return r.Given(view, detectors.Evaluate(view, settings))
}

// Given is Answer where the findings are known already.
func (r Request) Given(view *fleet.Fleet, findings []detectors.Finding) (*Answer, error) {
	wishes, err := r.wishes()
	if err != nil {
		return nil, err
	}
	pools, known, err := r.pools(view)
	if err != nil {
		return nil, err
	}
	inputs := make([]Input, len(pools))
	for i, pool := range pools {
		inputs[i] = FromPool(view, pool, findings, wishes.options)
	}
	if err := wishes.apply(inputs); err != nil {
		return nil, err
	}
	answer := &Answer{At: view.At.UTC(), Pools: make([]*Plan, 0, len(inputs)), Known: known}
	for _, input := range inputs {
		made, err := proven(input, wishes.options)
		if err != nil {
			return nil, err
		}
		answer.Pools = append(answer.Pools, made)
	}
	return answer, nil
}

// Check tells whether the request makes sense whatever the view.
func (r Request) Check() error {
	_, err := r.wishes()
	return err
}

func proven(input Input, options Options) (*Plan, error) {
	made, err := Build(input.Pool, input.Volumes, options)
	if err != nil {
		return nil, err
	}
	if made.Certificate != nil {
		if err := Verify(made.Certificate, made); err != nil {
			return nil, fmt.Errorf("a plan's proof does not hold, so it is not shown: %w", err)
		}
	}
	return made, nil
}

// pools are those that are asked for: by name whatever their QoS, as Build says why it refuses one, else the manual ones.
func (r Request) pools(view *fleet.Fleet) (found []*fleet.Pool, known int, err error) {
	var others, projects []string
	for _, pool := range view.Pools {
		id := pool.Identity
		if r.Project != "" && id.Project != r.Project {
			projects = append(projects, id.Project)
			continue
		}
		switch {
		case r.Pool != "" && isNamed(r.Pool, id.Project, id.Location, id.Pool), r.Pool == "" && pool.Manual():
			found = append(found, pool)
		case pool.Manual():
			others = append(others, id.Location+"/"+id.Pool)
		}
	}
	known = len(view.Pools) - len(projects)
	switch {
	case r.Project != "" && known == 0:
		return nil, 0, missing("project", r.Project, "no pool of such a project is known; there are %s", few(projects))
	case r.Pool != "" && len(found) == 0:
		return nil, 0, missing("pool", r.Pool, "no such pool among %d; with manual QoS: %s", known, few(others))
	}
	return found, known, nil
}

func missing(parameter, value, format string, args ...any) error {
	return &RequestError{Parameter: parameter, Value: value, Problem: fmt.Sprintf(format, args...), Missing: true}
}

// isNamed tells whether text names a resource by its last one, two or three parts.
func isNamed(text string, parts ...string) bool {
	full := strings.Join(parts, "/")
	return text == full || strings.HasSuffix(full, "/"+text)
}

// few lists some names, each once.
func few(names []string) string {
	const most = 5
	var distinct []string
	seen := map[string]bool{}
	for _, name := range names {
		if !seen[name] {
			distinct = append(distinct, name)
		}
		seen[name] = true
	}
	switch {
	case len(distinct) == 0:
		return "none"
	case len(distinct) > most:
		return strings.Join(distinct[:most], ", ") + " and " + strconv.Itoa(len(distinct)-most) + " more"
	}
	return strings.Join(distinct, ", ")
}
