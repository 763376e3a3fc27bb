package alerting

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// patience bounds what is sent while somebody waits for the last of it: a stop, or a reload that has another receiver. The
// notifier itself would wait for each batch in the queue as long as for any other.
type patience struct {
	mu       sync.Mutex
	over     bool // what is begun now ends at once
	requests map[*http.Request]context.CancelFunc
}

func newPatience() *patience { return &patience{requests: map[*http.Request]context.CancelFunc{}} }

// within lets what is sent meanwhile take so long altogether.
func (p *patience) within(most time.Duration, do func()) {
	timer := time.AfterFunc(most, p.lose)
	do()
	timer.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = false
}

// lose ends what is being sent, and what is begun until the wait is over.
func (p *patience) lose() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	for _, cancel := range p.requests {
		cancel()
	}
}

// do sends one request. A request a minute is no reason to hold a connection open.
func (p *patience) do(ctx context.Context, client *http.Client, request *http.Request) (*http.Response, error) {
	request, end := p.begin(ctx, request)
	response, err := client.Do(request)
	if err != nil {
		end()
		return nil, err
	}
	response.Body = &ending{ReadCloser: response.Body, end: end}
	return response, nil
}

// begin makes a request one that can be ended.
func (p *patience) begin(ctx context.Context, request *http.Request) (begun *http.Request, end func()) {
	ctx, cancel := context.WithCancel(ctx)
	begun = request.WithContext(ctx)
	begun.Close = true
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		cancel()
	}
	p.requests[begun] = cancel
	return begun, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.requests, begun)
		cancel()
	}
}

// ending is the body of an answer, of which no more than a few lines is of interest.
type ending struct {
	io.ReadCloser
	end  func()
	read int
}

const mostRead = 64 << 10

// Read ends an answer that does not.
func (e *ending) Read(into []byte) (int, error) {
	if e.read > mostRead {
		return 0, io.EOF
	}
	n, err := e.ReadCloser.Read(into)
	e.read += n
	return n, err
}

// Close lets go of the connection.
func (e *ending) Close() error {
	defer e.end()
	return e.ReadCloser.Close()
}
