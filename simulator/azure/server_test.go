package azure_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"

	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/faults"
)

// do calls the emulator as a person would and gives the status and the body.
func (f fleet) do(ctx context.Context, method, path, body string) (int, string, error) {
	request, err := http.NewRequestWithContext(ctx, method, f.URL()+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	response, err := f.Client().Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return response.StatusCode, string(data), err
}

func TestControl(t *testing.T) {
	f := start(t, azure.Options{})
	for _, row := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"POST", "/emulator/faults", `{"kind": "overloaded", "method": "metrics.query"}`, 201, `{"id":1}`},
		{"POST", "/emulator/faults", `{"kind": "fire"}`, 400, "kind is none of"},
		{"POST", "/emulator/faults", `{"colour": "red"}`, 400, "colour"},
		{"POST", "/emulator/faults", strings.Repeat(" ", 70_000), 400, "too large"},
		{"GET", "/emulator/faults", "", 200, `"kind":"overloaded"`},
		{"GET", "/subscriptions/" + production + "?api-version=2022-12-01", "", 200, "example-production"},
		{"GET", "/subscriptions/" + production, "", 400, "MissingApiVersionParameter"},
		{"GET", "/subscriptions/none?api-version=2022-12-01", "", 404, "SubscriptionNotFound"},
		{"GET", strings.ToUpper(ssd) + "/shares/homes?API-Version=2025-01-01", "", 200, `"shareQuota":4096`},
		{"GET", ssd + "/shares?api-version=2025-01-01&$skiptoken=x", "", 400, "skiptoken"},
		{"GET", "/somewhere", "", 404, "does not serve"},
		{"GET", "/emulator/usage", "", 200, `{"method":"subscriptions.get","subscription":"` + production + `","count":2,"failed":1,`},
		{"DELETE", "/emulator/faults/7", "", 404, "not in force"},
		{"DELETE", "/emulator/faults/1", "", 204, ""},
		{"DELETE", "/emulator/faults", "", 204, ""},
		{"GET", "/emulator/faults", "", 200, `{"faults":[]}`},
	} {
		status, body, err := f.do(t.Context(), row.method, row.path, row.body)
		if err != nil || status != row.status || !strings.Contains(body, row.says) {
			t.Errorf("%s %s: %d %s, %v", row.method, row.path, status, body, err)
		}
	}
}

// The emulator ends with the context of Start, and leaves no file behind that it made itself.
func TestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server, err := azure.Start(ctx, nil, azure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	deadline, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	for {
		if _, _, err := (fleet{Server: server}).do(deadline, http.MethodGet, "/emulator/usage", ""); err != nil {
			break
		}
	}
	if deadline.Err() != nil {
		t.Error("the emulator still serves")
	}
	if err := errors.Join(server.Close(), server.Close()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(server.CAFile()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the CA is still there: %v", err)
	}
}

// A client that does not trust the CA gets nothing.
func TestStrangersDoNotTrust(t *testing.T) {
	f := start(t, azure.Options{CAFile: filepath.Join(t.TempDir(), "ca.pem")})
	options := f.once()
	options.Transport = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	_, err := f.metrics(options).QueryResource(t.Context(), ssd, ask("Transactions", "", azquery.AggregationTypeTotal))
	if err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("without the CA: %v", err)
	}
}

func TestStartRefuses(t *testing.T) {
	for want, options := range map[string]azure.Options{
		"127.0.0.1:99999": {Address: "127.0.0.1:99999"},
		"/no/such/dir":    {CAFile: "/no/such/dir/ca.pem"},
		"page size -1":    {PageSize: -1},
	} {
		server, err := azure.Start(t.Context(), nil, options)
		if err == nil {
			server.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want one line about %s", options, err, want)
		}
	}
}

// Clients that read at once, while faults come and go, read what one alone reads.
func TestClientsAtOnce(t *testing.T) {
	f := start(t, azure.Options{})
	options := ask("FileShareAvailableBurstCredits", "FileShare eq 'scratch'", azquery.AggregationTypeAverage)
	want := *f.query(ssd, options)[0].TimeSeries[0].Data[0].Average
	client := f.metrics(f.once())
	got := make(chan float64)
	for range 8 {
		go func() {
			answer, err := client.QueryResource(t.Context(), ssd, options)
			if err != nil {
				t.Error(err)
				got <- 0
				return
			}
			got <- *answer.Value[0].TimeSeries[0].Data[0].Average
		}()
	}
	for range 8 {
		f.inject(faults.Fault{Kind: faults.Late, Delay: time.Hour, Volume: "nobody"})
		if credits := <-got; credits != want {
			t.Errorf("%g credits, want %g", credits, want)
		}
		f.Heal()
	}
}

// BenchmarkHour reads an hour of one account's shares by ApiName and ResponseType.
func BenchmarkHour(b *testing.B) {
	clock := epoch
	server, err := azure.Start(b.Context(), nil, azure.Options{Clock: func() time.Time { clock = clock.Add(time.Second); return clock }, Epoch: epoch})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	client, err := azquery.NewMetricsClient(server.Credential(""), &azquery.MetricsClientOptions{ClientOptions: server.ClientOptions()})
	if err != nil {
		b.Fatal(err)
	}
	options := ask("Transactions", "FileShare eq '*' and ApiName eq '*' and ResponseType eq '*'", azquery.AggregationTypeTotal)
	options.Timespan, options.Top = ptr(azquery.NewTimeInterval(epoch.Add(-time.Hour), epoch)), ptr(int32(1000))
	for b.Loop() {
		if _, err := client.QueryResource(b.Context(), ssd, options); err != nil {
			b.Fatal(err)
		}
	}
}
