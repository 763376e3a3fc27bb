package iscsi

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/collectors/internal/capturetest"
)

func FuzzStatistics(f *testing.F) {
	f.Add([]byte("   8      16 sdb 1673 0 213784 483742 0 0 0 0 0 49220 483742 0 0 0 0 0 0\n"))
	f.Add([]byte("8 0 sda 1 2 3\n8 0 sda 1 0 2 3 4 0 6 7 4294967295 0 11\n8 1 sdb -1 x 99999999999999999999 3 4 0 6 7 0 0 11 12 13 14"))
	f.Fuzz(func(t *testing.T, data []byte) {
		skipped, skip := counts()
		found := parseStatistics(data, skip)
		total := len(found)
		for _, count := range skipped {
			total += count
		}
		if total > len(data) {
			t.Errorf("%d lines and oddities in %d bytes", total, len(data))
		}
		for name, s := range found {
			for c, n := range s.counters {
				if !n.known && n.value != 0 || n.value >= 1<<63 {
					t.Errorf("%s: counter %d is %+v", name, c, n)
				}
			}
		}
	})
}

func FuzzMounts(f *testing.F) {
	f.Add([]byte("40 24 253:2 / /data rw,relatime shared:5 - xfs /dev/mapper/vg-data rw\n24 1 0:1 / / rw - tmpfs"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, m := range parseMounts(data, func(string, int) {}) {
			if m.number == "" || m.point == "" || !strings.HasPrefix(m.source, "/dev/") || strings.ContainsAny(m.point, " \n") {
				t.Errorf("mount %+v", m)
			}
		}
	})
}

// FuzzSession has what the files of a session may hold end in samples that keep the rules, or in a count.
func FuzzSession(f *testing.F) {
	f.Add("session1", iqn, loggedIn, address, "2001:db8::1", "8 0 sda 1 0 2 3 4 0 6 7 0 0 11\n", "8:0", "mpath-1")
	f.Add("session2", "\xff", "(null)", "(null)", "host name", "8 0 sda", "x", "")
	f.Fuzz(func(t *testing.T, name, target, state, address, configured, stats, number, uuid string) {
		h := newHost()
		if !strings.ContainsAny(name, "/\x00") && name != "" && name != "." && name != ".." {
			h.sys("class/iscsi_session/"+name+"/targetname", target)
			h.sys("class/iscsi_session/"+name+"/state", state)
			h.sys("class/iscsi_session/"+name+"/device/target1:0:0/1:0:0:1/block/sda/dev", number)
		}
		h.sys("class/iscsi_connection/connection1:0/address", address)
		h.sys("class/iscsi_connection/connection1:0/persistent_address", configured)
		h.sys("class/iscsi_session/session1/device/target1:0:0/1:0:0:1/block/sda/holders/dm-0/x", "")
		h.sys("block/dm-0/dm/uuid", uuid)
		h.sys("block/dm-0/dm/name", target)
		h.proc(diskstats, stats)
		sink := &capturetest.Sink{}
		_ = New(h.root()).Collect(t.Context(), sink)
		sink.Check(t)
	})
}

// What is written in the kernel's form is read as it was meant.
func TestStatisticsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Uint64Range(0, mostInFlight), leastColumns, 25).Draw(t, "values")
		line := fmt.Sprintf("%4d %7d sdx %s\n", 8, 0, strings.Trim(fmt.Sprint(values), "[]"))
		skipped, skip := counts()
		s := parseStatistics([]byte(line), skip)["sdx"]
		if s == nil || len(skipped) > 0 {
			t.Fatalf("%v, skipped %v", s, skipped)
		}
		for c, column := range columns {
			want := number{}
			if column < len(values) {
				want = number{values[column], true}
			}
			if s.counters[c] != want {
				t.Fatalf("counter %d is %+v, want %+v", c, s.counters[c], want)
			}
		}
	})
}

func TestDiskstatsLinesThatMakeNoSense(t *testing.T) {
	skipped, skip := counts()
	found := parseStatistics([]byte(strings.Join([]string{
		"   8       0 sda 1 0 2 3 4 0 6 7 8 0 11",
		"   8       0 sda 2 0 2 3 4 0 6 7 8 0 11", // again
		"   8       1 sda1 4 5 6 7",               // the short form of old kernels
		"",
		"   8      16 sdb 1 0 2 -3 4 0 6 7 4294967295 0 18446744073709551615 12",
		"   8      32 sdc 1 0 2 3 4 0 6 7 8 0 1", // cut
	}, "\n")), skip)
	if len(found) != 2 || found["sda"].counters[readsDone].value != 1 {
		t.Errorf("disks %v", found)
	}
	b := found["sdb"]
	if b.counters[readMillis].known || b.inFlight.known || b.counters[weightedMillis].known || !b.counters[discardsDone].known || b.counters[flushesDone].known {
		t.Errorf("sdb %+v", b)
	}
	if skipped["odd_diskstats_line"] != 2 || skipped["odd_diskstats_number"] != 3 || skipped["diskstats_cut"] != 1 {
		t.Errorf("skipped %v", skipped)
	}
}
