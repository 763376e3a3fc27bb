package simulator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/gcp"
	"github.com/nasight/nasight/simulator/model"
)

// Server is a running emulator. Its methods may be called from several goroutines.
type Server struct {
	now    func() time.Time
	model  *model.Model
	faults *faults.Set
	cloud  *gcp.Cloud

	grpcListener, httpListener net.Listener

	grpc    *grpc.Server
	http    *http.Server
	serving sync.WaitGroup
	forget  func() bool // ends the watch on the context of Start
	once    sync.Once
	closed  error
}

// Start listens and serves until Close, or until ctx ends. An error names the option or the address at fault.
func Start(ctx context.Context, options Options) (*Server, error) {
	if err := options.complete(); err != nil {
		return nil, fmt.Errorf("start emulator: %w", err)
	}
	instance, err := options.instance()
	if err != nil {
		return nil, fmt.Errorf("start emulator: %w", err)
	}
	s := &Server{now: sped(options.Clock, options.Speed), model: options.Model}
	s.faults = faults.NewSet(s.now)
	s.cloud = gcp.New(gcp.Options{Model: s.model, Now: s.now, Faults: s.faults, Access: options.Access, Instance: instance})
	if err := s.listen(ctx, options); err != nil {
		return nil, err
	}
	s.grpc = grpc.NewServer()
	s.cloud.Register(s.grpc)
	s.http = &http.Server{Handler: s.cloud.Handler(), ReadHeaderTimeout: 10 * time.Second}
	s.serving.Go(func() { report(s.grpc.Serve(s.cloud.Listener(s.grpcListener))) })
	s.serving.Go(func() { report(s.http.Serve(s.httpListener)) })
	s.forget = context.AfterFunc(ctx, func() { report(s.close()) })
	return s, nil
}

func (s *Server) listen(ctx context.Context, options Options) error {
	var config net.ListenConfig
	var err error
	if s.grpcListener, err = config.Listen(ctx, "tcp", options.GRPCAddress); err != nil {
		return fmt.Errorf("start emulator: listen for Cloud Monitoring on %s: %w", options.GRPCAddress, err)
	}
	if s.httpListener, err = config.Listen(ctx, "tcp", options.HTTPAddress); err != nil {
		return errors.Join(fmt.Errorf("start emulator: listen for HTTP on %s: %w", options.HTTPAddress, err), s.grpcListener.Close())
	}
	return nil
}

// report tells what ended a server other than its being closed.
func report(err error) {
	if err != nil && !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, grpc.ErrServerStopped) {
		slog.Error("the emulator stopped serving", "err", err)
	}
}

// Close stops serving, closes every connection and returns when no goroutine is left. Calling it again does nothing.
func (s *Server) Close() error {
	s.forget()
	return s.close()
}

func (s *Server) close() error {
	s.once.Do(func() {
		s.grpc.Stop()
		s.closed = s.http.Close()
		s.serving.Wait()
	})
	return s.closed
}
