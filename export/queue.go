package export

import (
	"sync"

	"github.com/nasight/nasight/schema"
)

// queue holds samples that wait to be sent, in runs of at most maxPerRequest. It is bounded: the oldest go first.
type queue struct {
	limit  int
	filled chan struct{} // holds one element while there may be something to take

	mu       sync.Mutex
	chunks   [][]schema.Sample
	pending  int // samples in chunks
	inFlight int // samples taken and neither done nor put back
	dropped  int // samples
}

func newQueue(limit int) *queue {
	return &queue{limit: limit, filled: make(chan struct{}, 1)}
}

func (q *queue) add(samples []schema.Sample) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(samples) > 0 {
		n := min(len(samples), maxPerRequest)
		q.chunks = append(q.chunks, samples[:n:n])
		q.pending += n
		samples = samples[n:]
	}
	q.shrink()
	q.signal()
}

// shrink drops the oldest samples beyond the limit. Called with the lock held.
func (q *queue) shrink() {
	for q.pending > q.limit {
		n := min(len(q.chunks[0]), q.pending-q.limit)
		q.chunks[0] = q.chunks[0][n:]
		if len(q.chunks[0]) == 0 {
			q.pop()
		}
		q.pending -= n
		q.dropped += n
	}
}

func (q *queue) pop() {
	q.chunks[0] = nil // lets go of the samples although the array lives on
	q.chunks = q.chunks[1:]
}

func (q *queue) signal() {
	select {
	case q.filled <- struct{}{}:
	default:
	}
}

// take removes up to most samples from the head: whole chunks, so that a batch is not torn without need.
func (q *queue) take(most int) []schema.Sample {
	q.mu.Lock()
	defer q.mu.Unlock()
	var taken []schema.Sample
	for len(q.chunks) > 0 && len(taken)+len(q.chunks[0]) <= most {
		if taken == nil {
			taken = q.chunks[0]
		} else {
			taken = append(taken, q.chunks[0]...)
		}
		q.pop()
	}
	q.pending -= len(taken)
	q.inFlight = len(taken)
	return taken
}

// putBack returns taken samples to the head.
func (q *queue) putBack(samples []schema.Sample) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.chunks = append([][]schema.Sample{samples}, q.chunks...)
	q.pending += len(samples)
	q.inFlight = 0
	q.shrink()
	q.signal()
}

// done forgets the taken samples.
func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.inFlight = 0
}

// drain empties the queue and returns how many samples were in it.
func (q *queue) drain() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	left := q.pending
	q.chunks, q.pending = nil, 0
	return left
}

// counts returns the samples that wait, those under way among them, and those dropped so far.
func (q *queue) counts() (pending, dropped int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.pending + q.inFlight, q.dropped
}
