//go:build unix

package azurefiles

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/internal/measure"
)

// BenchmarkCloudScrape is one scrape of what the reader found of 500 busy shares in 10 accounts, with the real clients at the
// emulator: just after a minute was read, or the same again. A scrape makes no request.
func BenchmarkCloudScrape(b *testing.B) {
	l := newLab(b, busyFleet(10, 50, 50), nil)
	shown := &export.Store{}
	read := func() {
		l.clock.add(time.Minute)
		for _, entry := range l.source.Entries() {
			result := once(b, l.source, strings.TrimPrefix(entry.Name, "azurefiles_"), l.clock.Now())
			if result.Err != nil {
				b.Fatal(result.Err)
			}
			err := shown.Publish(b.Context(), collectors.Batch{
				Host: "server1", Collector: entry.Name, Time: time.Now(), Samples: result.Samples, Past: result.Past, Interval: entry.Interval,
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		runtime.GC() // the scrape is not to pay for the emulator's garbage
	}
	for _, one := range []struct {
		name  string
		renew bool
	}{{"new", true}, {"again", false}} {
		b.Run(one.name, func(b *testing.B) {
			var spent time.Duration
			samples, asked, scrapes := 0, int64(0), 0
			for read(); b.Loop(); scrapes++ {
				if one.renew {
					read()
				}
				begin, before := spentOf(b), calls(l.server.Usage())
				text, _ := scrape(b, shown)
				spent, asked = spent+spentOf(b)-begin, asked+calls(l.server.Usage())-before
				samples = strings.Count(text, "\n") - strings.Count(text, "\n#")
			}
			if asked != 0 {
				b.Errorf("%d scrapes made %d requests", scrapes, asked)
			}
			b.ReportMetric(float64(spent.Microseconds())/1e3/float64(scrapes), "cpu-ms/scrape")
			b.ReportMetric(float64(samples), "samples")
		})
	}
}

func spentOf(b *testing.B) time.Duration {
	b.Helper()
	spent, err := measure.Processor()
	if err != nil {
		b.Fatal(err)
	}
	return spent
}
