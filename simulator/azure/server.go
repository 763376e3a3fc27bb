package azure

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

// Server is a running emulator of Azure. Its methods may be called from several goroutines.
type Server struct {
	clock  func() time.Time
	model  *model.Model
	faults *faults.Set
	access map[string][]string
	page   int
	usage  usage
	limits limits

	routes    []route
	listener  net.Listener
	http      *http.Server
	client    *http.Client
	authority *authority
	serving   sync.WaitGroup
	forget    func() bool // ends the watch on the context of Start
	once      sync.Once
	closed    error
}

// Start serves a fleet until Close, or until ctx ends; without a fleet it serves Example. An error names the option or
// the address at fault.
func Start(ctx context.Context, fleet *model.Fleet, options Options) (*Server, error) {
	if err := options.complete(); err != nil {
		return nil, fmt.Errorf("start emulator of Azure: %w", err)
	}
	if options.Model != nil {
		fleet = options.Model.Fleet()
	}
	if fleet == nil {
		var err error
		if fleet, err = Example(); err != nil {
			return nil, fmt.Errorf("start emulator of Azure: read the example fleet: %w", err)
		}
	}
	if options.Model == nil {
		options.Model = model.New(fleet, options.Seed, options.Epoch)
	}
	s := newServer(options)
	var config net.ListenConfig
	var err error
	if s.listener, err = config.Listen(ctx, "tcp", options.Address); err != nil {
		return nil, fmt.Errorf("start emulator of Azure: listen on %s: %w", options.Address, err)
	}
	if s.authority, err = newAuthority(s.listener.Addr(), options.CAFile); err != nil {
		return nil, errors.Join(fmt.Errorf("start emulator of Azure: %w", err), s.listener.Close())
	}
	s.client = s.authority.client()
	s.http = &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:  slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug), // handshakes that clients give up are theirs to report
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{s.authority.server}, MinVersion: tls.VersionTLS12},
	}
	s.serving.Go(func() { report(s.http.ServeTLS(s.listener, "", "")) })
	s.forget = context.AfterFunc(ctx, func() { report(s.close()) })
	return s, nil
}

func newServer(options Options) *Server {
	s := &Server{
		clock: options.Clock, model: options.Model, access: options.Access, page: options.PageSize,
		usage: usage{calls: map[callKey]*Calls{}}, limits: limits{buckets: map[bucketKey]*bucket{}},
		faults: faults.NewSet(options.Clock),
	}
	s.routes = s.table()
	return s
}

// report tells what ended the server other than its being closed.
func report(err error) {
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		slog.Error("the emulator of Azure stopped serving", "err", err)
	}
}

// Close stops serving, closes every connection and returns when no goroutine is left. Calling it again does nothing.
func (s *Server) Close() error {
	s.forget()
	return s.close()
}

func (s *Server) close() error {
	s.once.Do(func() {
		s.closed = s.http.Close()
		s.client.CloseIdleConnections()
		s.serving.Wait()
		s.closed = errors.Join(s.closed, s.authority.remove())
	})
	return s.closed
}
