//go:build servers

package servers

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const everySecond = `
collectors: {nfs: {interval: 1s}, tcp: {interval: 1s}, nic: {interval: 1s}, cpu: {interval: 1s}}
detection: {interval: 2s, window: 20s, for: 1}
`

// What serve writes to real receivers is what it has itself: each sample with its time and its value, also those of the time in
// which a receiver was not there.
func TestServeWritesToRealReceivers(t *testing.T) {
	t.Parallel() // it mostly waits
	receivers := map[string]*server{
		"prometheus":        prometheusServer(t, "prometheus", takesThePast),
		"prometheus-v1":     prometheusServer(t, "prometheus", takesThePast),
		"debian-prometheus": prometheusServer(t, "debian-prometheus", takesThePast),
		"victoria-metrics":  victoriaServer(t),
		"mistaken":          victoriaServer(t),
	}
	protocols := map[string]string{"prometheus": "2.0", "prometheus-v1": "1.0", "debian-prometheus": "1.0", "victoria-metrics": "1.0", "mistaken": "2.0"}
	export := everySecond + "export:\n  remote_write:\n"
	for name, receiver := range receivers {
		export += fmt.Sprintf("    - {name: %s, url: %q, protocol: %q}\n", name, receiver.url+"/api/v1/write", protocols[name])
	}
	nasight := runServer(t, programs+"/nasight", "/-/ready", "serve", "--config.file="+recorded(t).configurationWith(t, export), "--web.listen-address=ADDRESS")

	t.Run("a receiver that cannot is named", func(t *testing.T) {
		eventually(t, startLimit, func() bool {
			return strings.Contains(nasight.output.String(), "one that knows 1.0 alone, as VictoriaMetrics")
		}, func() string { return "the log does not say it:\n" + nasight.output.String() })
	})
	delete(receivers, "mistaken")
	for name, receiver := range receivers {
		awaitSeries(t, receiver.url, `nasight_nfs_read_bytes_total{host="recorded"}`, 1, startLimit)
		t.Logf("%s receives", name)
	}
	for _, name := range []string{"prometheus", "debian-prometheus", "victoria-metrics"} {
		receivers[name].stop()
	}
	awaitSeries(t, nasight.url, `nasight_remote_write_behind_seconds{receiver="prometheus"} > 5`, 1, startLimit)
	for _, name := range []string{"prometheus", "debian-prometheus", "victoria-metrics"} {
		receivers[name].run(t)
	}
	awaitSeries(t, nasight.url, `max(nasight_remote_write_behind_seconds{receiver!="mistaken"}) < 5`, 1, startLimit)

	at := time.Now()
	want := samplesOf(t, nasight.url, at)
	if len(want) < 100 {
		t.Fatalf("nasight itself has %d series: too few to compare", len(want))
	}
	for name, receiver := range receivers {
		t.Run(name, func(t *testing.T) {
			var diff string
			eventually(t, startLimit, func() bool {
				tolerance := 0.0
				if name == "victoria-metrics" {
					tolerance = 1e-12 // it packs numbers
				}
				diff = cmp.Diff(want, samplesOf(t, receiver.url, at), cmpopts.EquateApprox(tolerance, 0))
				return diff == ""
			}, func() string { return "samples (-own +received):\n" + diff })
		})
	}
}

// samplesOf are the samples that a server has of the two minutes before a moment, by series and by time in milliseconds.
func samplesOf(t *testing.T, server string, at time.Time) map[string]map[int64]float64 {
	t.Helper()
	found, err := raw(t.Context(), server, `{__name__=~"nasight_.+"}[2m]`, at)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// raw asks for the samples themselves, but for one that lies exactly at the beginning of the range, of which versions of
// Prometheus think differently.
func raw(ctx context.Context, server, selector string, at time.Time) (map[string]map[int64]float64, error) {
	form := url.Values{"query": {selector}, "time": {fmt.Sprintf("%.3f", float64(at.UnixMilli())/1e3)}, "latency_offset": {"1ms"}, "nocache": {"1"}}
	var answer struct {
		Data struct {
			Result []struct {
				Metric map[string]string `json:"metric"`
				Values [][2]any          `json:"values"`
			} `json:"result"`
		} `json:"data"`
	}
	if err := fetchFrom(ctx, server+"/api/v1/query?"+form.Encode(), &answer); err != nil {
		return nil, err
	}
	found := map[string]map[int64]float64{}
	for _, one := range answer.Data.Result {
		samples := map[int64]float64{}
		for _, pair := range one.Values {
			value, err := strconv.ParseFloat(fmt.Sprint(pair[1]), 64)
			if err != nil {
				return nil, fmt.Errorf("%v: %w", one.Metric, err)
			}
			seconds, _ := pair[0].(float64)
			if milliseconds := int64(seconds*1e3 + 0.5); milliseconds > at.Add(-2*time.Minute).UnixMilli() {
				samples[milliseconds] = value
			}
		}
		found[key(one.Metric)] = samples
	}
	return found, nil
}
