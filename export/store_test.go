package export

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/nasight/nasight/schema"
)

// shown is the exposition of a store as text, without the comments.
func shown(t *testing.T, s *Store) string {
	t.Helper()
	_, body := get(t, Handler(HandlerConfig{Store: s}), "/metrics")
	return series(body)
}

func TestStoreShowsTheNewestBatchOfEach(t *testing.T) {
	var s Store
	publish(t, &s,
		batch("client2", "cpu", sample(schema.CPUCores, 8, "client2")),
		batch("client1", "cpu", sample(schema.CPUCores, 4, "client1"), sample(schema.CPUSeconds, 7, "client1", "busy")),
		batch("client1", "nic", sample(schema.NICReceived, 9, "client1", "eth0")),
		batch("client1", "cpu", sample(schema.CPUCores, 2, "client1")),
	)
	want := `nasight_cpu_cores{host="client1"} 2
nasight_cpu_cores{host="client2"} 8
nasight_nic_receive_bytes_total{host="client1",interface="eth0"} 9
`
	if diff := cmp.Diff(want, shown(t, &s)); diff != "" {
		t.Errorf("exposition (-want +got):\n%s", diff)
	}
	samples := s.Samples()
	if len(samples) != 3 || samples[0].Value != 2 || !samples[0].Time.Equal(noon) {
		t.Errorf("got samples %+v", samples)
	}
}

func TestStoreKeepsTheLastGoodOfAFailedCollectorUntilStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Store
		good := batch("client1", "cpu", sample(schema.CPUCores, 4, "client1"), sample(schema.CollectorSuccess, 1, "client1", "cpu"))
		failed := batch("client1", "cpu", sample(schema.CollectorSuccess, 0, "client1", "cpu"))
		failed.Failed = true
		publish(t, &s, good)
		const down = "nasight_collector_success{collector=\"cpu\",host=\"client1\"} 0\n"
		const cores = "nasight_cpu_cores{host=\"client1\"} 4\n"
		for i, want := range []string{down + cores, down + cores, down + cores, down, down} {
			time.Sleep(interval)
			publish(t, &s, failed)
			if got := shown(t, &s); got != want {
				t.Errorf("after %d failed runs:\n%s", i+1, got)
			}
			if got := len(s.Samples()); got != strings.Count(want, "\n") {
				t.Errorf("after %d failed runs there are %d samples", i+1, got)
			}
		}
		publish(t, &s, good)
		if got := shown(t, &s); !strings.Contains(got, cores) || !strings.Contains(got, "} 1\n") {
			t.Errorf("after a good run:\n%s", got)
		}
	})
}

func TestStoreDropsWhatIsStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Store
		findings := batch("", "findings", sample(schema.CPUCores, 1, "client2"))
		findings.Interval = 0
		publish(t, &s, batch("client1", "cpu", sample(schema.CPUCores, 4, "client1")), findings)
		for _, test := range []struct {
			wait   time.Duration
			series int
		}{{3 * interval, 2}, {time.Second, 1}, {defaultStale - 3*interval - time.Second, 1}, {time.Second, 0}} {
			time.Sleep(test.wait)
			if got := strings.Count(shown(t, &s), "\n"); got != test.series || len(s.Samples()) != test.series {
				t.Errorf("after %s more there are %d series and %d samples, want %d", test.wait, got, len(s.Samples()), test.series)
			}
		}
		publish(t, &s, batch("client3", "cpu"))
		if got := len(s.places()); got != 1 {
			t.Errorf("still holds %d sources; hosts that are gone must not add up", got)
		}
	})
}

func TestStoreCountsWhatItCannotShow(t *testing.T) {
	var s Store
	other := &schema.Family{Name: schema.CPUCores.Name, Type: schema.Counter, Labels: []string{"cpu"}, Help: "Another."}
	publish(t, &s,
		batch("client1", "a", sample(schema.CPUCores, 4, "client1"), sample(schema.CPUCores, 5, "client1"),
			sample(schema.CPUCores, 6), sample(nil, 7)),
		batch("client1", "b", sample(schema.CPUCores, 8, "client1"), sample(schema.CPUCores, 9, "client0")),
		batch("client1", "c", sample(other, 10, "0")),
	)
	want := `# HELP nasight_cpu_cores Cores that are online.
# TYPE nasight_cpu_cores gauge
nasight_cpu_cores{host="client0"} 9
nasight_cpu_cores{host="client1"} 4
# HELP nasight_exposition_dropped_series Series left out of this exposition: duplicate (the same series twice), inconsistent (does not match its family).
# TYPE nasight_exposition_dropped_series gauge
nasight_exposition_dropped_series{reason="duplicate"} 2
nasight_exposition_dropped_series{reason="inconsistent"} 2
`
	if err := testutil.GatherAndCompare(&s, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}

// Mounts share their labels between families in memory; the families must not mix them up where they differ.
func TestStoreShowsEveryFamilyWithItsOwnLabels(t *testing.T) {
	mount := func(host string) []string { return []string{host, "192.0.2.1", "/export", "nfs", "0:50"} }
	var s Store
	publish(t, &s, batch("client1", "nfs",
		sample(schema.NFSReadBytes, 1, mount("client1")...), sample(schema.NFSReadBytes, 2, mount("client2")...),
		sample(schema.NFSReadBytes, 3, mount("client3")...),
		sample(schema.NFSWriteBytes, 4, mount("client1")...), sample(schema.NFSWriteBytes, 5, mount("client3")...),
	))
	got := shown(t, &s)
	for host, values := range map[string]string{"client1": "14", "client2": "2", "client3": "35"} {
		found := ""
		for line := range strings.Lines(got) {
			if strings.Contains(line, `host="`+host+`",protocol="nfs",server="192.0.2.1"`) {
				found += line[len(line)-2 : len(line)-1]
			}
		}
		if found != values {
			t.Errorf("%s has the values %s, want %s in\n%s", host, found, values, got)
		}
	}
}

func TestStoreRepairsText(t *testing.T) {
	var s Store
	publish(t, &s, batch("client1", "cpu", sample(schema.CPUCores, 4, "caf\xe9")))
	if got, want := shown(t, &s), "nasight_cpu_cores{host=\"caf\uFFFD\"} 4\n"; got != want {
		t.Errorf("got %q", got)
	}
}

func TestStoreIsReadWhileItIsWritten(t *testing.T) {
	var s Store
	var all sync.WaitGroup
	for i := range 4 {
		host := fmt.Sprint("client", i)
		all.Go(func() {
			for range 50 {
				publish(t, &s, batch(host, "nfs", mountSamples(host, 3)...))
			}
		})
		all.Go(func() {
			for range 20 {
				if _, err := s.Gather(); err != nil {
					t.Error(err)
				}
				s.Samples()
			}
		})
	}
	all.Wait()
	if got := len(s.Samples()); got != 4*30 {
		t.Errorf("got %d samples", got)
	}
}
