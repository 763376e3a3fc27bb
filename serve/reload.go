package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/schema"
)

// reloads is how the readings of the configuration file went, the one at the start included.
type reloads struct {
	failed atomic.Bool
	last   atomic.Int64 // milliseconds since 1970 of the last that was in order
}

func (r *reloads) note(err error, now time.Time) {
	r.failed.Store(err != nil)
	if err == nil {
		r.last.Store(now.UnixMilli())
	}
}

// register puts the reloads beside what the process tells of itself, so that they show at once and not with the next
// evaluation.
func (r *reloads) register(registry prometheus.Registerer) error {
	gauge := func(family *schema.Family, value func() float64) error {
		return registry.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: family.Name, Help: family.Help}, value))
	}
	success := func() float64 {
		if r.failed.Load() {
			return 0
		}
		return 1
	}
	err := errors.Join(
		gauge(schema.ConfigReloadSuccess, success),
		gauge(schema.ConfigLastReloadSuccess, func() float64 { return float64(r.last.Load()) / 1e3 }),
	)
	if err != nil {
		return fmt.Errorf("register the metrics of reloads: %w", err)
	}
	return nil
}

// reload reads the configuration file again and takes over what can change at run time. It returns what cannot. After
// an error everything goes on as before.
func (s *Server) reload(ctx context.Context) (notes []string, err error) {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	defer func() { s.reloaded.note(err, time.Now()) }()
	if s.configFile == "" {
		return nil, errors.New("there is no configuration file to read again; start nasight with --config.file")
	}
	next, err := config.Load(s.configFile)
	if err != nil {
		return nil, err
	}
	if s.override != nil {
		s.override(&next)
	}
	if err := next.CheckLoops(); err != nil {
		return nil, err
	}
	before := s.current()
	next, notes = keepFixed(before, next)
	if err := s.takeOver(ctx, before, next); err != nil {
		return nil, err
	}
	s.config.Store(&next)
	s.log.Info("configuration read again", "file", s.configFile, "unchanged", notes)
	return notes, nil
}

// replacement is what one part of serve does when the configuration changes. What can fail has not failed when there is one.
type replacement struct {
	apply   func(context.Context)
	discard func(context.Context) error // gives up what was made for it
}

// takeOver makes everything that can fail before it changes anything.
func (s *Server) takeOver(ctx context.Context, before, next config.Config) error {
	loaded, err := s.reloadRules(next)
	if err != nil {
		return err
	}
	var changes []replacement
	err = func() error {
		for _, prepare := range []func(context.Context, config.Config, config.Config) (*replacement, error){s.changeCrew, s.changePushers, s.changeOTLP} {
			one, err := prepare(ctx, before, next)
			if err != nil {
				return err
			}
			if one != nil {
				changes = append(changes, *one)
			}
		}
		if err := s.alerting.Use(loaded); err != nil {
			return err
		}
		if err := s.evaluator.configure(next); err != nil {
			return err
		}
		s.anomalies.configure(next)
		return nil
	}()
	for _, one := range changes {
		if err != nil {
			err = errors.Join(err, one.discard(ctx))
			continue
		}
		one.apply(ctx)
	}
	return err
}

// changeCrew replaces the collectors; nil where they stay.
func (s *Server) changeCrew(_ context.Context, before, next config.Config) (*replacement, error) {
	if !collectsOtherwise(before, next) {
		return nil, nil
	}
	crew, err := s.collecting.newCrew(next)
	if err != nil {
		return nil, err
	}
	return &replacement{
		apply:   func(ctx context.Context) { s.collecting.start(ctx, crew) },
		discard: func(context.Context) error { return crew.release() },
	}, nil
}

// changePushers replaces remote write and the push to VictoriaMetrics; nil where they stay.
func (s *Server) changePushers(_ context.Context, before, next config.Config) (*replacement, error) {
	if !writesOtherwise(before.Export, next.Export) {
		return nil, nil
	}
	pushers, err := s.pushing.newPushers(next.Export)
	if err != nil {
		return nil, err
	}
	return &replacement{
		apply:   func(ctx context.Context) { s.pushing.start(ctx, pushers) },
		discard: func(context.Context) error { return nil },
	}, nil
}

// changeOTLP replaces the push by OTLP; nil where it stays.
func (s *Server) changeOTLP(ctx context.Context, before, next config.Config) (*replacement, error) {
	if !pushesOtherwise(before, next) {
		return nil, nil
	}
	push, err := s.otlp.make(ctx, next)
	if err != nil {
		return nil, err
	}
	return &replacement{apply: func(ctx context.Context) { s.otlp.start(ctx, push) }, discard: push.discard}, nil
}

// collectsOtherwise tells whether the collectors have to be replaced. If not they go on, and their counts of errors too.
func collectsOtherwise(a, b config.Config) bool {
	return !reflect.DeepEqual(a.Hosts, b.Hosts) || !reflect.DeepEqual(a.Collectors, b.Collectors) ||
		!reflect.DeepEqual(a.Session, b.Session) || a.NetworkCap != b.NetworkCap || !reflect.DeepEqual(a.GCNV, b.GCNV) ||
		!reflect.DeepEqual(a.PromHost, b.PromHost) || !reflect.DeepEqual(a.AzureFiles, b.AzureFiles) ||
		!reflect.DeepEqual(a.AzureNetApp, b.AzureNetApp) || toldOtherwise(a.Export, b.Export) ||
		a.Windows != b.Windows
}

// writesOtherwise tells whether remote write and the push to VictoriaMetrics have to be replaced.
func writesOtherwise(a, b config.Export) bool {
	return !reflect.DeepEqual(a.RemoteWrite, b.RemoteWrite) || !reflect.DeepEqual(a.VictoriaMetrics, b.VictoriaMetrics)
}

// keepFixed puts back what cannot change while nasight runs, and says what that was.
func keepFixed(before, next config.Config) (config.Config, []string) {
	var notes []string
	fixed := func(key string, changed bool) {
		if changed {
			notes = append(notes, key+" changed in the file; it takes a restart to use the new value")
		}
	}
	fixed("web", before.Web != next.Web)
	fixed("history", !reflect.DeepEqual(before.History, next.History))
	fixed("log", before.Log != next.Log)
	for _, key := range keepFixedAlerting(before, &next) {
		fixed(key, true)
	}
	next.Web, next.History, next.Log = before.Web, before.History, before.Log
	return next, notes
}

// reloadRequest answers POST /-/reload: 200 with what needs a restart, or 400 with what is wrong with the file.
func (s *Server) reloadRequest(w http.ResponseWriter, r *http.Request) {
	notes, err := s.reload(r.Context())
	if err != nil {
		s.log.Error("configuration not read again; the old one stays in force", "err", inOneLine(err))
		say(w, http.StatusBadRequest, "the old configuration stays in force:", err.Error())
		return
	}
	say(w, http.StatusOK, append([]string{"reloaded"}, notes...)...)
}

// inOneLine is an error for the log, whose lines are one each.
func inOneLine(err error) string {
	var mistakes *config.Error
	if errors.As(err, &mistakes) {
		return mistakes.Line()
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}

// reloadOn reads the configuration again at every signal until the context ends.
func (s *Server) reloadOn(ctx context.Context, hangups <-chan os.Signal) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-hangups:
			if _, err := s.reload(ctx); err != nil {
				s.log.Error("configuration not read again after SIGHUP; the old one stays in force", "err", inOneLine(err))
			}
		}
	}
}
