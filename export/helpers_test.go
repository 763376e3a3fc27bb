package export

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

const interval = 15 * time.Second

func batch(host, collector string, samples ...schema.Sample) collectors.Batch {
	return collectors.Batch{Host: host, Collector: collector, Time: noon, Interval: interval, Samples: samples}
}

func sample(family *schema.Family, value float64, labels ...string) schema.Sample {
	return schema.Sample{Family: family, Labels: labels, Value: value, Time: noon}
}

func publish(t testing.TB, output collectors.Output, batches ...collectors.Batch) {
	t.Helper()
	for _, b := range batches {
		if err := output.Publish(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
}

// get asks a handler and returns the status and the body without comments.
func get(t testing.TB, handler http.Handler, target string, header ...string) (int, string) {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, http.NoBody)
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	body, err := io.ReadAll(recorder.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return recorder.Code, string(body)
}

// series keeps the lines of an exposition that have a value, but for those of the exposition itself.
func series(exposition string) string {
	var lines []string
	for line := range strings.Lines(exposition) {
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "nasight_exposition_") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// mountSamples makes a thousand samples for every hundred mounts and host, like those of the nfs collector.
func mountSamples(host string, mounts int) []schema.Sample {
	var samples []schema.Sample
	families := []*schema.Family{schema.NFSReadBytes, schema.NFSWriteBytes, schema.NFSRetransmissions, schema.NFSTimeouts}
	for i := range mounts {
		identity := []string{host, fmt.Sprintf("192.0.2.%d", i%256), fmt.Sprintf("/export/%d", i), "nfs", fmt.Sprintf("0:%d", i)}
		for _, family := range families {
			samples = append(samples, sample(family, float64(i)*12345678, identity...))
		}
		for _, class := range []string{"read", "write", "commit", "attr", "dir", "other"} {
			samples = append(samples, sample(schema.NFSOperations, float64(i)*1234, append(identity[:5:5], class)...))
		}
	}
	return samples
}
