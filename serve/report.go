package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/report"
)

const (
	reportEach  = time.Minute      // between looks whether a report is due
	reportAgain = time.Hour        // after one that failed
	reportWarm  = 10 * time.Minute // after the start: what was missed meanwhile is filled in first
)

// tryReports tells at the start whether reports can be written, and not when the first is due: they are no reason not to start.
func (s *Server) tryReports(cfg config.Report) {
	if cfg.Directory == "" {
		s.reported.known.Store(false)
		return
	}
	err := tryDirectory(cfg.Directory)
	s.reported.note(err)
	if err != nil {
		s.log.Warn("the weekly report cannot be written", "err", fmt.Errorf("report.directory: %w; give a directory that this user can write to", err))
	}
}

// tryDirectory makes a directory if it is missing, and a file in it for a moment.
func tryDirectory(path string) error {
	if err := os.MkdirAll(path, 0o750); err != nil {
		return err
	}
	file, err := os.CreateTemp(path, ".nasight-*")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// reports writes the weekly report when it is due, and one that was missed. It asks the directory which ones there are, so that
// nothing has to be remembered.
func (s *Server) reports(ctx context.Context) error {
	ticker := time.NewTicker(reportEach)
	defer ticker.Stop()
	return s.reportsAt(ctx, ticker.C)
}

// reportsAt is reports with the moments of its looks.
func (s *Server) reportsAt(ctx context.Context, looks <-chan time.Time) error {
	var wait time.Time
	var tried string
	for {
		if cfg := s.current().Report; cfg.Directory != tried { // another may come with a reload
			s.tryReports(cfg)
			tried, wait = cfg.Directory, time.Time{}
		}
		select {
		case <-ctx.Done():
			return nil
		case now := <-looks:
			if now.Before(wait) || now.Sub(s.evaluator.started) < reportWarm || !s.looked() {
				continue
			}
			if !s.reportLook(ctx, now) {
				wait = now.Add(reportAgain)
			}
		}
	}
}

// reportLook writes the report that is due, and tells whether the next look is worth taking at the usual time.
func (s *Server) reportLook(ctx context.Context, now time.Time) bool {
	err := s.reportOnce(ctx, now)
	switch {
	case ctx.Err() != nil:
		return false
	case errors.Is(err, report.ErrNoData):
		s.log.Info("no weekly report: history "+err.Error(), "again", reportAgain)
		return false
	case err != nil:
		s.reported.note(err)
		s.log.Warn("the weekly report was not written", "err", err, "again", reportAgain)
		return false
	case s.reported.failed.Load(): // nothing may have been due: what failed is tried again
		s.tryReports(s.current().Report)
	}
	return !s.reported.failed.Load()
}

// looked tells whether a look over days was taken where there is a cloud to look at: before it the past may not be there yet.
func (s *Server) looked() bool {
	latest := s.evaluator.latest.Load()
	return latest != nil && (!s.evaluator.readsCloud.Load() || !latest.Fleet.DaysAt.IsZero())
}

// reportOnce writes the report that is due, unless it is there, and deletes those that are too old.
func (s *Server) reportOnce(ctx context.Context, now time.Time) error {
	cfg := s.current()
	if cfg.Report.Directory == "" {
		return nil
	}
	files, err := reportFiles(cfg.Report.Directory)
	if err != nil {
		return err
	}
	week := report.Due(now, cfg.Report.After())
	if !report.Lacking(files, week, cfg.Report.Formats) {
		return nil
	}
	began := time.Now()
	paths, err := s.writeReport(ctx, cfg, week, now)
	if err != nil {
		return fmt.Errorf("week %s: %w", week, err)
	}
	s.log.Info("the weekly report was written", "week", week.String(), "files", paths, "took", time.Since(began).Round(time.Millisecond))
	return s.deleteReports(cfg.Report)
}

func (s *Server) writeReport(ctx context.Context, cfg config.Config, week report.Week, now time.Time) ([]string, error) {
	s.making.Lock() // one at a time: it takes as much memory and time as the fleet is large
	defer s.making.Unlock()
	made, err := s.makeReport(ctx, report.Options{Week: week, Now: now})
	if err != nil {
		return nil, err
	}
	return made.WriteFiles(cfg.Report.Directory, cfg.Report.Formats)
}

func (s *Server) deleteReports(cfg config.Report) error {
	files, err := reportFiles(cfg.Directory)
	if err != nil {
		return err
	}
	var failed []error
	for _, name := range report.Outdated(files, cfg.Keep) {
		failed = append(failed, os.Remove(filepath.Join(cfg.Directory, name)))
	}
	return errors.Join(failed...)
}

// reportFiles are the names in a directory; none where it is not there yet.
func reportFiles(directory string) ([]string, error) {
	entries, err := os.ReadDir(directory)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list report.directory: %w", err)
	}
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

const reportList = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>nasight: weekly reports</title>
<link rel="stylesheet" href="/page.css"></head><body><h1>Weekly reports</h1>{{with .Notice}}<p class="banner">{{.}}</p>{{end}}
{{with .Names}}<ul>{{range .}}<li><a href="/reports/{{.}}">{{.}}</a></li>{{end}}</ul>{{else}}<p>{{$.None}}</p>{{end}}
<p><a href="/">Findings</a></p></body></html>
`

// reportPolicy is that of the list, which has a style sheet, and of reports, whose style and charts are within them.
const reportPolicy = "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-popups"

// listReports lists the reports that were written, the newest first.
func (s *Server) listReports(w http.ResponseWriter, _ *http.Request) {
	directory := s.current().Report.Directory
	none := "None has been written yet: the first follows when a week has ended and its report is due."
	if directory == "" {
		none = "None is written: set report.directory in the configuration, or write one with nasight report weekly."
	}
	files, err := reportFiles(directory)
	if err != nil && directory != "" {
		s.log.Error("cannot list the reports", "err", err)
		http.Error(w, "cannot list the reports; the log says why", http.StatusInternalServerError)
		return
	}
	page, err := template.New("reports").Parse(reportList)
	var body bytes.Buffer
	if err == nil {
		err = page.Execute(&body, map[string]any{"Names": report.Listed(files), "None": none, "Notice": s.notice})
	}
	if err != nil {
		s.log.Error("cannot list the reports", "err", err)
		http.Error(w, "cannot list the reports; the log says why", http.StatusInternalServerError)
		return
	}
	reportHeader(w.Header(), "text/html; charset=utf-8")
	_, _ = w.Write(body.Bytes())
}

func reportHeader(header http.Header, contentType string) {
	header.Set("Content-Type", contentType)
	header.Set("Content-Security-Policy", reportPolicy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-cache")
}

// showReport sends one report: a file of a name that reports have, and no other.
func (s *Server) showReport(w http.ResponseWriter, r *http.Request) {
	directory, name := s.current().Report.Directory, r.PathValue("name")
	_, format, ours := report.ParseFileName(name)
	if directory == "" || !ours {
		http.NotFound(w, r)
		return
	}
	file, err := os.Open(filepath.Join(directory, name))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		http.NotFound(w, r)
		return
	}
	types := map[string]string{"html": "text/html; charset=utf-8", "md": "text/markdown; charset=utf-8", "json": "application/json"}
	reportHeader(w.Header(), types[format])
	http.ServeContent(w, r, "", info.ModTime(), file)
}
