package serve

import (
	"fmt"
	"net/http"

	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/promapi"
	"github.com/nasight/nasight/web"
)

// routes puts every path in its place.
func (s *Server) routes() (http.Handler, error) {
	registry, err := export.NewRegistry(s.build)
	if err != nil {
		return nil, err
	}
	if s.configFile != "" {
		if err := s.reloaded.register(registry); err != nil {
			return nil, err
		}
	}
	page, err := web.NewHandler(s.pageData, s.log)
	if err != nil {
		return nil, fmt.Errorf("make the page: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", page)
	mux.Handle("GET /page.css", page)
	mux.Handle("GET /metrics", export.Handler(export.HandlerConfig{
		Store: s.store, Own: registry, Collectors: names(), Logger: s.log,
	}))
	mux.HandleFunc("GET /-/healthy", s.healthy)
	mux.HandleFunc("GET /-/ready", s.ready)
	sameOrigin := http.NewCrossOriginProtection() // no page of another site makes a visitor's browser reload us
	mux.Handle("POST /-/reload", sameOrigin.Handler(http.HandlerFunc(s.reloadRequest)))
	mux.HandleFunc("GET /api/v1/findings", s.findings)
	mux.HandleFunc("/api/v1/findings", readOnly)
	mux.HandleFunc("GET /api/v1/fleet", s.fleetView)
	mux.HandleFunc("/api/v1/fleet", readOnly)
	mux.Handle("/api/v1/write", promapi.NewWriteHandler(s.history, promapi.WriteOptions{Logger: s.log}))
	mux.Handle("/api/v1/", promapi.NewHandler(s.history, promapi.Options{Logger: s.log}))
	return mux, nil
}

// readOnly answers other methods than GET. Without it the query API, which has the rest of /api/v1/, would not find them.
func readOnly(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Allow", "GET, HEAD")
	fail(w, http.StatusMethodNotAllowed, r.Method+" is not allowed here; use GET")
}
