package winfs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrHung says that an earlier question was not answered yet, so that none was asked.
var ErrHung = errors.New("an earlier question has not been answered")

// service is a part of Windows that answers one question at a time, and may never answer: a call into it cannot be
// cancelled. So it is made aside, and no other one is made until it returns.
type service struct {
	patience time.Duration // how long an answer may take
	turn     chan struct{} // holds one value while a question is asked

	mu   sync.Mutex
	late bool // nobody waits for the answer any more
}

func newService(patience time.Duration) *service {
	return &service{patience: patience, turn: make(chan struct{}, 1)}
}

type reply struct {
	data []byte
	err  error
}

// ask puts a question. Without an answer in time the error wraps context.DeadlineExceeded, and those of all further
// questions ErrHung, until the answer is there.
func (s *service) ask(question func() ([]byte, error)) ([]byte, error) {
	if s.isLate() {
		return nil, ErrHung
	}
	patience := time.NewTimer(s.patience)
	defer patience.Stop()
	select {
	case s.turn <- struct{}{}:
	case <-patience.C:
		return nil, ErrHung
	}
	answered := make(chan reply, 1)
	go func() {
		data, err := question()
		s.mu.Lock()
		defer s.mu.Unlock()
		answered <- reply{data, err}
		s.late = false
		<-s.turn
	}()
	select {
	case got := <-answered:
		return got.data, got.err
	case <-patience.C:
		return nil, s.leave(answered)
	}
}

func (s *service) isLate() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.late
}

// leave stops waiting. An answer that comes in the same moment is lost; it makes nothing late.
func (s *service) leave(answered <-chan reply) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late = len(answered) == 0
	return fmt.Errorf("no answer within %s: %w", s.patience, context.DeadlineExceeded)
}
