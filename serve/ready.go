package serve

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/web"
)

// notReady is the one place that decides readiness: the reasons why nasight cannot be relied on now, none if it can. A
// collector that failed with a reason is no such reason: it shows in the metrics and on the page.
func (s *Server) notReady() []string {
	var reasons []string
	if s.stopping.Load() {
		reasons = append(reasons, "stopping")
	}
	for _, status := range s.collecting.status() {
		if !status.Ran {
			reasons = append(reasons, fmt.Sprintf("first run of %s on %s pending", status.Collector, status.Host))
		}
	}
	slices.Sort(reasons)
	if err := s.history.Degraded(); err != nil {
		reasons = append(reasons, "history degraded: "+firstLine(err))
	}
	return append(reasons, s.evaluator.notReady(time.Now())...)
}

// notReady says why the findings are not those of now.
func (e *evaluator) notReady(now time.Time) []string {
	if e.replaying.Load() {
		return []string{"catching up with history since the last evaluation"}
	}
	if err := e.failed(); err != nil {
		return []string{"last evaluation failed: " + firstLine(err)}
	}
	latest := e.latest.Load()
	if latest == nil {
		return []string{"first evaluation pending"}
	}
	if age := now.Sub(latest.At); age > lateAfter*e.interval()+time.Minute {
		return []string{fmt.Sprintf("no evaluation for %s", age.Round(time.Second))}
	}
	return nil
}

const lateAfter = 3 // intervals without an evaluation

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	reasons := s.notReady()
	if len(reasons) == 0 {
		say(w, http.StatusOK, append([]string{"ready"}, s.failing()...)...)
		return
	}
	say(w, http.StatusServiceUnavailable, reasons...)
}

// failing notes the collectors whose last run failed, those of agents included. nasight is ready all the same.
func (s *Server) failing() []string {
	var notes []string
	for _, row := range s.collectorRows() {
		if row.Ran && !row.Success {
			notes = append(notes, fmt.Sprintf("note: %s on %s fails: %s", row.Name, row.Host, row.Outcome))
		}
	}
	return notes
}

// collectorRows lists the collectors that run here and those that the last evaluation knows of.
func (s *Server) collectorRows() []web.Collector {
	var agents []web.Collector
	if latest := s.evaluator.latest.Load(); latest != nil {
		agents = latest.Collectors
	}
	return s.health.rows(s.collecting.status(), agents)
}

func (s *Server) healthy(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "healthy") }

// say answers with lines of text.
func say(w http.ResponseWriter, code int, lines ...string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_, _ = fmt.Fprintln(w, strings.Join(lines, "\n"))
}

// pageData is what the page shows.
func (s *Server) pageData(r *http.Request) web.Page {
	page := web.Page{Version: s.build.Version, Notice: s.notice, Now: time.Now(), NotReady: s.notReady()}
	if latest := s.evaluator.latest.Load(); latest != nil {
		page.EvaluatedAt, page.Fleet, page.Findings, page.Settings = latest.At, latest.Fleet, latest.Findings, latest.Settings
		page.Charts = s.anomalies.charts(r.Context(), latest)
	}
	page.Collectors = s.collectorRows()
	return page
}

// outcome says how a collector's last run went.
func outcome(status collectors.Status) string {
	switch {
	case !status.Ran:
		return "first run pending"
	case status.Err == nil:
		return "ok"
	case errors.Is(status.Err, collectors.ErrNoData):
		return "nothing to collect on this host"
	}
	return firstLine(status.Err)
}
