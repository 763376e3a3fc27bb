// Package web is nasight's built-in page: what is mounted, what binds it, what to do about it, and how the collectors
// fare. It is one HTML page made on the server; it needs no JavaScript and nothing from another host.
package web

import (
	"bytes"
	"embed"
	"html/template"
	"log/slog"
	"net/http"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/internal/look"
)

//go:embed page.html page.css
var files embed.FS

// policy lets the page load its own style sheet and nothing else.
const policy = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Page is what the page shows.
type Page struct {
	Version     string
	Notice      string              // what has to be known about all of it; empty for nothing
	Now         time.Time           // when the page is made
	NotReady    []string            // why nasight is not ready; empty when it is
	EvaluatedAt time.Time           // moment of the last evaluation; zero before the first
	Fleet       *fleet.Fleet        // nil before the first evaluation
	Settings    detectors.Settings  // by which the fleet was judged
	Findings    []detectors.Finding // worst first
	Collectors  []Collector
	Charts      map[string]Chart // by the id of the finding
}

// Collector is how one collector of one host fares.
type Collector struct {
	Host        string
	Name        string
	Outcome     string        // of the last run, in words
	Success     bool          // of the last run
	Ran         bool          // false until the first run ends
	Duration    time.Duration // of the last run; zero if not known
	LastSuccess time.Time     // zero if there was none
}

// Handler serves the page and its style sheet.
type Handler struct {
	page   *template.Template
	style  []byte
	source func(*http.Request) Page
	log    *slog.Logger
	mux    *http.ServeMux
}

// NewHandler makes the handler of the page; source gives what to show, once for each request.
func NewHandler(source func(*http.Request) Page, log *slog.Logger) (*Handler, error) {
	page, err := template.New("page.html").Funcs(functions()).ParseFS(files, "page.html")
	if err != nil {
		return nil, err
	}
	style, err := files.ReadFile("page.css")
	if err != nil {
		return nil, err
	}
	h := &Handler{page: page, style: []byte(look.Style(string(style))), source: source, log: log, mux: http.NewServeMux()}
	h.mux.HandleFunc("GET /{$}", h.servePage)
	h.mux.HandleFunc("GET /page.css", h.serveStyle)
	return h, nil
}

// ServeHTTP answers / and /page.css.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// servePage makes the whole page before it sends the first byte, so that a failure is a failure and not half a page.
func (h *Handler) servePage(w http.ResponseWriter, r *http.Request) {
	var body bytes.Buffer
	if err := h.page.Execute(&body, newView(h.source(r))); err != nil {
		h.log.Error("cannot make the page", "error", err)
		http.Error(w, "cannot make the page; the log says why", http.StatusInternalServerError)
		return
	}
	secure(w.Header(), "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	h.write(w, body.Bytes())
}

func (h *Handler) serveStyle(w http.ResponseWriter, _ *http.Request) {
	secure(w.Header(), "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "max-age=300")
	h.write(w, h.style)
}

func (h *Handler) write(w http.ResponseWriter, body []byte) {
	if _, err := w.Write(body); err != nil {
		h.log.Debug("the client left before the page was sent", "error", err)
	}
}

func secure(header http.Header, contentType string) {
	header.Set("Content-Type", contentType)
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
}
