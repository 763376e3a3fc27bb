//go:build servers

package servers

import (
	"testing"
	"time"

	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/history/historytest"
	"github.com/nasight/nasight/history/remote"
)

// takesThePast is the configuration of a Prometheus that samples of the past month can be written to.
const takesThePast = "storage: {tsdb: {out_of_order_time_window: 30d}}\n"

// ofVictoriaMetrics are the parameters without which it hides what is new.
func ofVictoriaMetrics() map[string]string {
	return map[string]string{"nocache": "1", "latency_offset": "1ms"}
}

// remoteServer is a real server that can be history.
type remoteServer struct {
	start    func(*testing.T) *server
	protocol string
	params   map[string]string
}

func remoteServers() map[string]remoteServer {
	prometheus := func(program string) func(*testing.T) *server {
		return func(t *testing.T) *server { return prometheusServer(t, program, takesThePast) }
	}
	return map[string]remoteServer{
		"prometheus":        {prometheus("prometheus"), export.ProtocolV2, nil},
		"debian-prometheus": {prometheus("debian-prometheus"), export.ProtocolV1, nil},
		"victoria-metrics":  {victoriaServer, export.ProtocolV1, ofVictoriaMetrics()},
	}
}

// Real servers are histories as the embedded one is, but for what each case that is left out gives as its reason.
func TestRealServersKeepTheContract(t *testing.T) {
	for name, c := range remoteServers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := c.start(t)
			options := historytest.Options{
				Base: time.Now().Add(-3 * time.Hour).Truncate(time.Minute), Skip: differences()[name],
			}
			if name == "victoria-metrics" {
				options.Tolerance, options.KeepsName = 1e-9, true // it packs numbers to some 15 digits
				options.Settle = func() { flush(t, server.url) }
			}
			historytest.Test(t, func(t testing.TB) history.History {
				opened, err := remote.Open(remote.Options{
					URL: server.url, Params: c.params, Write: export.PusherConfig{URL: server.url + "/api/v1/write", Protocol: c.protocol},
				})
				if err != nil {
					t.Fatal(err)
				}
				return opened
			}, options)
		})
	}
}

// differences are the cases that a server answers differently by design, with the reasons.
func differences() map[string]map[string]string {
	const closedLeft = "before Prometheus 3 a range had both of its ends"
	const risesFromNothing = "a counter's first value counts as an increase from 0 where it is small beside the next ones"
	return map[string]map[string]string{
		"debian-prometheus": {
			"ranges are open on the left": closedLeft, "offset": closedLeft, "a range includes both ends": closedLeft,
			"a bare selector looks back five minutes": closedLeft,
		},
		"victoria-metrics": {
			"increase over span plus one millisecond": risesFromNothing, "the increase over a start adds up": risesFromNothing,
			"the first of two values stays":                    "of two values at one time the larger stays",
			"the first of two values stays among late samples": "of two values at one time the larger stays",
			"a subquery without a step":                        "the step is that of the request; nasight's queries write one",
			"nonsense is refused":                              "a text is a series without labels",
		},
	}
}

// flush lets VictoriaMetrics show what it has taken, which it does by itself some seconds later.
func flush(t *testing.T, url string) {
	t.Helper()
	if err := answers(url + "/internal/force_flush")(t.Context()); err != nil {
		t.Errorf("flush: %v", err)
	}
}
