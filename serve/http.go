package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	toolkit "github.com/prometheus/exporter-toolkit/web"
)

// The server's own limits. Writing may take as long as the longest query.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = time.Minute
	writeTimeout  = 3 * time.Minute
	idleTimeout   = 5 * time.Minute
	stopTimeout   = 5 * time.Second
	maxHeader     = 64 << 10
)

// listen opens the port. A host that is no name is the configuration's fault, a port in use is not.
func listen(ctx context.Context, address string) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	var unknown *net.DNSError
	switch {
	case errors.As(err, &unknown):
		return nil, &ConfigError{fmt.Errorf("web.listen_address %s: %w", address, err)}
	case err != nil:
		return nil, fmt.Errorf("listen on %s: %w; free the port or set web.listen_address", address, err)
	}
	return listener, nil
}

// serve serves HTTP until the context ends, and lets requests under way end first.
func (s *Server) serve(ctx context.Context) error {
	server := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	webConfig := s.current().Web.ConfigFile
	failed := make(chan error, 1)
	go func() {
		failed <- toolkit.Serve(s.listener, server, &toolkit.FlagConfig{WebConfigFile: &webConfig}, s.log)
	}()
	select {
	case err := <-failed:
		return fmt.Errorf("serve HTTP on %s: %w", s.listener.Addr(), err)
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := server.Shutdown(stop); err != nil {
		s.log.Warn("requests were cut off at the end", "err", errors.Join(err, server.Close()))
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		s.log.Warn("the HTTP server ended badly", "err", err)
	}
	return nil
}
