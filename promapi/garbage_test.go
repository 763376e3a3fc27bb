package promapi

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/prometheus/prompb"
	writev2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"

	"github.com/nasight/nasight/history"
)

// TestWriteRefusesGarbage expects an answer that tells the sender not to come again with the same body.
func TestWriteRefusesGarbage(t *testing.T) {
	marshalV2 := func(request *writev2.Request) []byte {
		body, err := request.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	sample := []writev2.Sample{{Timestamp: 1, Value: 1}}
	big := strings.Repeat("x", 512<<10)
	var amplified writev2.Request
	amplified.Symbols = []string{"", "__name__", big}
	for range 1000 {
		amplified.Timeseries = append(amplified.Timeseries, writev2.TimeSeries{LabelsRefs: []uint32{1, 2}, Samples: sample})
	}
	for name, c := range map[string]struct {
		kind   remote.WriteMessageType
		body   []byte
		header string
		status int
	}{
		"no protobuf, v1":        {remote.WriteV1MessageType, []byte("hello"), "", 400},
		"no protobuf, v2":        {remote.WriteV2MessageType, []byte("hello"), "", 400},
		"cut short, v1":          {remote.WriteV1MessageType, marshal(t, remote.WriteV1MessageType, v1Series([]string{"__name__", "a"}, 0))[:9], "", 400},
		"cut short, v2":          {remote.WriteV2MessageType, marshal(t, remote.WriteV2MessageType, v1Series([]string{"__name__", "a"}, 0))[:20], "", 400},
		"unknown message":        {"some.other.Message", nil, "", 415},
		"unknown compression":    {remote.WriteV1MessageType, nil, "zstd", 415},
		"bomb":                   {remote.WriteV1MessageType, make([]byte, 64<<20), "", 400},
		"millions of series":     {remote.WriteV1MessageType, bytes.Repeat([]byte{0x0a, 0x00}, maxElements+1), "", 400},
		"millions of labels":     {remote.WriteV1MessageType, nested(bytes.Repeat([]byte{0x0a, 0x00}, maxElements+1)), "", 400},
		"symbols without empty":  {remote.WriteV2MessageType, marshalV2(&writev2.Request{Symbols: []string{"a"}, Timeseries: []writev2.TimeSeries{{Samples: sample}}}), "", 400},
		"reference beyond":       {remote.WriteV2MessageType, marshalV2(&writev2.Request{Symbols: []string{""}, Timeseries: []writev2.TimeSeries{{LabelsRefs: []uint32{0, 7}, Samples: sample}}}), "", 400},
		"half a label":           {remote.WriteV2MessageType, marshalV2(&writev2.Request{Symbols: []string{""}, Timeseries: []writev2.TimeSeries{{LabelsRefs: []uint32{0}, Samples: sample}}}), "", 400},
		"a symbol used and used": {remote.WriteV2MessageType, marshalV2(&amplified), "", 400},
	} {
		t.Run(name, func(t *testing.T) {
			m := history.NewMemory(history.MemoryOptions{})
			request := raw(t, c.kind, c.body)
			if c.header != "" {
				request.Header.Set("Content-Encoding", c.header)
			}
			status, _, text := post(t, NewWriteHandler(m, WriteOptions{}), request)
			if status != c.status || text == "" {
				t.Errorf("status %d, want %d: %.200s", status, c.status, text)
			}
			if got := m.Stats().Stored; got != 0 {
				t.Errorf("%d samples stored", got)
			}
		})
	}
}

// TestGarbageIsToldWhatWasExpected: a sender that is set up wrongly has a person behind it.
func TestGarbageIsToldWhatWasExpected(t *testing.T) {
	handler := NewWriteHandler(history.NewMemory(history.MemoryOptions{}), WriteOptions{})
	plain := func(kind, encoding, body string) *http.Request {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/write", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", kind)
		request.Header.Set("Content-Encoding", encoding)
		return request
	}
	for name, request := range map[string]*http.Request{
		"plain text": plain("", "", "nasight_cpu_cores 4\n"),
		"JSON":       plain("application/json", "", "{}"),
		"gzip":       plain("", "gzip", "x"),
		"no body":    plain("", "", ""),
		"protobuf":   raw(t, remote.WriteV1MessageType, []byte("hello")),
	} {
		status, _, text := post(t, handler, request)
		if status/100 != 4 || !strings.Contains(text, "protobuf") || !strings.Contains(text, "snappy") || strings.Contains(text, "s2:") {
			t.Errorf("%s: status %d: %s", name, status, text)
		}
	}
	request := plain("", "", "")
	request.Method = http.MethodGet
	if status, header, _ := post(t, handler, request); status != http.StatusMethodNotAllowed || header.Get("Allow") != http.MethodPost {
		t.Errorf("GET: status %d, Allow %q", status, header.Get("Allow"))
	}
}

// nested makes one series of many labels.
func nested(labels []byte) []byte {
	length := len(labels)
	head := []byte{0x0a}
	for ; length >= 0x80; length >>= 7 {
		head = append(head, byte(length)|0x80)
	}
	return append(append(head, byte(length)), labels...)
}

