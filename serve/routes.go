package serve

import (
	"fmt"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/promapi"
	"github.com/nasight/nasight/web"
)

// processMetrics are those of this process, beside what collectors and the detection publish.
func (s *Server) processMetrics() (*prometheus.Registry, error) {
	registry, err := export.NewRegistry(s.build)
	if err != nil {
		return nil, err
	}
	s.own = registry
	if s.configFile != "" {
		if err := s.reloaded.register(registry); err != nil {
			return nil, err
		}
	}
	return registry, s.registerNotice(registry)
}

// routes puts every path in its place.
func (s *Server) routes(registry *prometheus.Registry) (http.Handler, error) {
	if err := registry.Register(s.alerting); err != nil {
		return nil, fmt.Errorf("register the metrics of alerting: %w", err)
	}
	if err := registry.Register(&s.reported); err != nil {
		return nil, fmt.Errorf("register the metric of reports: %w", err)
	}
	s.pushing.source = export.Gatherer(s.store, registry)
	page, err := web.NewHandler(s.pageData, s.log)
	if err != nil {
		return nil, fmt.Errorf("make the page: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", page)
	mux.Handle("GET /page.css", page)
	mux.Handle("GET /metrics", export.Handler(export.HandlerConfig{
		Store: s.store, Own: registry, Collectors: s.collecting.names, Logger: s.log,
	}))
	mux.HandleFunc("GET /reports/{$}", s.listReports)
	mux.HandleFunc("GET /reports/{name}", s.showReport)
	mux.HandleFunc("GET /-/healthy", s.healthy)
	mux.HandleFunc("GET /-/ready", s.ready)
	sameOrigin := http.NewCrossOriginProtection() // no page of another site makes a visitor's browser reload us
	mux.Handle("POST /-/reload", sameOrigin.Handler(http.HandlerFunc(s.reloadRequest)))
	mux.HandleFunc("GET /api/v1/findings", s.findings)
	mux.HandleFunc("/api/v1/findings", readOnly)
	mux.HandleFunc("GET /api/v1/fleet", s.fleetView)
	mux.HandleFunc("/api/v1/fleet", readOnly)
	mux.HandleFunc("GET /api/v1/plan", s.plans)
	mux.HandleFunc("/api/v1/plan", readOnly)
	mux.HandleFunc("GET /api/v1/report", s.reportFigures)
	mux.HandleFunc("/api/v1/report", readOnly)
	mux.Handle("/api/v1/write", promapi.NewWriteHandler(s.history, promapi.WriteOptions{Prefix: ownPrefix, Logger: s.log}))
	mux.Handle("/api/v1/", s.queries)
	return s.noted(s.via.guard(mux)), nil
}

// ownPrefix is what the names of all metrics of nasight begin with. Others are not taken from outside: ALERTS and what rules record are
// for this process to write.
const ownPrefix = "nasight_"

// readOnly answers other methods than GET. Without it the query API, which has the rest of /api/v1/, would not find them.
func readOnly(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Allow", "GET, HEAD")
	fail(w, http.StatusMethodNotAllowed, r.Method+" is not allowed here; use GET")
}
