package serve

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/nasight/nasight/detectors"
)

// findingsAnswer is the body of /api/v1/findings.
type findingsAnswer struct {
	Findings    []detectors.Finding `json:"findings"`
	EvaluatedAt *time.Time          `json:"evaluated_at"` // null before the first evaluation
	Window      string              `json:"window"`       // what rates and means cover
}

// filters are the parameters of /api/v1/findings and what each has to equal.
var filters = map[string]func(detectors.Finding) string{
	"detector": func(f detectors.Finding) string { return f.Detector },
	"state":    func(f detectors.Finding) string { return string(f.State) },
	"host":     func(f detectors.Finding) string { return f.Resource.Host },
	"severity": func(f detectors.Finding) string { return f.Severity.String() },
}

// findings answers with the findings in every state, the most severe first. A parameter given several times lets each
// of its values through.
func (s *Server) findings(w http.ResponseWriter, r *http.Request) {
	query, err := parameters(r, "detector", "host", "severity", "state")
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	answer := findingsAnswer{Findings: []detectors.Finding{}, Window: s.current().Detection.Window.String()}
	if latest := s.evaluator.latest.Load(); latest != nil {
		at := latest.At.UTC()
		answer.EvaluatedAt = &at
		answer.Window = latest.Fleet.Window.String()
		for _, finding := range latest.Findings {
			if passes(finding, query) {
				answer.Findings = append(answer.Findings, finding)
			}
		}
	}
	s.writeJSON(w, answer)
}

func passes(finding detectors.Finding, query url.Values) bool {
	for name, values := range query {
		if !slices.Contains(values, filters[name](finding)) {
			return false
		}
	}
	return true
}

// fleetView answers with the typed view of the last evaluation.
func (s *Server) fleetView(w http.ResponseWriter, r *http.Request) {
	if _, err := parameters(r); err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	latest := s.evaluator.latest.Load()
	if latest == nil {
		fail(w, http.StatusServiceUnavailable, "nothing has been evaluated yet; try again after the first collections")
		return
	}
	s.writeJSON(w, plain(reflect.ValueOf(latest.Fleet)))
}

// parameters reads a query that may have the named parameters and no others: a filter with a typing error would let
// everything through. None is empty: an empty filter would let everything through as well.
func parameters(r *http.Request, allowed ...string) (url.Values, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fmt.Errorf("the query cannot be read: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if slices.Contains(query[name], "") && slices.Contains(allowed, name) {
			return nil, fmt.Errorf("%s=: is empty; write a value, or leave the parameter out", name)
		}
		if !slices.Contains(allowed, name) {
			known := "there are none"
			if len(allowed) > 0 {
				known = "there are " + strings.Join(allowed, ", ")
			}
			return nil, fmt.Errorf("unknown parameter %q; %s", name, known)
		}
	}
	return query, nil
}

// once reads a query of which no parameter is given twice: which of both is meant nobody knows.
func once(r *http.Request, allowed ...string) (url.Values, error) {
	query, err := parameters(r, allowed...)
	if err != nil {
		return nil, err
	}
	for _, name := range allowed {
		if values := query[name]; len(values) > 1 {
			return nil, fmt.Errorf("%s=%s: given more than once; write it once", name, values[1])
		}
	}
	return query, nil
}

// fail answers as Prometheus's API does.
func fail(w http.ResponseWriter, code int, message string) {
	kind := "bad_data"
	if code >= http.StatusInternalServerError {
		kind = "unavailable"
	}
	body, err := json.Marshal(map[string]string{"status": "error", "errorType": kind, "error": message})
	if err != nil { // three strings always marshal
		body = []byte(`{"status":"error"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(append(body, '\n'))
}

// writeJSON encodes the whole answer, an object, before it sends the first byte. The notice comes first in it.
func (s *Server) writeJSON(w http.ResponseWriter, answer any) {
	body, err := json.Marshal(answer)
	if err == nil && s.notice != "" {
		body, err = withNotice(body, s.notice)
	}
	if err != nil {
		s.log.Error("cannot encode an answer", "err", err)
		fail(w, http.StatusInternalServerError, "cannot encode the answer; the log says why")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(append(body, '\n'))
}