func TestWriteBoundsTheBody(t *testing.T) {
	handler := NewWriteHandler(history.NewMemory(history.MemoryOptions{}), WriteOptions{MaxBodyBytes: 10})
	body := marshal(t, remote.WriteV1MessageType, v1Series([]string{"__name__", "a"}, 0))
	if status, _, text := post(t, handler, raw(t, remote.WriteV1MessageType, body)); status != http.StatusRequestEntityTooLarge || !strings.Contains(text, "limit of 10") {
		t.Errorf("with its length: status %d: %s", status, text)
	}
	request := raw(t, remote.WriteV1MessageType, body)
	request.ContentLength = -1 // chunked
	if status, _, _ := post(t, handler, request); status != http.StatusBadRequest {
		t.Errorf("without its length: status %d, want 400", status)
	}
	if status, _, _ := post(t, handler, func() *http.Request {
		r := raw(t, remote.WriteV1MessageType, nil)
		r.Method = http.MethodGet
		return r
	}()); status != http.StatusMethodNotAllowed {
		t.Errorf("GET: status %d, want 405", status)
	}
}

// waiting is a store that lets one batch through at a time, when told.
type waiting struct {
	history.SeriesWriter
	entered, leave chan struct{}
}

func (s waiting) AppendSeries(ctx context.Context, samples []history.SeriesSample) (history.Written, error) {
	s.entered <- struct{}{}
	<-s.leave
	return s.SeriesWriter.AppendSeries(ctx, samples)
}

func TestWriteAsksACrowdToWait(t *testing.T) {
	store := waiting{history.NewMemory(history.MemoryOptions{}), make(chan struct{}), make(chan struct{})}
	handler := NewWriteHandler(store, WriteOptions{MaxConcurrency: 1, MaxWait: 20 * time.Millisecond})
	body := marshal(t, remote.WriteV1MessageType, v1Series([]string{"__name__", "a"}, 0))
	first := make(chan int)
	request := raw(t, remote.WriteV1MessageType, body)
	go func() {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		first <- recorder.Code
	}()
	<-store.entered
	status, header, _ := post(t, handler, raw(t, remote.WriteV1MessageType, body))
	if status != http.StatusServiceUnavailable || header.Get("Retry-After") == "" {
		t.Errorf("second: status %d, header %v, want 503 and Retry-After", status, header)
	}
	store.leave <- struct{}{}
	if status := <-first; status != http.StatusNoContent {
		t.Errorf("first: status %d, want 204", status)
	}
}

// TestWriteFromManyAgents sends from many clients at once.
func TestWriteFromManyAgents(t *testing.T) {
	const agents, batches = 8, 20
	m := history.NewMemory(history.MemoryOptions{})
	api := sender(t, NewWriteHandler(m, WriteOptions{}), 3)
	var group sync.WaitGroup
	for agent := range agents {
		group.Go(func() {
			kind := []remote.WriteMessageType{remote.WriteV1MessageType, remote.WriteV2MessageType}[agent%2]
			for i := range batches {
				if _, err := send(api, kind, v1Series([]string{"__name__", "a", "host", fmt.Sprint(agent)}, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if got := m.Stats(); got != (history.Written{Stored: agents * batches}) {
		t.Errorf("stats %+v, want %d samples", got, agents*batches)
	}
}

// FuzzWrite throws bodies at both decoders; they must neither panic nor take what is no request.
func FuzzWrite(f *testing.F) {
	for _, kind := range []remote.WriteMessageType{remote.WriteV1MessageType, remote.WriteV2MessageType} {
		f.Add(kind == remote.WriteV2MessageType, marshal(f, kind, v1Series([]string{"__name__", "a", "b", "c"}, 0, 15)))
	}
	f.Add(true, []byte{0x22, 0x00, 0x2a, 0x04, 0x0a, 0x02, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, second bool, body []byte) {
		kind := remote.WriteV1MessageType
		if second {
			kind = remote.WriteV2MessageType
		}
		b, err := decode(kind, body)
		if err != nil {
			return
		}
		m := history.NewMemory(history.MemoryOptions{})
		written, err := m.AppendSeries(context.Background(), b.samples)
		if err != nil || written.Stored+written.Lost() != uint64(len(b.samples)) {
			t.Errorf("%d samples: %+v, error %v", len(b.samples), written, err)
		}
	})
}

// TestVersion1InVersion2IsRefused: such a request decodes to nothing, and its sender would believe that all is stored.
func TestVersion1InVersion2IsRefused(t *testing.T) {
	request := prompb.WriteRequest{Timeseries: []prompb.TimeSeries{{
		Labels: []prompb.Label{{Name: "__name__", Value: "up"}}, Samples: []prompb.Sample{{Value: 1, Timestamp: 1}},
	}}}
	body, err := request.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decode(remote.WriteV2MessageType, body); err == nil || !strings.Contains(err.Error(), "version 1") {
		t.Errorf("got %v", err)
	}
	if _, err := decode(remote.WriteV1MessageType, body); err != nil {
		t.Errorf("the same as version 1: %v", err)
	}
}
