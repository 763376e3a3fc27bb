package export

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
)

// HandlerConfig says what /metrics shows.
type HandlerConfig struct {
	Store      *Store
	Own        *prometheus.Registry // metrics of this process, see NewRegistry; nil for none
	Collectors func() []string      // names that collect[] may ask for; a reload changes them
	Logger     *slog.Logger         // nil for none
}

const maxScrapes = 16 // at once; more are turned away with 503

// Handler serves /metrics from the store's snapshot, in the text or the OpenMetrics format, compressed where the
// client takes that. collect[]=NAME, once or more, asks for the samples of these collectors alone, without the
// process's own metrics; a name that does not exist is answered with 400.
func Handler(cfg HandlerConfig) http.Handler {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	h := &handler{HandlerConfig: cfg}
	h.all = h.serve(prometheus.GathererFunc(h.gather))
	return h
}

type handler struct {
	HandlerConfig
	all http.Handler
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	names := r.URL.Query()["collect[]"]
	if len(names) == 0 {
		h.all.ServeHTTP(w, r)
		return
	}
	known := h.Collectors()
	for _, name := range names {
		if !slices.Contains(known, name) {
			text := fmt.Sprintf("no collector %q; there are %s", name, strings.Join(known, ", "))
			http.Error(w, text, http.StatusBadRequest)
			return
		}
	}
	some := func() ([]*dto.MetricFamily, error) { return h.Store.gather(names), nil }
	h.serve(prometheus.GathererFunc(some)).ServeHTTP(w, r)
}

func (h *handler) serve(gatherer prometheus.Gatherer) http.Handler {
	return promhttp.HandlerFor(gatherer, promhttp.HandlerOpts{
		ErrorLog:            slog.NewLogLogger(h.Logger.Handler(), slog.LevelWarn),
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: maxScrapes,
		CoalesceGather:      true,
		EnableOpenMetrics:   true,
	})
}

// gather gives what /metrics shows without collect[].
func (h *handler) gather() ([]*dto.MetricFamily, error) { return Gatherer(h.Store, h.Own).Gather() }

// Gatherer puts the store's families and the process's own beside each other; own may be nil. Their names differ, as every
// family of the schema begins with nasight_ and the registry has of that kind only what no collector gives: the build info and
// how the configuration was read.
func Gatherer(store *Store, own *prometheus.Registry) prometheus.Gatherer {
	return prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
		families := store.gather(nil)
		if own == nil {
			return families, nil
		}
		more, err := own.Gather()
		families = append(families, more...)
		slices.SortFunc(families, func(a, b *dto.MetricFamily) int { return strings.Compare(a.GetName(), b.GetName()) })
		return families, err
	})
}
