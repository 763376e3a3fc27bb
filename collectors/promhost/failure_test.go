package promhost

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

func say(code int, body string) func(http.Handler, http.ResponseWriter, *http.Request) {
	return func(_ http.Handler, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = fmt.Fprint(w, body)
	}
}

// Whatever Prometheus does wrong is an error of a known reason, adds no sample, and lets the age grow.
func TestPrometheusThatFails(t *testing.T) {
	const matrix = `"data":{"resultType":"matrix","result":[{"metric":{"__name__":"node_cpu_seconds_total","cpu":"0","mode":"idle","instance":"a"},"values":[[1,"1"]]}]}`
	tests := map[string]struct {
		answer func(http.Handler, http.ResponseWriter, *http.Request)
		reason collectors.Reason
		text   string
	}{
		"fails":          {say(500, "internal error"), collectors.ReasonOther, "500"},
		"refuses":        {say(401, "no"), collectors.ReasonPermission, "401"},
		"forbids":        {say(403, `{"status":"error","errorType":"forbidden","error":"no"}`), collectors.ReasonPermission, "403"},
		"bad query":      {say(400, `{"status":"error","errorType":"bad_data","error":"parse error"}`), collectors.ReasonOther, "parse error"},
		"answers partly": {say(200, `{"status":"success","warnings":["store example is away"],`+matrix+`}`), collectors.ReasonOther, "answered in part: store example is away"},
		"no JSON":        {say(200, "<html>"), collectors.ReasonOther, ""},
		"wrong kind":     {say(200, `{"status":"success","data":{"resultType":"scalar","result":[1,"1"]}}`), collectors.ReasonOther, "want a matrix"},
		"hangs": {func(_ http.Handler, _ http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm() // so that the server sees the client leave
			<-r.Context().Done()
		}, collectors.ReasonTimeout, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPrometheus(t)
			p.scrape(read(t, "node.prom"), "app1:9100", []int{0})
			s := p.source()
			good(t, s)
			p.answer = test.answer
			s.now = func() time.Time { return p.at(0).Add(10 * time.Minute) }
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			result := collectors.Once(ctx, s, time.Now())
			if collectors.ReasonOf(result.Err) != test.reason || !strings.Contains(fmt.Sprint(result.Err), test.text) {
				t.Errorf("reason %s, error %v", collectors.ReasonOf(result.Err), result.Err)
			}
			if got := valuesOf(result, schema.PromhostSampleAge)["app1"]; got != 600 || len(result.Samples) != 1 {
				t.Errorf("age %v, %d samples", got, len(result.Samples))
			}
			if strings.Count(fmt.Sprint(result.Err), "\n") > len(s.groups) {
				t.Errorf("error %v", result.Err)
			}
		})
	}
}

// One question without an answer costs its own series.
func TestOneGroupFails(t *testing.T) {
	p := newPrometheus(t)
	p.scrape(read(t, "node.prom"), "app1:9100", []int{0})
	p.answer = func(api http.Handler, w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil || strings.Contains(r.Form.Get("query"), "node_cpu") {
			http.Error(w, "too much", http.StatusUnprocessableEntity)
			return
		}
		api.ServeHTTP(w, r)
	}
	result := collect(t, p.source())
	if result.Err == nil || len(valuesOf(result, schema.CPUCores)) != 0 || len(valuesOf(result, schema.NFSMountAge)) != 3 {
		t.Errorf("error %v, cores %v, mounts %v", result.Err, valuesOf(result, schema.CPUCores), valuesOf(result, schema.NFSMountAge))
	}
}

// What was missed while Prometheus did not answer is read afterwards, at its own times; at most a quarter of an hour.
func TestGapIsMadeUpFor(t *testing.T) {
	p := newPrometheus(t)
	p.start = time.Now().Add(-10 * time.Minute).Truncate(time.Millisecond)
	s := p.source()
	var all []int
	for scrape := range 20 {
		all = append(all, scrape)
	}
	p.scrape(read(t, "node.prom"), "app1:9100", all)
	good(t, s)
	for i := range s.answered {
		s.answered[i] = p.at(2)
	}
	s.sent = track{}
	result := good(t, s)
	points := 0
	for _, sample := range result.Past {
		if sample.Family == schema.CPUCores {
			points++
		}
	}
	if points != 19 {
		t.Errorf("%d earlier samples, want 19", points)
	}
	s.answered[0] = time.Now().Add(-3 * time.Hour)
	if got := s.window(0, time.Now()); got != longestWindow {
		t.Errorf("window %s", got)
	}
}

