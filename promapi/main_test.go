package promapi

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	base   = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	family = &schema.Family{Name: "b_total", Type: schema.Counter, Labels: []string{"host", "volume"}}
)

func at(seconds int) time.Time { return base.Add(time.Duration(seconds) * time.Second) }

// filled is a history of two series, 15 seconds apart for five minutes, that count 10 and 20 a second.
func filled(t testing.TB) *history.Memory {
	t.Helper()
	m := history.NewMemory(history.MemoryOptions{})
	var batch []schema.Sample
	for s := 0; s <= 300; s += 15 {
		batch = append(batch,
			schema.Sample{Family: family, Labels: []string{"h", "v"}, Time: at(s), Value: float64(10 * s)},
			schema.Sample{Family: family, Labels: []string{"h", "w"}, Time: at(s), Value: float64(20 * s)})
	}
	if err := m.Append(context.Background(), batch); err != nil {
		t.Fatal(err)
	}
	return m
}

// start serves a handler and gives a client that leaves no connection behind.
func start(t testing.TB, handler http.Handler) (string, *http.Client) {
	t.Helper()
	server := httptest.NewServer(handler)
	client := server.Client()
	t.Cleanup(func() {
		client.CloseIdleConnections()
		server.Close()
	})
	return server.URL, client
}

// do runs one request without a network and gives its status and the type of its error.
func do(handler http.Handler, request *http.Request) (int, string) {
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	var body response
	if err := json.Unmarshal(recorder.Body.Bytes(), &body); err != nil {
		return recorder.Code, "no JSON: " + recorder.Body.String()
	}
	return recorder.Code, body.ErrorType
}
