package cpu

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

const host = capturetest.Host

func root(stat string) collectors.Root {
	return collectors.Root{Host: host, Procfs: fstest.MapFS{"stat": &fstest.MapFile{Data: []byte(stat)}}}
}

func run(t *testing.T, c *Collector) *capturetest.Sink {
	t.Helper()
	sink := &capturetest.Sink{}
	if err := c.Collect(t.Context(), sink); err != nil {
		t.Fatal(err)
	}
	sink.Check(t)
	return sink
}

func TestEntry(t *testing.T) {
	entry := Entry()
	if entry.Name != "cpu" || !entry.Default || entry.Interval != schema.HostGrain || entry.Help == "" {
		t.Errorf("entry %+v", entry)
	}
	if c, err := entry.New(root(""), collectors.Settings{}); err != nil || c == nil {
		t.Errorf("collector %v, error %v", c, err)
	}
}

// Guest time is part of user time already; a core that is offline has no line.
func TestCollect(t *testing.T) {
	sink := run(t, New(root(`cpu  1000 200 300 40000 500 60 70 80 900 90
cpu0 600 100 150 20000 250 30 35 40 450 45
cpu3 400 100 150 20000 250 30 35 40 450 45
intr 12345 1 2 3
ctxt 1
`)))
	want := `nasight_cpu_core_seconds_total{host="client",cpu="0",mode="busy"} 9.55
nasight_cpu_core_seconds_total{host="client",cpu="0",mode="softirq"} 0.35
nasight_cpu_core_seconds_total{host="client",cpu="3",mode="busy"} 7.55
nasight_cpu_core_seconds_total{host="client",cpu="3",mode="softirq"} 0.35
nasight_cpu_cores{host="client"} 2
nasight_cpu_seconds_total{host="client",mode="busy"} 17.1
nasight_cpu_seconds_total{host="client",mode="idle"} 405
nasight_cpu_seconds_total{host="client",mode="softirq"} 0.7
nasight_cpu_seconds_total{host="client",mode="steal"} 0.8
`
	if got := sink.Text(); got != want {
		t.Errorf("samples:\n%swant:\n%s", got, want)
	}
}

func TestOldKernelWithoutSteal(t *testing.T) {
	sink := run(t, New(root("cpu  100 0 0 100 0 0 0\n")))
	if sink.Series(schema.CPUSeconds) != 3 || sink.Series(schema.CPUCores) != 0 {
		t.Errorf("samples:\n%s", sink.Text())
	}
}

func TestOddLinesCostThemselves(t *testing.T) {
	sink := run(t, New(root(`cpu0 1 1 1 1 1 1 1 1
cpu0 2 2 2 2 2 2 2 2
cpu1 1 1 1 1
cpu2 1 1 x 1 1 1 1 1
cpu3 1 1 -1 1 1 1 1 1
cpu4 1 1 18446744073709551000 1 1 1 1 1
cpufreq 1 1 1 1 1 1 1 1
cpu5 3 0 0 0 0 0 0 0 extra`)))
	if sink.Skips["odd_cpu_line"] != 6 {
		t.Errorf("skips %v", sink.Skips)
	}
	if busy, ok := sink.Value(schema.CPUCoreSeconds, host, "5", "busy"); !ok || busy != 0.03 {
		t.Errorf("core 5 busy %v, %v", busy, ok)
	}
	if cores, _ := sink.Value(schema.CPUCores, host); cores != 2 {
		t.Errorf("%v cores", cores)
	}
}

func TestNoLines(t *testing.T) {
	if err := New(root("")).Collect(t.Context(), &capturetest.Sink{}); !errors.Is(err, collectors.ErrNoData) {
		t.Errorf("empty file: error %v", err)
	}
	missing := collectors.Root{Procfs: fstest.MapFS{}}
	if err := New(missing).Collect(t.Context(), &capturetest.Sink{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: error %v", err)
	}
}

// A rate would take a small step back for a reset to zero.
func TestTimesDoNotStepBack(t *testing.T) {
	c := New(root(""))
	for _, step := range []struct{ iowait, want int }{{100000, 1000}, {99900, 1000}, {100100, 1001}, {300, 3}, {400, 4}} {
		c.root = root(fmt.Sprintf("cpu 0 0 0 0 %d 0 0 0\n", step.iowait))
		if idle, ok := run(t, c).Value(schema.CPUSeconds, host, "idle"); !ok || idle != float64(step.want) {
			t.Errorf("iowait %d: idle %v, %v; want %d", step.iowait, idle, ok, step.want)
		}
	}
}

func TestBusyAndIdleAreAllTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ticks := rapid.SliceOfN(rapid.Uint32(), 8, 8).Draw(t, "ticks")
		sum := 0.0
		for _, value := range ticks {
			sum += float64(value)
		}
		found, odd := parse([]byte("cpu " + strings.Trim(fmt.Sprint(ticks), "[]") + " 5 6\n"))
		if odd != 0 || found.total == nil {
			t.Fatalf("odd %d, total %v", odd, found.total)
		}
		if got := found.total.busy + found.total.idle; got < sum/hertz-0.01 || got > sum/hertz+0.01 {
			t.Fatalf("busy and idle %v, want %v", got, sum/hertz)
		}
	})
}

func TestCaptureGolden(t *testing.T) {
	for _, scenario := range []string{"6.1/nfs-v3-idle", "7.3/nfs-v3-seqread16-nconnect16"} {
		sink := run(t, New(capturetest.Moment(t, scenario, "t2")))
		capturetest.Golden(t, scenario+".txt", sink.Text(), *update)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 8\nintr 1\n"))
	f.Add([]byte("cpu\ncpu-1 1\ncpu99999999999 1 1 1 1 1 1 1 1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		found, odd := parse(data)
		if odd > len(data) || len(found.cores) > maxCores {
			t.Errorf("%d odd lines, %d cores in %d bytes", odd, len(found.cores), len(data))
		}
		for _, core := range found.cores {
			if core.busy < core.softirq || core.name == "" {
				t.Errorf("core %+v", core)
			}
		}
	})
}

func BenchmarkCollect128Cores(b *testing.B) {
	var text strings.Builder
	text.WriteString("cpu  1000 200 300 40000 500 60 70 80 900 90\n")
	for i := range 128 {
		fmt.Fprintf(&text, "cpu%d 600123 100123 150123 20000123 250 30 35123 40 450 45\n", i)
	}
	c := New(root(text.String()))
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Collect(b.Context(), capturetest.Discard{}); err != nil {
			b.Fatal(err)
		}
	}
}
