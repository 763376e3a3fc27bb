package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/history/remote"
	"github.com/nasight/nasight/promapi"
	"github.com/nasight/nasight/schema"
)

// remoteDatabase is a history in another server. What this process collects waits in a bounded queue for it, as no collector
// may wait for a network; what agents send is acknowledged when the server has it.
type remoteDatabase struct {
	*remote.History
	pusher *export.Pusher
}

// openRemote makes the history that history.url names.
func openRemote(cfg config.History, log *slog.Logger, via via) (*remoteDatabase, error) {
	if err := os.MkdirAll(cfg.Path, 0o750); err != nil {
		return nil, fmt.Errorf("make history.path %s, where the findings' state lies: %w", cfg.Path, err)
	}
	opened, err := openMarked(cfg, log, via.agent, via.wrap)
	if err != nil {
		return nil, err
	}
	pusher, err := export.NewPusher(historyPusher(cfg, log, via.agent, via.wrap))
	if err != nil {
		return nil, err
	}
	return &remoteDatabase{History: opened, pusher: pusher}, nil
}

// OpenRemote makes the history that history.url names, for a program that reads it beside serve as well. It connects to nothing.
func OpenRemote(cfg config.History, log *slog.Logger, build export.Build) (*remote.History, error) {
	return openMarked(cfg, log, agentOf(build), nil)
}

func openMarked(cfg config.History, log *slog.Logger, agent string, wrap wrapper) (*remote.History, error) {
	opened, err := remote.Open(remote.Options{URL: cfg.URL, Params: cfg.QueryParams, Write: historyPusher(cfg, log, agent, wrap), Logger: log})
	if err != nil {
		return nil, fmt.Errorf("history.url: %w", err)
	}
	return opened, nil
}

func historyPusher(cfg config.History, log *slog.Logger, agent string, wrap wrapper) export.PusherConfig {
	write := pusherOf(config.RemoteWrite{
		Name: "history", URL: cfg.WriteURL, Protocol: cfg.WriteProtocol, Timeout: cfg.Timeout, Headers: cfg.Headers,
		BasicAuth: cfg.BasicAuth, BearerTokenFile: cfg.BearerTokenFile, CAFile: cfg.CAFile,
	})
	write.Logger, write.UserAgent, write.Wrap = log, agent, wrap
	return write
}

// Append queues. What cannot be sent in time is dropped and counted, as the pusher's health tells.
func (d *remoteDatabase) Append(_ context.Context, samples []schema.Sample) error {
	d.pusher.Push(samples, false)
	return nil
}

// Stats implements database: what was queued counts when it is sent.
func (d *remoteDatabase) Stats() history.Written {
	written := d.History.Stats()
	accepted, rejected, _ := d.pusher.Counts()
	written.Stored += uint64(accepted)
	written.Refused += uint64(rejected)
	return written
}

// Degraded implements database: a write that fails says so at once, however long the next query hangs.
func (d *remoteDatabase) Degraded() error {
	if err := d.pusher.Failure(); err != nil {
		return fmt.Errorf("cannot write to %s: %w", d.History, err)
	}
	return d.History.Degraded()
}

// queryPaths are what a remote history answers for nasight, below /api/v1/.
var queryPaths = map[string]bool{
	"query": true, "query_range": true, "labels": true, "series": true, "status/buildinfo": true, "format_query": true,
}

// proxyTimeout is how long a query from outside may take, as on files.
const proxyTimeout = 30 * time.Second

// proxy hands queries on to the server that history lies in. The visitor's credentials are ours to check and not for it; its
// own are those of the configuration.
func (d *remoteDatabase) proxy(address string, timeout time.Duration, log *slog.Logger) (http.Handler, error) {
	target, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("history.url: %w", err)
	}
	proxy := &httputil.ReverseProxy{
		Transport: d.Transport(),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			for _, name := range []string{"Authorization", "Cookie"} {
				r.Out.Header.Del(name)
			}
		},
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			if errors.Is(err, context.DeadlineExceeded) {
				fail(w, http.StatusGatewayTimeout, fmt.Sprintf("the remote history has not answered for %s: ask for less, or see how its server is", timeout))
				return
			}
			fail(w, http.StatusBadGateway, "the remote history does not answer: "+firstLine(err))
		},
	}
	local := promapi.NewMetadataHandler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/api/v1/")
		values := strings.HasPrefix(path, "label/") && strings.HasSuffix(path, "/values")
		switch {
		case path == "metadata":
			local.ServeHTTP(w, r)
		case !queryPaths[path] && !values:
			http.NotFound(w, r)
		case r.Method != http.MethodGet && r.Method != http.MethodPost:
			readOnly(w, r)
		default:
			ctx, cancel := context.WithTimeout(r.Context(), timeout)
			defer cancel()
			proxy.ServeHTTP(w, r.WithContext(ctx))
		}
	}), nil
}
