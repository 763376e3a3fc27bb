package nfs

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/nasight/nasight/collectors"
)

func FuzzParseMountstats(f *testing.F) {
	var whole strings.Builder
	writeMount(&whole, 1, 1)
	f.Add([]byte(whole.String()))
	f.Add([]byte(published(f, "node-exporter-dup-udp-tcp-wrapped-counter")))
	f.Add([]byte(published(f, "telegraf-mixed-whitespace")))
	f.Add([]byte("device  mounted on  with fstype nfs\nxprt: \nper-op\n:\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		devices := bytes.Count(data, []byte("device "))
		odd := 0
		for stanza := range ParseMountstats(data, func(_ string, count int) { odd += count }) {
			devices--
			for i := range stanza.Transports {
				checkNumbers(t, stanza.Transports[i].Values[:])
			}
			for i := range stanza.Operations {
				checkNumbers(t, stanza.Operations[i].Values[:])
			}
			checkNumbers(t, stanza.Events)
		}
		if devices < 0 {
			t.Error("more mounts than device lines")
		}
		if odd > len(data) {
			t.Errorf("%d odd things in %d bytes", odd, len(data))
		}
	})
}

// checkNumbers: a value is below 2^63 or the one mark of a missing one.
func checkNumbers(t *testing.T, values []Number) {
	t.Helper()
	for _, value := range values {
		if value > Absent {
			t.Errorf("value %d", uint64(value))
		}
	}
}

func FuzzParseMountinfo(f *testing.F) {
	f.Add([]byte(infoOf("0:50", "h:/a", "/mnt/a")))
	f.Add([]byte("1 2 0:3 /r /m\\040 rw shared:1 - nfs4 [2001:db8::1]:/e\\011 rw,vers=4,addr=2001:db8::1\n1 - nfs\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, mount := range ParseMountinfo(data, noSkip) {
			if !fs.ValidPath(mount.Device) || !isNFS([]byte(mount.Type)) {
				t.Errorf("mount %+v", mount)
			}
		}
	})
}

func FuzzParseTransport(f *testing.F) {
	f.Add([]byte(infoUp(1, 2, 3, 4, 5)), []byte(stateUp))
	f.Add([]byte(infoClosed), []byte(stateClosed))
	f.Fuzz(func(t *testing.T, info, state []byte) {
		parsed, ok := parseTransportInfo(info)
		values := []Number{parsed.pending, parsed.backlog, parsed.maxSlots, parsed.sourcePort, parsed.port}
		checkNumbers(t, values)
		if got := len(known(values)) > 0; got != ok && got {
			t.Errorf("values %v, ok %t", values, ok)
		}
		if _, ok := parseTransportState(state); ok && !bytes.Contains(state, []byte("state=")) {
			t.Errorf("%q passes for a state", state)
		}
	})
}

func FuzzParseModuleOption(f *testing.F) {
	f.Add([]byte("options nfs max_session_slots=180\n"))
	f.Add([]byte("options nfs \\\nmax_session_slots=\"180\" # x\noptions nfs max_session_slots"))
	f.Fuzz(func(t *testing.T, data []byte) {
		value, ok := parseModuleOption(data, "nfs", "max_session_slots", noSkip)
		if value > Absent || value.Known() && !ok {
			t.Errorf("value %d, ok %t", uint64(value), ok)
		}
	})
}

// FuzzCollect runs the whole collector: whatever the files say, label values are UTF-8, values are finite and not
// negative, and no series comes twice.
func FuzzCollect(f *testing.F) {
	f.Add(statsOf("h:/a", "/mnt/a", 3)+statsOf("h:/a", "/mnt/a", 4), "", "x", "y")
	f.Add(statsOf("h:/\xff", "/mnt/a#2", 3), infoOf("0:50", "h:/\xff", "/mnt/a#2"), infoUp(1, 2, 3, 4, 2049), stateUp)
	f.Fuzz(func(t *testing.T, stats, info, xprtInfo, xprtState string) {
		root := hostWith(map[string]string{"proc/self/mountstats": stats, "proc/self/mountinfo": info})
		directory := switchesPath + "/switch-0/xprt-0-tcp/"
		for name, text := range map[string]string{"dstaddr": "192.0.2.1\n", "xprt_info": xprtInfo, "xprt_state": xprtState} {
			root.Sysfs.(fstest.MapFS)[directory+name] = &fstest.MapFile{Data: []byte(text)}
		}
		r := &recorder{}
		err := New(root).Collect(t.Context(), r)
		if !strings.Contains(stats, "device ") {
			if err == nil {
				t.Fatalf("%q, which no kernel wrote, is read without an error", stats)
			}
			return
		}
		if err != nil && !errors.Is(err, collectors.ErrNoData) {
			t.Fatal(err)
		}
		series := make(map[string]bool)
		for _, sample := range r.samples {
			name := seriesName(sample)
			if series[name] || math.IsNaN(sample.Value) || math.IsInf(sample.Value, 0) || sample.Value < 0 {
				t.Errorf("%s %v, twice: %t", name, sample.Value, series[name])
			}
			series[name] = true
			for _, label := range sample.Labels {
				if !utf8.ValidString(label) {
					t.Errorf("label %q", label)
				}
			}
		}
	})
}
