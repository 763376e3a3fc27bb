package redirect

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNothingGoesWhereAServerLeads(t *testing.T) {
	var strayed atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed.Add(1) }))
	t.Cleanup(other.Close)
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", other.URL+"/there")
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	client := &http.Client{Transport: Refuse(&http.Transport{})}
	t.Cleanup(client.CloseIdleConnections)
	for code, leads := range map[int]bool{200: false, 301: true, 302: true, 303: true, 304: false, 307: true, 308: true, 404: false, 500: false} {
		status = code
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader("data"))
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		}
		if leads != (err != nil) || leads && !strings.Contains(err.Error(), `leads to "`+other.URL+`/there"`) {
			t.Errorf("%d: %v", code, err)
		}
	}
	if count := strayed.Load(); count > 0 {
		t.Errorf("%d requests went elsewhere", count)
	}
}
