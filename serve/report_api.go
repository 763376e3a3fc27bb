package serve

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/report"
)

const (
	reportLong  = 150 * time.Second // how long a report may take that is asked for: less than an answer may
	reportRetry = 30 * time.Second  // when to ask again while another one is made
)

// reportFigures answers with the report of a week as JSON: the file that was written where there is one, else it is made, one at a
// time. It is what `nasight report weekly --format=json` writes.
func (s *Server) reportFigures(w http.ResponseWriter, r *http.Request) {
	query, err := once(r, "week", "compare", "pool", "project")
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	asked, err := askedReport(query, time.Now())
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	if asked.Whole() && s.sendWritten(w, r, asked.Week) {
		return
	}
	if !s.making.TryLock() {
		w.Header().Set("Retry-After", strconv.Itoa(int(reportRetry.Seconds())))
		fail(w, http.StatusServiceUnavailable, "another report is being made; ask again when it is done")
		return
	}
	defer s.making.Unlock()
	ctx, cancel := context.WithTimeout(r.Context(), reportLong)
	defer cancel()
	s.sendMade(ctx, w, asked)
}

// askedReport is what a query asks for. The last closed week is the one of none.
func askedReport(query url.Values, now time.Time) (report.Options, error) {
	asked := report.Options{Week: report.LastClosed(now), Pool: query.Get("pool"), Project: query.Get("project"), Now: now}
	for name, week := range map[string]*report.Week{"week": &asked.Week, "compare": &asked.Compare} {
		if text := query.Get(name); text != "" {
			parsed, err := report.ParseWeek(text)
			if err != nil {
				return asked, &report.RequestError{Parameter: name, Value: text, Problem: err.Error()}
			}
			*week = parsed
		}
	}
	return asked, asked.Check()
}

// sendWritten sends the report of a week that was written, if there is one.
func (s *Server) sendWritten(w http.ResponseWriter, r *http.Request, week report.Week) bool {
	directory := s.current().Report.Directory
	if directory == "" {
		return false
	}
	file, err := os.Open(filepath.Join(directory, (&report.Weekly{Week: week}).FileName("json")))
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, "", info.ModTime(), file)
	return true
}

func (s *Server) sendMade(ctx context.Context, w http.ResponseWriter, asked report.Options) {
	made, err := s.makeReport(ctx, asked)
	var wrong *report.RequestError
	switch {
	case errors.As(err, &wrong) || errors.Is(err, report.ErrNoData):
		message := err.Error()
		if wrong == nil {
			message = "week=" + asked.Week.String() + ": history " + message + "; name another week"
		}
		fail(w, http.StatusNotFound, message)
	case ctx.Err() != nil:
		fail(w, http.StatusServiceUnavailable, "the report took longer than "+reportLong.String()+"; ask for a pool or a project, or let report.directory have it written")
	case err != nil:
		s.log.Error("cannot make the report that was asked for", "week", asked.Week.String(), "err", err)
		fail(w, http.StatusInternalServerError, "cannot make the report; the log says why")
	default:
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		if err := made.JSON(w); err != nil {
			s.log.Debug("a report was not taken", "err", err)
		}
	}
}

// makeReport makes a report as one that is written.
func (s *Server) makeReport(ctx context.Context, asked report.Options) (*report.Weekly, error) {
	asked.Terms, asked.History, asked.Simulated = judge.Configured(s.current()), "nasight serve on "+s.evaluator.host, s.notice
	return report.Build(ctx, s.history, asked)
}
