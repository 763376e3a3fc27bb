package smb

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden compares all samples of one moment with the expected text, series by series.
func TestGolden(t *testing.T) {
	for file, capture := range map[string]string{
		"two-servers":     "6.12/smb-two-shares-two-servers",
		"server-stops":    "6.1/smb311-server-stops-midway",
		"four-channels":   "7.3/smb311-4ch-single-thread-64k",
		"no-multichannel": "6.12/smb311-mc-asked-got-1-server-without-multichannel",
	} {
		t.Run(file, func(t *testing.T) {
			capturetest.Golden(t, file+".golden", collect(t, capturetest.Moment(t, capture, "t1")).Text(), *update)
		})
	}
}

// TestEveryCapture checks what holds in all of them: no odd input, no series too many, and over the three moments no
// counter falls and no series comes or goes.
func TestEveryCapture(t *testing.T) {
	for _, name := range smbCaptures(t) {
		t.Run(name, func(t *testing.T) {
			c := New(collectors.Root{Host: "client"})
			before := map[string]float64{}
			for _, moment := range []string{"t0", "t1", "t2"} {
				sink := again(t, c, momentOf(t, name, moment))
				if len(sink.Skips) > 0 {
					t.Errorf("%s: skipped %v", moment, sink.Skips)
				}
				checkBudget(t, sink)
				now := countersOf(sink)
				for series, old := range before {
					if value, ok := now[series]; !ok || value < old {
						t.Errorf("%s: %s went from %v to %v, there: %t", moment, series, old, value, ok)
					}
				}
				if len(before) > 0 && len(before) != len(now) {
					t.Errorf("%s: %d counters after %d", moment, len(now), len(before))
				}
				before = now
			}
		})
	}
}

func momentOf(t testing.TB, capture, moment string) collectors.Root {
	t.Helper()
	root := capturetest.Moment(t, capture, moment)
	root.Host = "client"
	return root
}

func countersOf(sink *capturetest.Sink) map[string]float64 {
	all := sink.All()
	maps.DeleteFunc(all, func(series string, _ float64) bool { return !strings.Contains(series, "_total{") })
	return all
}

// checkBudget holds every mount to the budget of 40 series, its share of the server's included if it is the only one.
func checkBudget(t *testing.T, sink *capturetest.Sink) {
	t.Helper()
	const budget = 40
	series := map[string]int{}
	for name := range sink.All() {
		if _, labels, _ := strings.Cut(name, "{"); strings.Contains(labels, ",device=") {
			series[labelOf(labels, "server")+" "+labelOf(labels, "export")]++
		}
	}
	if len(series) == 0 {
		t.Error("no mount at all")
	}
	for mount, count := range series {
		if count > budget {
			t.Errorf("mount %s has %d series", mount, count)
		}
	}
}

