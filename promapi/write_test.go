package promapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang/snappy"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/prometheus/prompb"
	writev2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"

	"github.com/nasight/nasight/history"
)

// sender is the real client, which tries no more often than told.
func sender(t *testing.T, handler http.Handler, retries int) *remote.API {
	t.Helper()
	address, client := start(t, handler)
	api, err := remote.NewAPI(address, remote.WithAPIHTTPClient(client), remote.WithAPILogger(slog.New(slog.DiscardHandler)),
		remote.WithAPIBackoff(remote.BackoffConfig{Min: time.Millisecond, Max: time.Millisecond, MaxRetries: retries}))
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// v1Series makes a series of version 1 from its labels, with a sample at each second.
func v1Series(names []string, seconds ...int) prompb.TimeSeries {
	var series prompb.TimeSeries
	for i := 0; i+1 < len(names); i += 2 {
		series.Labels = append(series.Labels, prompb.Label{Name: names[i], Value: names[i+1]})
	}
	for _, s := range seconds {
		series.Samples = append(series.Samples, prompb.Sample{Timestamp: at(s).UnixMilli(), Value: float64(s)})
	}
	return series
}

// v2Request makes a request of version 2 with the same content.
func v2Request(all ...prompb.TimeSeries) *writev2.Request {
	table := writev2.NewSymbolTable()
	request := &writev2.Request{}
	for _, one := range all {
		series := writev2.TimeSeries{}
		for _, label := range one.Labels {
			series.LabelsRefs = append(series.LabelsRefs, table.Symbolize(label.Name), table.Symbolize(label.Value))
		}
		for _, sample := range one.Samples {
			series.Samples = append(series.Samples, writev2.Sample{Timestamp: sample.Timestamp, Value: sample.Value})
		}
		request.Timeseries = append(request.Timeseries, series)
	}
	request.Symbols = table.Symbols()
	return request
}

// send writes series in either version.
func send(api *remote.API, kind remote.WriteMessageType, all ...prompb.TimeSeries) (remote.WriteResponseStats, error) {
	if kind == remote.WriteV2MessageType {
		return api.Write(context.Background(), kind, v2Request(all...))
	}
	return api.Write(context.Background(), kind, &prompb.WriteRequest{Timeseries: all})
}

func onBoth(t *testing.T, test func(t *testing.T, kind remote.WriteMessageType)) {
	t.Helper()
	for name, kind := range map[string]remote.WriteMessageType{"v1": remote.WriteV1MessageType, "v2": remote.WriteV2MessageType} {
		t.Run(name, func(t *testing.T) { test(t, kind) })
	}
}

// stored counts the samples of each label set, names left out.
func stored(t *testing.T, m *history.Memory) map[string]float64 {
	t.Helper()
	points, err := m.Instant(context.Background(), `count_over_time({__name__!=""}[1h])`, at(600))
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]float64)
	for _, point := range points {
		found[fmt.Sprint(point.Labels)] = point.Value
	}
	return found
}

