package promtest

import (
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/prometheus/prompb"
)

func TestExposition(t *testing.T) {
	want := []Sample{
		{Labels: map[string]string{"__name__": "a_total", "b": "c\n\"d\" \\"}, Value: 0.5, Type: "counter"},
		{Labels: map[string]string{"__name__": "e"}, Value: -1, Time: 2000, Type: "gauge"},
	}
	for kind, text := range map[string]string{
		"text/plain":                   "# TYPE a_total counter\na_total{b=\"c\\n\\\"d\\\" \\\\\",x=\"\"} 0.5\n# HELP e Five.\n# TYPE e gauge\ne -1 2000\n",
		"application/openmetrics-text": "# TYPE a counter\na_total{b=\"c\\n\\\"d\\\" \\\\\",x=\"\"} 0.5\n# HELP e Five.\n# TYPE e gauge\ne -1 2\n# EOF\n",
	} {
		got, err := Exposition([]byte(text), kind)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", kind, err, diff)
		}
	}
	for text, kind := range map[string]string{"a{": "text/plain", "a 1": "application/none"} {
		if _, err := Exposition([]byte(text), kind); err == nil {
			t.Errorf("%s as %s was read", text, kind)
		}
	}
}

// Labels in no order, twice, without a value or with one that is no text are refused, as by the strictest receivers.
func TestReceiverIsStrict(t *testing.T) {
	var receiver Receiver
	server := httptest.NewServer(receiver.Handler())
	t.Cleanup(server.Close)
	api, err := remote.NewAPI(server.URL, remote.WithAPIPath(""), remote.WithAPIHTTPClient(server.Client()), remote.WithAPIBackoff(remote.BackoffConfig{MaxRetries: -1}))
	if err != nil {
		t.Fatal(err)
	}
	for _, odd := range [][]prompb.Label{
		{{Name: "b", Value: "1"}, {Name: "__name__", Value: "a"}},
		{{Name: "__name__", Value: "a"}, {Name: "b", Value: "1"}, {Name: "b", Value: "1"}},
		{{Name: "__name__", Value: "a"}, {Name: "b"}},
		{{Name: "__name__", Value: "a"}, {Name: "b", Value: "\xe9"}},
	} {
		request := &prompb.WriteRequest{Timeseries: []prompb.TimeSeries{{Labels: odd, Samples: []prompb.Sample{{Value: 1}}}}}
		if _, err := api.Write(t.Context(), remote.WriteV1MessageType, request); err == nil {
			t.Errorf("%v was taken", odd)
		}
	}
	if got := receiver.Samples(); len(got) != 0 {
		t.Errorf("kept %v", got)
	}
}
