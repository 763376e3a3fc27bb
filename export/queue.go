package export

import (
	"slices"
	"sync"
	"time"
	"unsafe"

	"github.com/nasight/nasight/schema"
)

// queue holds samples that wait to be sent, in runs of at most maxPerRequest. It is bounded. What there is no room for is
// owed, where samples can be read back, else the oldest are dropped for it.
type queue struct {
	limit    int           // samples; the queue of samples that can be read back has a limit of bytes beside it
	maxBytes int           // 0: samples cannot be read back
	filled   chan struct{} // holds one element while there may be something to take
	ample    chan struct{} // holds one element once there was enough for a request

	mu       sync.Mutex
	chunks   [][]schema.Sample
	pending  int             // samples in chunks
	bytes    int             // about what they take, as if none shared its labels with anything
	inFlight []schema.Sample // taken and neither done nor put back
	dropped  int             // samples
	full     bool            // further samples are owed, until what is owed is nearly read
	owed     owed
	reading  []span // what is owed and being read and sent: one, or none
}

func newQueue(limit, maxBytes int) *queue {
	return &queue{limit: limit, maxBytes: maxBytes, filled: make(chan struct{}, 1), ample: make(chan struct{}, 1), owed: owed{}}
}

// add takes samples. Stored says whether they could be read back.
func (q *queue) add(samples []schema.Sample, stored bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	defer q.signal()
	size := 0
	if q.maxBytes > 0 {
		size = bytesOf(samples)
		if q.full || q.bytes+size > q.maxBytes || q.pending+len(samples) > q.limit {
			if stored {
				q.full = true
				q.owed.add(samples)
			} else {
				q.dropped += len(samples)
			}
			return
		}
	}
	q.bytes += size
	for len(samples) > 0 {
		n := min(len(samples), maxPerRequest)
		q.chunks = append(q.chunks, samples[:n:n])
		q.pending += n
		samples = samples[n:]
	}
	q.shrink()
}

// bytesOf is about the memory of samples with their labels.
func bytesOf(samples []schema.Sample) int {
	size := len(samples) * int(unsafe.Sizeof(schema.Sample{}))
	for _, sample := range samples {
		size += len(sample.Labels) * int(unsafe.Sizeof(""))
		for _, text := range sample.Labels {
			size += len(text)
		}
	}
	return size
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

// signal wakes who waits for something, or for enough. Called with the lock held.
func (q *queue) signal() {
	notify(q.filled)
	if q.pending >= maxPerRequest {
		notify(q.ample)
	}
}

func notify(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// take removes up to most samples from the head: whole chunks, so that a batch is not torn without need.
func (q *queue) take(most int) []schema.Sample {
	q.mu.Lock()
	defer q.mu.Unlock()
	count, size := 0, 0
	for count < len(q.chunks) && size+len(q.chunks[count]) <= most {
		size += len(q.chunks[count])
		count++
	}
	if count == 0 {
		return nil
	}
	taken := q.chunks[0]
	if count > 1 {
		taken = slices.Concat(q.chunks[:count]...)
	}
	for range count {
		q.pop()
	}
	q.leave(taken)
	q.inFlight = taken
	return taken
}

func (q *queue) leave(taken []schema.Sample) {
	q.pending -= len(taken)
	if q.maxBytes > 0 {
		q.bytes -= bytesOf(taken)
	}
}

// nearlyRead is how many minutes may be owed when samples are queued again: they are read while the queue fills.
const nearlyRead = 2

// takeOwed removes the earliest span of samples that have to be read back. What was queued before it goes first.
func (q *queue) takeOwed() (span, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.full && len(q.chunks) > 0 {
		return span{}, false
	}
	if len(q.owed) <= nearlyRead {
		q.full = false
	}
	s, ok := q.owed.take()
	if ok {
		q.reading = []span{s}
	}
	return s, ok
}

// paid forgets the span that was being read.
func (q *queue) paid() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.reading = nil
}

// owe says that a span has to be read back.
func (q *queue) owe(s span) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.owed.put(s)
	q.reading = nil
	q.signal()
}

// putBack returns taken samples to the head.
func (q *queue) putBack(samples []schema.Sample) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.chunks = append([][]schema.Sample{samples}, q.chunks...)
	q.pending += len(samples)
	if q.maxBytes > 0 {
		q.bytes += bytesOf(samples)
	}
	q.inFlight = nil
	q.shrink()
	q.signal()
}

// done forgets the taken samples.
func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.inFlight = nil
}

// drain empties the queue, and owes what was in it where samples can be read back. It returns how many samples were in it.
func (q *queue) drain() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	left := q.pending
	if q.maxBytes > 0 {
		for _, chunk := range q.chunks {
			q.owed.add(chunk)
		}
	}
	q.chunks, q.pending, q.bytes = nil, 0, 0
	return left
}

// waiting are the samples that can be taken.
func (q *queue) waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.pending
}

// counts returns the samples that wait, those under way among them, and those dropped so far.
func (q *queue) counts() (pending, dropped int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.pending + len(q.inFlight), q.dropped
}

// oldest is the time of the oldest sample that waits or is owed; the zero time for none.
func (q *queue) oldest() time.Time {
	q.mu.Lock()
	defer q.mu.Unlock()
	oldest := q.owed.first()
	for _, s := range q.reading {
		if oldest.IsZero() || s.from.Before(oldest) {
			oldest = s.from
		}
	}
	for _, chunk := range append([][]schema.Sample{q.inFlight}, q.chunks...) {
		for _, sample := range chunk {
			if oldest.IsZero() || sample.Time.Before(oldest) {
				oldest = sample.Time
			}
		}
	}
	return oldest
}
