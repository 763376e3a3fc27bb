package winfs

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A question without an answer costs its time once. Nothing more is asked until the answer is there.
func TestQuestionWithoutAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(5 * time.Second)
		answer, asked := make(chan struct{}), atomic.Int32{}
		hanging := func() ([]byte, error) { asked.Add(1); <-answer; return []byte("late"), nil }
		began := time.Now()
		if _, err := s.ask(hanging); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 5*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		began = time.Now()
		for range 8 {
			if _, err := s.ask(hanging); !errors.Is(err, ErrHung) {
				t.Errorf("while one is outstanding: %v", err)
			}
		}
		if took := time.Since(began); took != 0 || asked.Load() != 1 {
			t.Errorf("%d were asked, %s were waited", asked.Load(), took)
		}
		close(answer)
		synctest.Wait()
		if data, err := s.ask(hanging); err != nil || string(data) != "late" {
			t.Errorf("after the answer: %q, %v", data, err)
		}
	})
}

// Two readers at a time take turns; neither is told that something hangs.
func TestQuestionsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(5 * time.Second)
		slow := func() ([]byte, error) { time.Sleep(2 * time.Second); return nil, context.Canceled }
		errs := make(chan error)
		for range 2 {
			go func() { _, err := s.ask(slow); errs <- err }()
		}
		for range 2 {
			if err := <-errs; !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want the question's own", err)
			}
		}
	})
}