// A series that Prometheus has no more is not told again, and its host is forgotten after an hour.
func TestVanishedSeries(t *testing.T) {
	p := newPrometheus(t)
	p.scrape(read(t, "node.prom"), "app1:9100", []int{0})
	s := p.source()
	good(t, s)
	_ = p.memory.Close()
	p.answer = say(200, `{"status":"success","data":{"resultType":"matrix","result":[]}}`)
	for _, step := range []struct {
		after   time.Duration
		samples int
	}{{10 * time.Minute, 1}, {2 * time.Hour, 0}} {
		s.now = func() time.Time { return p.at(0).Add(step.after) }
		if result := collect(t, s); len(result.Samples) != step.samples {
			t.Errorf("after %s: %d samples, error %v", step.after, len(result.Samples), result.Err)
		}
	}
	if len(s.ages) != 0 || len(s.sent) != 0 || len(s.chosen) != 0 {
		t.Errorf("remembers %d hosts, %d series, %d sources", len(s.ages), len(s.sent), len(s.chosen))
	}
}

func TestOddSeries(t *testing.T) {
	p := newPrometheus(t)
	p.scrape(strings.Join([]string{
		`node_mountstats_nfs_age_seconds_total{export="/no/server",mountaddr="",protocol="tcp"} 1`,
		`node_mountstats_nfs_age_seconds_total{export="server:",mountaddr="192.0.2.1",protocol="tcp"} 1`,
		`node_mountstats_nfs_age_seconds_total{export="a:/ok",mountaddr="192.0.2.1",protocol="tcp"} 1`,
		`node_mountstats_nfs_age_seconds_total{export="a:/line\nbreak",mountaddr="192.0.2.1",protocol="tcp"} 1`,
		`node_mountstats_nfs_age_seconds_total{export="a:/` + strings.Repeat("x", maxLabelBytes) + `",mountaddr="192.0.2.1",protocol="tcp"} 1`,
		`node_mountstats_nfs_total_read_bytes_total{export="a:/ok",mountaddr="192.0.2.1",protocol="tcp"} 1e19`,
		`node_mountstats_nfs_total_write_bytes_total{export="a:/ok",mountaddr="192.0.2.1",protocol="tcp"} -1`,
		`node_cpu_seconds_total{cpu="0",mode="unheard_of"} 1`,
		`node_cpu_seconds_total{mode="idle"} 1`,
		`node_network_receive_bytes_total{device=""} 1`,
	}, "\n")+"\n", "app1:9100", []int{0})
	result := good(t, p.source())
	if got := valuesOf(result, schema.NFSMountAge); len(got) != 1 || len(valuesOf(result, schema.NFSReadBytes))+len(valuesOf(result, schema.NFSWriteBytes)) > 0 {
		t.Errorf("mounts %v", got)
	}
	for reason, want := range map[string]int{"odd_export": 2, "odd_label": 2, "odd_value": 2, "odd_processor": 2, "odd_interface": 1} {
		if result.Skipped[reason] != want {
			t.Errorf("skipped %v, want %d %s", result.Skipped, want, reason)
		}
	}
}

// A clock that is far off would put samples where nobody looks for them.
func TestOddTimes(t *testing.T) {
	p := newPrometheus(t)
	p.scrape(read(t, "node.prom"), "app1:9100", []int{0})
	s := p.source()
	for _, off := range []time.Duration{-time.Hour, time.Hour} {
		s.now = func() time.Time { return time.Now().Add(off) }
		if result := collect(t, s); result.Skipped["odd_time"] == 0 || len(valuesOf(result, schema.CPUCores)) > 0 {
			t.Errorf("off by %s: skipped %v", off, result.Skipped)
		}
	}
}

func TestManyInterfaces(t *testing.T) {
	p := newPrometheus(t)
	var text strings.Builder
	for i := range maxInterfaces + 3 {
		fmt.Fprintf(&text, "node_network_receive_bytes_total{device=\"eth%02d\"} %d\n", i, i)
	}
	p.scrape(text.String(), "app1:9100", []int{0})
	result := good(t, p.source())
	got := valuesOf(result, schema.NICReceived)
	if _, least := got["app1,eth02"]; least || len(got) != maxInterfaces || result.Skipped["interface_beyond_limit"] != 3 {
		t.Errorf("interfaces %v, skipped %v", got, result.Skipped)
	}
}

func TestUntimedSink(t *testing.T) {
	if err := newPrometheus(t).source().Collect(t.Context(), capturetest.Discard{}); err == nil {
		t.Error("a sink without times is taken")
	}
}
