package azureapi

import (
	"encoding/json"
	"net/http"
	"strings"
)

// hasSeries says whether a response is an answer of Azure Monitor's metrics: about one resource, or about several.
func hasSeries(response *http.Response) bool {
	if response.StatusCode != http.StatusOK || response.Request == nil {
		return false
	}
	path := strings.ToLower(strings.TrimSuffix(response.Request.URL.Path, "/"))
	return strings.HasSuffix(path, "microsoft.insights/metrics") || strings.HasSuffix(path, "/metrics:getbatch")
}

// seriesIn counts the time series of such an answer; false where it cannot be read.
func seriesIn(body []byte) (int, bool) {
	type resource struct {
		Value []struct {
			TimeSeries []json.RawMessage `json:"timeseries"`
		} `json:"value"`
	}
	var answer struct {
		resource
		Values []resource `json:"values"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return 0, false
	}
	series := 0
	for _, one := range append(answer.Values, answer.resource) {
		for _, metric := range one.Value {
			series += len(metric.TimeSeries)
		}
	}
	return series, true
}
