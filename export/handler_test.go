package export

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/nasight/nasight/schema"
)

func testHandler(t *testing.T) http.Handler {
	t.Helper()
	registry, err := NewRegistry(Build{Version: "1.2.3", Revision: "abc"})
	if err != nil {
		t.Fatal(err)
	}
	s := &Store{}
	publish(t, s,
		batch("client1", "cpu", sample(schema.CPUCores, 4, "client1"), sample(schema.CPUSeconds, 7, "client1", "busy")),
		batch("client1", "nic", sample(schema.NICReceived, 9, "client1", "eth0")),
	)
	return Handler(HandlerConfig{Store: s, Own: registry, Collectors: func() []string { return []string{"cpu", "nic", "nfs"} }})
}

func TestHandlerShowsTheStoreAndTheProcess(t *testing.T) {
	code, body := get(t, testHandler(t), "/metrics")
	if code != http.StatusOK {
		t.Fatalf("status %d: %s", code, body)
	}
	for _, want := range []string{
		`nasight_cpu_cores{host="client1"} 4`, `nasight_nic_receive_bytes_total{host="client1",interface="eth0"} 9`,
		`version="1.2.3"} 1`, "go_goroutines ", "process_start_time_seconds ",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is missing", want)
		}
	}
	problems, err := promlint.New(strings.NewReader(body)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		if strings.HasPrefix(problem.Metric, "nasight_") {
			t.Errorf("%s: %s", problem.Metric, problem.Text)
		}
	}
}

func TestHandlerFiltersByCollector(t *testing.T) {
	const cpu = "nasight_cpu_cores{host=\"client1\"} 4\nnasight_cpu_seconds_total{host=\"client1\",mode=\"busy\"} 7\n"
	const nic = "nasight_nic_receive_bytes_total{host=\"client1\",interface=\"eth0\"} 9\n"
	for query, want := range map[string]string{
		"collect[]=cpu": cpu, "collect[]=nic&collect[]=cpu": cpu + nic, "collect[]=nfs": "",
	} {
		code, body := get(t, testHandler(t), "/metrics?"+query)
		if diff := cmp.Diff(want, series(body)); diff != "" || code != http.StatusOK {
			t.Errorf("%s: status %d (-want +got):\n%s", query, code, diff)
		}
	}
	code, body := get(t, testHandler(t), "/metrics?collect[]=cpu&collect[]=disk")
	if want := "no collector \"disk\"; there are cpu, nic, nfs\n"; code != http.StatusBadRequest || body != want {
		t.Errorf("status %d: %s", code, body)
	}
}

func TestHandlerNegotiates(t *testing.T) {
	_, body := get(t, testHandler(t), "/metrics", "Accept", "application/openmetrics-text; version=1.0.0")
	if !strings.HasSuffix(body, "# EOF\n") || !strings.Contains(body, "# TYPE nasight_cpu_seconds counter\n") {
		t.Errorf("is not OpenMetrics: %s", body)
	}
	_, body = get(t, testHandler(t), "/metrics?collect[]=nic", "Accept-Encoding", "gzip")
	reader, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(reader)
	if err != nil || !strings.Contains(string(plain), "nasight_nic_receive_bytes_total") {
		t.Errorf("got %q, error %v", plain, err)
	}
}
