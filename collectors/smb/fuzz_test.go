package smb

import (
	"errors"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

func FuzzParseDebugData(f *testing.F) {
	for _, name := range []string{"debug-3.17", "debug-4.15", "debug-5.4", "debug-multiuser", "debug-dfs"} {
		f.Add([]byte(own(f, name)))
	}
	f.Add([]byte("Channel: 1 ConnectionId:\n1) Name:\n-- MIDs: com: 1 Extra Channels: Dialect DISCONNECTED Speed: \\\\"))
	f.Fuzz(func(t *testing.T, data []byte) {
		odd := 0
		d := ParseDebugData(data, func(_ string, count int) { odd += count })
		sessions, channels := 0, 0
		for _, server := range d.Servers {
			checkNumbers(t, server.Capabilities, server.Primary.Credits, server.Primary.ID, server.Primary.OnWire, server.Primary.Status)
			sessions += len(server.Sessions)
			for _, session := range server.Sessions {
				channels += len(session.Extra)
				for _, tree := range session.Trees {
					if !strings.HasPrefix(string(tree.Name), `\\`) || strings.ContainsAny(string(tree.Name), "\n") {
						t.Errorf("share %q", tree.Name)
					}
				}
			}
		}
		text := string(data)
		if sessions > strings.Count(text, "Address:")+strings.Count(text, "Name:")+strings.Count(text, "entry") ||
			channels > strings.Count(text, "Channel") || odd > len(data) {
			t.Errorf("%d sessions, %d channels, %d odd values", sessions, channels, odd)
		}
	})
}

// checkNumbers: a value is below 2^63 or the one mark of a missing one.
func checkNumbers(t *testing.T, values ...Number) {
	t.Helper()
	for _, value := range values {
		if value > Absent {
			t.Errorf("value %d", uint64(value))
		}
	}
}

func FuzzParseStats(f *testing.F) {
	f.Add([]byte(own(f, "stats-mixed")))
	f.Add([]byte(table(250, 3) + "\n1) \\\\h\\a\tDISCONNECTED \nOpen files: 1 total (local), 2 open on server\n"))
	f.Add([]byte("processing 1 1 1\n1) \\\\\nReads:\nfailed Bytes: flight: in flight: 5 jiffies (0 per"))
	f.Fuzz(func(t *testing.T, data []byte) {
		odd := 0
		s := ParseStats(data, func(_ string, count int) { odd += count })
		checkNumbers(t, s.SessionReconnects, s.ShareReconnects)
		for _, share := range s.Shares {
			checkNumbers(t, share.ReadBytes, share.WriteBytes, share.OpenFiles, share.Requests)
			if !strings.HasPrefix(string(share.Name), `\\`) {
				t.Errorf("share %q", share.Name)
			}
		}
		for _, c := range s.Connections {
			if c.FirstShare > c.EndShare || c.EndShare > len(s.Shares) || c.Hertz == 0 {
				t.Errorf("connection %+v of %d shares", c, len(s.Shares))
			}
		}
		if odd > len(data) {
			t.Errorf("%d odd things in %d bytes", odd, len(data))
		}
	})
}

func FuzzParseOpenFiles(f *testing.F) {
	f.Add([]byte("# <tree id> <ses id> <persistent fid> <flags> <count> <pid> <uid> <filename> <lease> <lease-key>\n0x5 0x70 0x1 0x0 1 1 0 a b RHW 0-1\n"))
	f.Add([]byte("# <filename> <tree id> <ses id>\n0x1 a\n#<\n# <a <filename>\n0x1  \n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		total := 0
		for _, names := range ParseOpenFiles(data, noSkip).Files {
			total += len(names)
		}
		if lines := strings.Count(string(data), "\n"); total > lines {
			t.Errorf("%d files in %d lines", total, lines)
		}
	})
}

func FuzzParseMountinfo(f *testing.F) {
	f.Add([]byte(mountLine("1", "0:3", "/m\\040", "//h/s\\134", "rw,addr=fe80::1%2")))
	f.Add([]byte("1 - cifs\n1 2 0:3 / /m rw - smb3 // rw\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		last := Number(0)
		for _, m := range ParseMountinfo(data, noSkip) {
			if m.ID < last || !isDeviceNumber(m.Device) {
				t.Errorf("mount %+v after %d", m, last)
			}
			last = m.ID
		}
	})
}

// FuzzCollect runs the whole collector twice: whatever the files say, label values are UTF-8, values are finite and not
// negative, and no series comes twice.
func FuzzCollect(f *testing.F) {
	mounts := mountLine("30", "0:41", "/a", "//files.example.com/one", "rw,addr=192.0.2.7") + mountLine("31", "0:42", "/a", "//x\xff/one", "rw,multichannel,max_channels=2")
	f.Add(own(f, "debug-multiuser"), own(f, "stats-mixed"), "# <tree id> <filename>\n0x5 a\n", mounts)
	servers := hostOf(connected{a, []int{1, 2, 4}, nil}, connected{b, []int{3}, nil})
	f.Add(servers[debugFile], servers[statsFile], "", mounts)
	f.Add(own(f, "debug-dfs"), "1) \\\\\xff\\\xff\nSMBs: 5\n1) \\\\\nReads: 5\n", "#", "")
	f.Fuzz(func(t *testing.T, debug, stats, open, info string) {
		root := hostWith(files{debugFile: debug, statsFile: stats, openFiles: open, mountFile: info})
		c := New(root)
		for range 2 {
			sink := checkedSink{&capturetest.Sink{}, t}
			if err := c.Collect(t.Context(), sink); err != nil && !errors.Is(err, collectors.ErrNoData) {
				t.Fatal(err)
			}
			sink.Check(t)
		}
	})
}

// checkedSink looks at what is put into a sink.
type checkedSink struct {
	*capturetest.Sink
	t *testing.T
}

func (s checkedSink) Add(family *schema.Family, value float64, labels ...string) {
	if math.IsNaN(value) || math.IsInf(value, 0) || value < 0 {
		s.t.Errorf("%s is %v", family.Name, value)
	}
	for _, label := range labels {
		if !utf8.ValidString(label) {
			s.t.Errorf("%s has label %q", family.Name, label)
		}
	}
	s.Sink.Add(family, value, labels...)
}
