//go:build servers

package servers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// series is one that a query answers with.
type series struct {
	Metric map[string]string `json:"metric"`
	Value  [2]any            `json:"value"` // seconds, and the value as text
}

// query asks a server that answers as Prometheus does, in the way in which Grafana asks.
func query(ctx context.Context, server, expression string) ([]series, error) {
	form := url.Values{"query": {expression}, "latency_offset": {"1ms"}, "nocache": {"1"}} // the latter two for VictoriaMetrics
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server+"/api/v1/query", strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	var answer struct {
		Status string `json:"status"`
		Error  string `json:"error"`
		Data   struct {
			Result []series `json:"result"`
		} `json:"data"`
	}
	if err := fetch(request, &answer); err != nil {
		return nil, err
	}
	if answer.Status != "success" {
		return nil, fmt.Errorf("query %s of %s: %s", expression, server, answer.Error)
	}
	return answer.Data.Result, nil
}

// fetch sends a request and reads its answer, which has to be one of status 2xx and JSON.
func fetch(request *http.Request, into any) error {
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s: status %d", request.URL, response.StatusCode)
	}
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		return fmt.Errorf("%s: %w", request.URL, err)
	}
	return nil
}

func fetchFrom(ctx context.Context, address string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	return fetch(request, into)
}

// awaitSeries asks again and again until as many series as wanted answer, and returns them. Until a server has started to
// answer, errors are no failure.
func awaitSeries(t *testing.T, server, expression string, want int, limit time.Duration) []series {
	t.Helper()
	var found []series
	var err error
	eventually(t, limit, func() bool {
		found, err = query(t.Context(), server, expression)
		return err == nil && len(found) >= want
	}, func() string {
		return fmt.Sprintf("%s: error %v, %d series %v, want %d", expression, err, len(found), found, want)
	})
	return found
}

// alert is one as Alertmanager tells of it, or sends it.
type alert struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	StartsAt    time.Time         `json:"startsAt"`
}

// awaitAlert asks an Alertmanager until it has an alert with these labels.
func awaitAlert(t *testing.T, alertmanager string, labels map[string]string, limit time.Duration) alert {
	t.Helper()
	var all []alert
	var err error
	var found alert
	eventually(t, limit, func() bool {
		all = nil
		err = fetchFrom(t.Context(), alertmanager+"/api/v2/alerts", &all)
		for _, found = range all {
			if found.has(labels) {
				return true
			}
		}
		return false
	}, func() string { return fmt.Sprintf("no alert %v: error %v, alerts %v", labels, err, all) })
	return found
}

func (a alert) has(labels map[string]string) bool {
	for name, value := range labels {
		if a.Labels[name] != value {
			return false
		}
	}
	return true
}
