package azureapi

import (
	"net/http"
	"net/url"
	"testing"
)

func TestSeriesInAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		body string
		want int
		ok   bool
	}{
		"one resource": {`{"value":[{"timeseries":[{"data":[]},{}]},{"timeseries":[]},{"timeseries":[{}]}]}`, 3, true},
		"several":      {`{"values":[{"value":[{"timeseries":[{}]}]},{"value":[{"timeseries":[{},{}]}]}]}`, 3, true},
		"none":         {`{"value":[]}`, 0, true},
		"odd":          {`{"value":"x"}`, 0, false},
		"cut off":      {`{"value":[{"timeser`, 0, false},
		"null":         {`null`, 0, true},
	} {
		if got, ok := seriesIn([]byte(test.body)); got != test.want || ok != test.ok {
			t.Errorf("%s: %d, %v", name, got, ok)
		}
	}
	for path, want := range map[string]bool{
		"/subscriptions/a/resourceGroups/b/providers/microsoft.insights/metrics": true, "/subscriptions/a/metrics:getBatch": true,
		"/subscriptions/a/providers/Microsoft.Storage/storageAccounts": false,
	} {
		response := &http.Response{StatusCode: http.StatusOK, Request: &http.Request{URL: &url.URL{Path: path}}}
		if got := hasSeries(response); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
