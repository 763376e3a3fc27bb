package serve

import (
	"context"
	"sync"
)

// shift is what runs by one configuration, until that of another takes its place or serve ends.
type shift struct {
	cancel context.CancelFunc // nil before begin
	done   sync.WaitGroup
}

// begin returns the context of what runs. It lasts until end, whatever becomes of the context that it is made of.
func (s *shift) begin(ctx context.Context) context.Context {
	ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return ctx
}

// end stops what runs and waits for it.
func (s *shift) end() {
	if s.cancel != nil {
		s.cancel()
		s.done.Wait()
	}
}
