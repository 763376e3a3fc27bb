package gcp

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/nasight/nasight/simulator/faults"
)

// A call that is held up ends as its client does: by its deadline, or because it has gone.
func TestHeldCallsEndAsTheirClientDoes(t *testing.T) {
	past, done := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer done()
	gone, leave := context.WithCancel(t.Context())
	leave()
	for ctx, want := range map[context.Context]codes.Code{past: codes.DeadlineExceeded, gone: codes.Canceled} {
		if got := act(ctx, faults.Fault{Kind: faults.Latency, Delay: time.Hour}); got == nil || got.code != want {
			t.Errorf("%+v, want %v", got, want)
		}
	}
	if got := act(t.Context(), faults.Fault{Kind: faults.Latency, Delay: time.Nanosecond}); got != nil {
		t.Errorf("%+v after the delay", got)
	}
}
