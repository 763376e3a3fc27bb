// Package promhost reads from a Prometheus what node_exporter and windows_exporter have told it of hosts, so that these
// need no agent: NFS mounts, SMB shares, network interfaces and processors. Every sample keeps the time at which Prometheus
// took it. What the exporters do not tell, such as TCP sessions, is absent.
package promhost

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	v1 "github.com/prometheus/client_golang/api/prometheus/v1"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/promread"
)

const (
	// shortestWindow is how far back every question looks: two scrapes of a slow Prometheus.
	shortestWindow = 2 * time.Minute
	// longestWindow is how much of what was missed, while Prometheus did not answer, is made up for.
	longestWindow = 15 * time.Minute
	// maxAnswer bounds one answer in bytes; a question is about one group of series of all hosts that match.
	maxAnswer = 64 << 20
	// longestRun is the most time that one run may take.
	longestRun = 30 * time.Second
)

// Source reads one Prometheus. Its collector is not safe for concurrent use.
type Source struct {
	cfg    Config
	server *promread.Reader
	now    func() time.Time
	groups []group

	answered []time.Time // when each group was last read
	chosen   sources
	sent     track
	ages     ages
}

// New makes the source that a configuration asks for. It connects to nothing. The agent is what its requests say who they are of.
func New(cfg Config, agent string) (*Source, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	transport, err := cfg.transport(agent)
	if err != nil {
		return nil, err
	}
	server, err := promread.New(cfg.URL, promread.Options{Transport: transport, MaxBytes: maxAnswer})
	if err != nil {
		return nil, err
	}
	all := groups()
	return &Source{cfg: cfg, server: server, now: time.Now, groups: all, answered: make([]time.Time, len(all))}, nil
}

// Close gives the connections up.
func (s *Source) Close() error { return s.server.Close() }

// Entry is the source's collector. It does not belong to a host: run it under one root, whose files it does not read.
func (s *Source) Entry(name string) collectors.Entry {
	interval := s.cfg.Every()
	return collectors.Entry{
		Name: name, Default: true, Interval: interval, Timeout: min(interval, longestRun),
		Help: "hosts by what their exporters told a Prometheus: NFS, SMB, network, processor",
		New:  func(collectors.Root, collectors.Settings) (collectors.Collector, error) { return s, nil },
	}
}

var errUntimed = errors.New("the sink takes no samples with times of their own")

// Collect implements collectors.Collector. A group of series that Prometheus does not answer for, or only in part, is an
// error and costs itself. Where no host matches it returns collectors.ErrNoData.
func (s *Source) Collect(ctx context.Context, sink collectors.Sink) error {
	timed, ok := sink.(collectors.TimedSink)
	if !ok {
		return errUntimed
	}
	now := s.now()
	answers, errs := s.ask(ctx, now)
	board := newBoard()
	for i := range s.groups {
		if errs[i] != nil {
			continue
		}
		s.answered[i] = now
		found := s.sort(&s.groups[i], answers[i], now, sink.Skip)
		s.groups[i].read(board, found, sink.Skip)
		readSystem(board, found)
		s.ages.note(found)
	}
	board.emit(timed, &s.sent, now)
	s.ages.emit(sink, now)
	if err := problem(errs); err != nil || len(board.lines) > 0 {
		return err
	}
	return collectors.ErrNoData
}

// ask puts one question for each group, all at once, and leaves time to tell what became of them.
func (s *Source) ask(ctx context.Context, now time.Time) ([][]history.Series, []error) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)*9/10)
		defer cancel()
	}
	answers, errs := make([][]history.Series, len(s.groups)), make([]error, len(s.groups))
	var all sync.WaitGroup
	for i := range s.groups {
		question := s.groups[i].question(s.cfg.Match, s.window(i, now))
		all.Go(func() { answers[i], errs[i] = s.server.Raw(ctx, question) })
	}
	all.Wait()
	return answers, errs
}

// window covers what came since a group was last read.
func (s *Source) window(i int, now time.Time) time.Duration {
	if s.answered[i].IsZero() {
		return shortestWindow
	}
	return min(shortestWindow+now.Sub(s.answered[i]).Truncate(time.Second), longestWindow)
}

// problem joins what went wrong, the same thing once. A refusal is one of permission, whatever is asked for.
func problem(errs []error) error {
	var distinct []error
	seen := map[string]bool{}
	for _, err := range errs {
		if err == nil {
			continue
		}
		cause := err
		var answer *v1.Error
		if errors.As(err, &answer) {
			cause = answer
			if refusal := answer.Msg; strings.Contains(refusal, "401") || strings.Contains(refusal, "403") {
				err = fmt.Errorf("%w (%w)", err, fs.ErrPermission)
			}
		}
		if !seen[cause.Error()] {
			seen[cause.Error()] = true
			distinct = append(distinct, err)
		}
	}
	return errors.Join(distinct...)
}