func TestWriteStores(t *testing.T) {
	onBoth(t, func(t *testing.T, kind remote.WriteMessageType) {
		m := history.NewMemory(history.MemoryOptions{})
		stats, err := send(sender(t, NewWriteHandler(m, WriteOptions{}), 0), kind,
			v1Series([]string{"__name__", "a_total", "host", "h"}, 0, 15, 30),
			v1Series([]string{"host", "g", "__name__", "a_total"}, 15), // labels out of order
			v1Series([]string{"__name__", "no_samples"}))
		if err != nil {
			t.Fatal(err)
		}
		if kind == remote.WriteV2MessageType && stats.Samples != 4 {
			t.Errorf("stats %+v, want 4 samples written", stats)
		}
		want := map[string]float64{"map[host:h]": 3, "map[host:g]": 1}
		if diff := cmp.Diff(want, stored(t, m)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestWriteCountsWhatItCannotStore sends contradicting samples twice: no error, so that no sender tries for ever.
func TestWriteCountsWhatItCannotStore(t *testing.T) {
	onBoth(t, func(t *testing.T, kind remote.WriteMessageType) {
		dir := t.TempDir()
		e, err := history.OpenEmbedded(context.Background(), history.EmbeddedOptions{Path: dir, MinFreeBytes: 1, OutOfOrderWindow: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		api := sender(t, NewWriteHandler(e, WriteOptions{}), 0)
		changed := v1Series([]string{"__name__", "a"}, 15)
		changed.Samples[0].Value = 99
		old := v1Series([]string{"__name__", "a"}, -7200)
		for i, batch := range [][]prompb.TimeSeries{{v1Series([]string{"__name__", "a"}, 0, 15)}, {changed, old}} {
			stats, err := send(api, kind, batch...)
			if err != nil {
				t.Errorf("batch %d: %v", i, err)
			}
			if want := 2 * (1 - i); kind == remote.WriteV2MessageType && stats.Samples != want {
				t.Errorf("batch %d: %d samples written, want %d", i, stats.Samples, want)
			}
		}
		if got := e.Stats(); got != (history.Written{Stored: 2, Duplicate: 1, TooOld: 1}) {
			t.Errorf("stats %+v", got)
		}
	})
}

func TestWriteNamesMalformedSeries(t *testing.T) {
	crowd := []string{"__name__", "a"}
	for i := range history.MaxLabels {
		crowd = append(crowd, fmt.Sprint("l", i), "x")
	}
	onBoth(t, func(t *testing.T, kind remote.WriteMessageType) {
		for name, bad := range map[string]prompb.TimeSeries{
			"no name":         v1Series([]string{"host", "h"}, 0),
			"no labels":       v1Series(nil, 0),
			"doubled label":   v1Series([]string{"__name__", "a", "b", "1", "b", "2"}, 0),
			"too many labels": v1Series(crowd, 0),
			"huge label":      v1Series([]string{"__name__", "a", "b", strings.Repeat("x", maxSeriesBytes)}, 0),
		} {
			m := history.NewMemory(history.MemoryOptions{})
			_, err := send(sender(t, NewWriteHandler(m, WriteOptions{}), 5), kind, bad, v1Series([]string{"__name__", "good"}, 0))
			if err == nil || !strings.Contains(err.Error(), "400") {
				t.Errorf("%s: error %v, want 400", name, err)
			}
			if got := stored(t, m); len(got) != 1 {
				t.Errorf("%s: stored %v, want the good series", name, got)
			}
		}
	})
}

// broken refuses everything until it is mended.
type broken struct {
	history.SeriesWriter
	mu    sync.Mutex
	fails int
}

func (b *broken) AppendSeries(ctx context.Context, samples []history.SeriesSample) (history.Written, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fails > 0 {
		b.fails--
		return history.Written{}, errors.New("disk full")
	}
	return b.SeriesWriter.AppendSeries(ctx, samples)
}

func TestWriteAsksToComeAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, kind remote.WriteMessageType) {
		m := history.NewMemory(history.MemoryOptions{})
		handler := NewWriteHandler(&broken{SeriesWriter: m, fails: 1}, WriteOptions{})
		request := raw(t, kind, marshal(t, kind, v1Series([]string{"__name__", "a"}, 0)))
		status, header, text := post(t, handler, request)
		if status != http.StatusServiceUnavailable || header.Get("Retry-After") == "" || !strings.Contains(text, "disk full") {
			t.Errorf("status %d, header %v: %s", status, header, text)
		}
		if _, err := send(sender(t, handler, 0), kind, v1Series([]string{"__name__", "a"}, 0)); err != nil {
			t.Errorf("second attempt: %v", err)
		}
		if got := stored(t, m); len(got) != 1 {
			t.Errorf("stored %v, want one series", got)
		}
	})
}

func marshal(t testing.TB, kind remote.WriteMessageType, all ...prompb.TimeSeries) []byte {
	t.Helper()
	var body []byte
	var err error
	if kind == remote.WriteV2MessageType {
		body, err = v2Request(all...).Marshal()
	} else {
		body, err = (&prompb.WriteRequest{Timeseries: all}).Marshal()
	}
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// raw makes a request of any body.
func raw(t testing.TB, kind remote.WriteMessageType, body []byte) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "/api/v1/write", strings.NewReader(string(snappy.Encode(nil, body))))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Encoding", "snappy")
	request.Header.Set("Content-Type", "application/x-protobuf;proto="+string(kind))
	return request
}

func post(t *testing.T, handler http.Handler, request *http.Request) (int, http.Header, string) {
	t.Helper()
	address, client := start(t, handler)
	target, err := request.URL.Parse(address + request.URL.Path)
	if err != nil {
		t.Fatal(err)
	}
	request.URL = target
	reply, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, reply.Header, string(text)
}

// What is acknowledged and not stored is told of in a header, as version 1 knows no other way.
func TestWriteTellsWhatItCannotStore(t *testing.T) {
	onBoth(t, func(t *testing.T, kind remote.WriteMessageType) {
		var log strings.Builder
		m := history.NewMemory(history.MemoryOptions{})
		handler := NewWriteHandler(m, WriteOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		series := v1Series([]string{"__name__", "a"}, 0, 15, 30)
		series.Samples[1].Value = math.NaN()
		for _, row := range []struct {
			series prompb.TimeSeries
			header string
		}{
			{v1Series([]string{"__name__", "b"}, 0), ""},
			{series, "2 samples stored, 1 not a finite number"},
			{series, "2 samples stored, 1 not a finite number"},
		} {
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/write", bytes.NewReader(snappy.Encode(nil, marshal(t, kind, row.series))))
			request.Header.Set("Content-Type", "application/x-protobuf;proto="+string(kind))
			request.Header.Set("Content-Encoding", "snappy")
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, request)
			if got := answer.Header().Get("Nasight-Not-Stored"); got != row.header || answer.Code != http.StatusNoContent {
				t.Errorf("%d %s: %q, want %q", answer.Code, answer.Body, got, row.header)
			}
		}
		if n := strings.Count(log.String(), "samples not stored"); n != 1 {
			t.Errorf("told %d times: %s", n, log.String())
		}
	})
}

// A label that is not valid UTF-8 is made so before it is stored: a device may be called anything.
func TestWriteMakesLabelsValid(t *testing.T) {
	m := history.NewMemory(history.MemoryOptions{})
	if _, err := send(sender(t, NewWriteHandler(m, WriteOptions{}), 0), remote.WriteV1MessageType, v1Series([]string{"__name__", "a", "host", "caf\xe9"}, 0)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]float64{"map[host:caf\uFFFD]": 1}, stored(t, m)); diff != "" || m.Stats().Altered != 1 {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What has another prefix is refused, and its neighbours are stored.
func TestWriteTakesOnePrefix(t *testing.T) {
	onBoth(t, func(t *testing.T, kind remote.WriteMessageType) {
		m := history.NewMemory(history.MemoryOptions{})
		_, err := send(sender(t, NewWriteHandler(m, WriteOptions{Prefix: "a_"}), 0), kind,
			v1Series([]string{"__name__", "a_total", "host", "h"}, 0),
			v1Series([]string{"__name__", "ALERTS", "alertname", "x"}, 0),
			v1Series([]string{"__name__", "scraped:a_total"}, 0))
		if err == nil || !strings.Contains(err.Error(), `names that do not begin with a_ are not taken`) {
			t.Errorf("got %v", err)
		}
		if diff := cmp.Diff(map[string]float64{"map[host:h]": 1}, stored(t, m)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
