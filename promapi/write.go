package promapi

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"

	"github.com/nasight/nasight/history"
)

// WriteOptions bounds the remote-write receiver. The zero value of a field stands for its default.
type WriteOptions struct {
	MaxBodyBytes   int64         // of a compressed request, default 16 MiB; decoded, 32 MiB is the protocol library's own limit
	MaxConcurrency int           // requests decoded and stored at once; default 4
	MaxWait        time.Duration // for one's turn, after which the sender is asked to come again; default 5 seconds
	ReadTimeout    time.Duration // for a request's body; default 30 seconds
	Prefix         string        // of the metrics that are taken; default any
	Logger         *slog.Logger  // default: nothing is logged
}

// retryAfter is when a sender should come again after a refusal that is nobody's fault.
const retryAfter = 10 * time.Second

func (o WriteOptions) withDefaults() WriteOptions {
	if o.MaxBodyBytes <= 0 {
		o.MaxBodyBytes = 16 << 20
	}
	if o.MaxConcurrency <= 0 {
		o.MaxConcurrency = 4
	}
	if o.MaxWait <= 0 {
		o.MaxWait = 5 * time.Second
	}
	if o.ReadTimeout <= 0 {
		o.ReadTimeout = 30 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// NewWriteHandler receives Prometheus remote write, versions 1 and 2, for /api/v1/write. It answers 204 when the history
// has all it ever will: samples that are too old or contradict stored ones are counted there, not refused, as a sender
// could not do better a second time; the header Nasight-Not-Stored says how many and why, in both versions. It answers 400
// for a request that no receiver could understand, and for series that are malformed or do not begin with the prefix, whose
// neighbours are stored; 503 with Retry-After when the history cannot store now. Native histograms and exemplars are not
// stored, which the headers of version 2 say.
func NewWriteHandler(store history.SeriesWriter, opts WriteOptions) http.Handler {
	opts = opts.withDefaults()
	receiver := &receiver{store: store, opts: opts, slots: make(chan struct{}, opts.MaxConcurrency)}
	handler := remote.NewWriteHandler(receiver,
		remote.MessageTypes{remote.WriteV1MessageType, remote.WriteV2MessageType},
		remote.WithWriteHandlerLogger(opts.Logger),
		remote.WithWriteHandlerMiddlewares(receiver.admit, decompress),
	)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "remote write takes POST alone", http.StatusMethodNotAllowed)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

type receiver struct {
	store history.SeriesWriter
	opts  WriteOptions
	slots chan struct{}

	lostTold atomic.Int64 // when the log last told of samples that were not stored, in nanoseconds since 1970
}

// admit lets a few requests in at a time, each of a bounded size, read in a bounded time.
func (v *receiver) admit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > v.opts.MaxBodyBytes {
			http.Error(w, fmt.Sprintf("request of %d bytes exceeds the limit of %d: send smaller batches", r.ContentLength, v.opts.MaxBodyBytes),
				http.StatusRequestEntityTooLarge)
			return
		}
		timer := time.NewTimer(v.opts.MaxWait)
		defer timer.Stop()
		select {
		case v.slots <- struct{}{}:
			defer func() { <-v.slots }()
		case <-timer.C:
			w.Header().Set("Retry-After", retrySeconds())
			http.Error(w, "too many requests at once: come again later", http.StatusServiceUnavailable)
			return
		case <-r.Context().Done():
			return
		}
		// A writer without deadlines, as in tests, has a peer that is trusted to send its body.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(v.opts.ReadTimeout))
		r.Body = http.MaxBytesReader(w, r.Body, v.opts.MaxBodyBytes)
		next.ServeHTTP(w, r)
	})
}

func retrySeconds() string { return strconv.Itoa(int(retryAfter.Seconds())) }

// Store implements the protocol library's storage: the body is decompressed already.
func (v *receiver) Store(r *http.Request, kind remote.WriteMessageType) (*remote.WriteResponse, error) {
	reply := remote.NewWriteResponse()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		reply.SetStatusCode(http.StatusBadRequest)
		return reply, fmt.Errorf("read request: %w", err)
	}
	batch, err := decode(kind, body)
	if err != nil {
		reply.SetStatusCode(http.StatusBadRequest)
		if errors.Is(err, errTooMany) {
			return reply, err
		}
		return reply, fmt.Errorf("decode %s: %w; %s", kind, err, expected)
	}
	batch.keep(v.opts.Prefix)
	written, err := v.store.AppendSeries(r.Context(), batch.samples)
	if err != nil {
		reply.SetStatusCode(http.StatusServiceUnavailable)
		reply.SetExtraHeader("Retry-After", retrySeconds())
		return reply, fmt.Errorf("store %d samples: %w", len(batch.samples), err)
	}
	reply.Samples = int(written.Stored)
	if batch.odd != nil || written.Malformed > 0 {
		reply.SetStatusCode(http.StatusBadRequest)
		return reply, errors.Join(fmt.Errorf("series in the request that are not taken: %s", written), batch.odd)
	}
	if written.Lost() > 0 {
		reply.SetExtraHeader(notStoredHeader, written.String())
		v.tellLost(r.RemoteAddr, written)
	}
	return reply, nil
}

// notStoredHeader tells a sender what became of its samples where some are not stored: an answer of version 1 says no more than
// that it need not come again.
const notStoredHeader = "Nasight-Not-Stored"

// tellLost logs now and then that samples are not stored.
func (v *receiver) tellLost(peer string, written history.Written) {
	now, before := time.Now().UnixNano(), v.lostTold.Load()
	if now-before > int64(tellLostEvery) && v.lostTold.CompareAndSwap(before, now) {
		v.opts.Logger.Warn("remote write: samples not stored; nasight_history_samples_total counts all of them by outcome",
			"peer", peer, "written", written.String())
	}
}

const tellLostEvery = 10 * time.Minute // from one line in the log to the next
