package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/exporter-toolkit/web"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/export"
)

const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 5 * time.Minute
	writeTimeout  = time.Minute
	stopTimeout   = 5 * time.Second
)

// serve serves HTTP until the context ends, and lets requests under way end first.
func serve(ctx context.Context, listener net.Listener, handler http.Handler, webConfig string, log *slog.Logger) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       headerTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener, server, &web.FlagConfig{WebConfigFile: &webConfig}, log) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve HTTP on %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := server.Shutdown(stop); err != nil {
		log.Warn("requests were cut off at the end", "err", errors.Join(err, server.Close()))
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		log.Warn("the server ended oddly", "err", err)
	}
	return nil
}

// checkAddress tells what cannot be listened on whatever the machine.
func checkAddress(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("--web.listen-address=%s is not HOST:PORT; write :9878 or 127.0.0.1:9878", address)
	}
	return nil
}

// listen opens the port. A host that is no name is the operator's mistake, a port in use is not.
func listen(ctx context.Context, address string) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	var unknown *net.DNSError
	switch {
	case errors.As(err, &unknown):
		return nil, usageError{fmt.Errorf("--web.listen-address=%s: %w", address, err)}
	case err != nil:
		return nil, fmt.Errorf("listen for HTTP: %w; free the port or set --web.listen-address", err)
	}
	return listener, nil
}

func (a *agent) handler() (http.Handler, error) {
	registry, err := export.NewRegistry(a.Build)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(a.Entries))
	for i, entry := range a.Entries {
		names[i] = entry.Name
	}
	page, err := landingPage(a.Build.Version)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", export.Handler(export.HandlerConfig{
		Store: a.store, Own: registry, Collectors: func() []string { return names }, Logger: a.Logger,
	}))
	mux.HandleFunc("GET /-/healthy", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "healthy") })
	mux.HandleFunc("GET /-/ready", a.ready)
	mux.Handle("GET /{$}", page)
	return mux, nil
}

func landingPage(version string) (http.Handler, error) {
	page, err := web.NewLandingPage(web.LandingConfig{
		Name: "nasight-agent", Version: version, Profiling: "false",
		Description: "Network storage as this host's kernel sees it",
		Links: []web.LandingLinks{
			{Address: "/metrics", Text: "Metrics"},
			{Address: "/-/ready", Text: "Ready", Description: "How each collector's last run went"},
			{Address: "/-/healthy", Text: "Healthy"},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("landing page: %w", err)
	}
	return page, nil
}

// ready answers 200 once the first run of every collector has ended, well or with a reason, and 503 before. The body
// has a line for each.
func (a *agent) ready(w http.ResponseWriter, _ *http.Request) {
	code := http.StatusOK
	var lines []string
	for _, status := range a.runner.Status() {
		if !status.Ran {
			code = http.StatusServiceUnavailable
		}
		lines = append(lines, status.Collector+": "+outcome(status))
	}
	answer(w, code, strings.Join(lines, "\n"))
}

func outcome(status collectors.Status) string {
	switch {
	case !status.Ran:
		return "first run not finished"
	case status.Err == nil:
		return "ok"
	case errors.Is(status.Err, collectors.ErrNoData):
		return "nothing to collect on this host"
	}
	first, _, _ := strings.Cut(status.Err.Error(), "\n")
	return fmt.Sprintf("failed (%s): %s", collectors.ReasonOf(status.Err), first)
}

func answer(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	_, _ = fmt.Fprintln(w, text)
}