func TestCaptures(t *testing.T) {
	type numbers = map[string]float64
	const main, other = "10.10.2.2", "10.10.3.2"
	for _, test := range []struct {
		capture, moment string
		family          *schema.Family
		want            numbers // by server
	}{
		{"6.12/smb-two-shares-two-servers", "t1", schema.SMBChannels, numbers{main: 4, other: 1}},
		{"6.12/smb-two-shares-two-servers", "t1", schema.SMBPending, numbers{main: 6, other: 1}},
		{"6.12/smb-two-shares-two-servers", "t1", schema.SMBCredits, numbers{main: 3939, other: 4133}},
		{"6.12/smb-two-shares-two-servers", "t1", schema.SMBMaxInFlight, numbers{main: 3, other: 3}},
		{"6.12/smb-two-shares-two-servers", "t1", schema.SMBChannelsAsked, numbers{main: 8, other: 1}},
		{"6.12/smb-two-shares-two-servers", "t1", schema.SMBReadBytes, numbers{main: 121634816, other: 30081024}},
		{"6.12/smb-two-shares-two-servers", "t1", schema.SMBFilesInUse, numbers{main: 6, other: 1}},
		{"6.1/smb21-4threads-64k", "t1", schema.SMBChannels, numbers{main: 1}},
		{"6.1/smb30-4threads-64k", "t1", schema.SMBChannels, numbers{main: 4}},
		{"6.1/smb311-1ch-16files-64k", "t1", schema.SMBPending, numbers{main: 16}},
		{"7.3/smb311-4ch-single-thread-64k", "t1", schema.SMBPending, numbers{main: 1}},
		{"6.1/smb311-mc-asked-got-1-server-interface-without-rss", "t1", schema.SMBChannels, numbers{main: 2}},
		{"7.3/smb311-mc-asked-got-1-server-interface-without-rss", "t1", schema.SMBChannels, numbers{main: 1}},
		{"7.3/smb311-mc-asked-got-1-server-interface-without-rss", "t1", schema.SMBChannelsAsked, numbers{main: 4}},
		{"6.12/smb311-4ch-8threads-1file-4k", "t1", schema.SMBFilesInUse, numbers{main: 1}},
		{"6.12/smb311-4ch-8threads-1file-4k", "t1", schema.SMBOpenFiles, numbers{main: 8}},
		{"6.1/smb311-server-stops-midway", "t0", schema.SMBChannelsDown, numbers{main: 0, other: 0}},
		{"6.1/smb311-server-stops-midway", "t2", schema.SMBChannelsDown, numbers{main: 4, other: 0}},
		{"6.1/smb311-server-stops-midway", "t2", schema.SMBChannelsUp, numbers{main: 0, other: 1}},
		{"6.1/smb311-server-stops-midway", "t2", schema.SMBCredits, numbers{other: 4592}},
		{"6.1/smb311-server-stops-midway", "t2", schema.SMBErrors, numbers{main: 4, other: 0}},
		{"6.1/smb311-after-server-came-back", "t2", schema.SMBChannelsUp, numbers{main: 4, other: 1}},
		{"6.1/smb311-idle-4ch", "t2", schema.SMBPending, numbers{main: 0}},
	} {
		t.Run(test.capture+" "+test.moment+" "+test.family.Name, func(t *testing.T) {
			sink := collect(t, momentOf(t, test.capture, test.moment))
			if diff := cmp.Diff(test.want, of(sink, test.family, schema.Server)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestOutstanding: the time that commands took between two moments is the number that were outstanding.
func TestOutstanding(t *testing.T) {
	for capture, want := range map[string]float64{
		"6.1/smb311-1ch-16files-64k": 16, "6.1/smb311-4ch-16files-64k": 16, "7.3/smb311-4ch-single-thread-64k": 1, "6.12/smb311-1ch-8writers-64k": 8,
	} {
		c := New(collectors.Root{})
		first := of(again(t, c, momentOf(t, capture, "t0")), schema.SMBEndpointRTT, schema.Server)["10.10.2.2"]
		last := of(again(t, c, momentOf(t, capture, "t2")), schema.SMBEndpointRTT, schema.Server)["10.10.2.2"]
		const between, most = 20, 0.25 // seconds, and the error that their haste allows
		if got := (last - first) / between; got < want*(1-most) || got > want*(1+most) {
			t.Errorf("%s: %v outstanding, not %v", capture, got, want)
		}
	}
}

func TestInfoOfCaptures(t *testing.T) {
	for capture, want := range map[string]string{
		"6.1/smb21-4threads-64k":                                 "2.1 unknown unknown", // below 3.0 the two have not spoken of it
		"6.1/smb30-4threads-64k":                                 "3.0 true true",
		"6.12/smb311-mc-asked-got-1-server-without-multichannel": "3.1.1 false unknown",
		"7.3/smb311-mc-asked-got-1-server-interface-without-rss": "3.1.1 true false",
	} {
		sink := collect(t, momentOf(t, capture, "t1"))
		if diff := cmp.Diff(map[string]float64{want: 1}, of(sink, schema.SMBEndpointInfo, schema.Version, "multichannel", "server_rss")); diff != "" {
			t.Errorf("%s: %s", capture, diff)
		}
	}
}

func TestHostsWithoutShares(t *testing.T) {
	for name, f := range map[string]files{
		"no module":       {mountFile: mountLine("20", "0:41", "/mnt", "//h/s", "rw,addr=192.0.2.1")},
		"nothing mounted": {debugFile: "CIFS Version 2.51\n\nServers: \n\t[NONE]\n", statsFile: "Resources in use\n0 session 0 share reconnects\n", mountFile: "1 1 8:1 / / rw - ext4 /dev/a rw\n"},
	} {
		if err := New(hostWith(f)).Collect(t.Context(), &capturetest.Sink{}); !errors.Is(err, collectors.ErrNoData) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// denied is a file system in which one file must not be read.
type denied struct {
	fstest.MapFS
	name string
}

func (d denied) ReadFile(name string) ([]byte, error) {
	if name == d.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return d.MapFS.ReadFile(name)
}

// TestUnreadableFile: what the other files say is collected, and the error tells which file it was.
func TestUnreadableFile(t *testing.T) {
	root := momentOf(t, "6.1/smb311-idle-4ch", "t1")
	procfs, ok := root.Procfs.(fstest.MapFS)
	if !ok {
		t.Fatal("another file system")
	}
	for _, name := range []string{debugFile, statsFile, openFiles, mountFile} {
		root.Procfs = denied{procfs, name}
		sink := &capturetest.Sink{}
		err := New(root).Collect(t.Context(), sink)
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
		if got := sink.Series(schema.SMBMountInfo); got != 1 {
			t.Errorf("%s: %d mounts", name, got)
		}
	}
}

func TestEntry(t *testing.T) {
	entry := Entry()
	if c, err := entry.New(hostWith(nil), collectors.Settings{}); err != nil || entry.Name != "smb" || !entry.Default {
		t.Errorf("%+v, error %v", entry, err)
	} else if err := c.Collect(t.Context(), &capturetest.Sink{}); !errors.Is(err, collectors.ErrNoData) {
		t.Errorf("error %v", err)
	}
}

// TestThousandsOfShares: the work per share does not grow with their number. The machine may be busy with other work, so
// the best of some tries counts; a quadratic join would take 20 times as long in all of them.
func TestThousandsOfShares(t *testing.T) {
	const few, many, tries, slack = 100, 2000, 3, 5
	perShare := func(shares int) time.Duration {
		servers := make([]connected, shares)
		var info strings.Builder
		for i := range servers {
			name := fmt.Sprintf("10.1.%d.%d", i>>8, i&255)
			servers[i] = connected{name, []int{shares - i}, nil}
			info.WriteString(mountLine(strconv.Itoa(i+1), fmt.Sprintf("%d:%d", i>>8, i&255), "/m", "//"+name+"/data", "rw,addr="+name))
		}
		f := hostOf(servers...)
		f[mountFile] = info.String()
		c, start := New(hostWith(f)), time.Now()
		if err := c.Collect(t.Context(), capturetest.Discard{}); err != nil {
			t.Fatal(err)
		}
		return time.Since(start) / time.Duration(shares)
	}
	for try := 1; ; try++ {
		small, large := perShare(few), perShare(many)
		if large <= slack*small {
			return
		}
		if try == tries {
			t.Fatalf("a share takes %v among %d and %v among %d", small, few, large, many)
		}
	}
}
