package iscsi

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/schema"
)

// moment is a host with some disks, each of a session of its own; "-" is one that diskstats lacks.
func moment(disks map[int]string) *host {
	h := newHost()
	h.proc("loadavg", "")
	for session, counters := range disks {
		h.session(session, iqn, address)
		h.disk(session, "sd"+string(rune('a'+session)), "8:0", counters)
		if counters == "-" {
			h.disks = h.disks[:len(h.disks)-1]
		}
	}
	h.disks = append(h.disks, "8 0 vda 1 0 1 1 1 0 1 1 1 1 1")
	return h
}

// A rate takes any fall for a reset and adds what is left once more, so the sum over disks must not fall with one of them.
func TestSumsOverDisksThatComeAndGo(t *testing.T) {
	const absent = -1
	tests := map[string]struct {
		first, second map[int]string
		want          float64 // sectors read
		skipped       string
	}{
		"both go on":          {map[int]string{1: stat(5, 100, 0, 0), 2: stat(5, 1000, 0, 0)}, map[int]string{1: stat(6, 110, 0, 0), 2: stat(7, 1020, 0, 0)}, 1130, ""},
		"session gone":        {map[int]string{1: stat(5, 100, 0, 0), 2: stat(5, 1000, 0, 0)}, map[int]string{1: stat(6, 110, 0, 0)}, 1110, ""},
		"session came":        {map[int]string{1: stat(5, 100, 0, 0)}, map[int]string{1: stat(6, 110, 0, 0), 2: stat(5, 7, 0, 0)}, 117, ""},
		"logged in anew":      {map[int]string{1: stat(5, 100, 0, 0), 2: stat(5, 1000, 0, 0)}, map[int]string{1: stat(5, 100, 0, 0), 3: stat(1, 3, 0, 0)}, 1103, ""},
		"counters went back":  {map[int]string{1: stat(5, 100, 0, 0), 2: stat(5, 1000, 0, 0)}, map[int]string{1: stat(5, 100, 0, 0), 2: stat(1, 8, 0, 0)}, 1108, ""},
		"out of diskstats":    {map[int]string{1: stat(5, 100, 0, 0), 2: stat(5, 1000, 0, 0)}, map[int]string{1: stat(6, 110, 0, 0), 2: "-"}, absent, "disk_without_statistics"},
		"late in diskstats":   {map[int]string{1: stat(5, 100, 0, 0), 2: "-"}, map[int]string{1: stat(6, 110, 0, 0), 2: stat(5, 1000, 0, 0)}, 110, "disk_without_statistics"},
		"nothing is done now": {map[int]string{1: stat(5, 100, 0, 0)}, map[int]string{1: stat(5, 100, 0, 0)}, 100, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := New(moment(test.first).root())
			skips := run(t, c).Skips
			sink := run(t, c.on(moment(test.second).root()))
			if test.want == absent {
				if n := sink.Series(schema.ISCSIReadBytes) + sink.Series(schema.ISCSIOperations) + sink.Series(schema.ISCSIPending); n > 0 {
					t.Errorf("%d series of a target of which a disk was not read", n)
				}
			} else if got := value(t, sink, schema.ISCSIReadBytes) / sectorBytes; got != test.want {
				t.Errorf("%v sectors, want %v", got, test.want)
			}
			if test.skipped != "" && skips[test.skipped]+sink.Skips[test.skipped] != 1 {
				t.Errorf("skips %v and %v", skips, sink.Skips)
			}
		})
	}
}

// What was out of sight for one run is no new disk.
func TestDiskThatIsMissedOnce(t *testing.T) {
	both := map[int]string{1: stat(5, 100, 0, 0), 2: stat(5, 1000, 0, 0)}
	c := New(moment(both).root())
	run(t, c)
	run(t, c.on(moment(map[int]string{1: both[1]}).root()))
	sink := run(t, c.on(moment(map[int]string{1: both[1], 2: stat(6, 1005, 0, 0)}).root()))
	if got := value(t, sink, schema.ISCSIReadBytes) / sectorBytes; got != 1105 {
		t.Errorf("%v sectors, want 1105", got)
	}
}

// The kernel shows times in 32 bits. They wrap alone; a disk that starts anew has all of its counters fall.
func TestTimesWrap(t *testing.T) {
	const almost = math.MaxUint32 - 99
	c := New(moment(map[int]string{1: stat(5, 100, almost, almost), 2: stat(5, 100, 7000, 9000)}).root())
	run(t, c)
	sink := run(t, c.on(moment(map[int]string{1: stat(6, 101, 900, 1900), 2: stat(5, 100, 6990, 9000)}).root()))
	if got, want := value(t, sink, schema.ISCSIRTT, "read"), (almost+7000+1000)/1e3; got != want {
		t.Errorf("time %v, want %v: a wrap counts on, a small step back counts nothing", got, want)
	}
	if got, want := value(t, sink, schema.ISCSIOutstanding), (almost+9000+2000)/1e3; got != want {
		t.Errorf("outstanding %v, want %v", got, want)
	}
}

func TestSumsNeverFall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s sums
		before := map[counter]float64{}
		for range rapid.IntRange(1, 12).Draw(t, "moments") {
			now := map[string]*statistics{}
			sessions := make([]session, 0, 4)
			for number := range rapid.SliceOfNDistinct(rapid.IntRange(0, 3), 0, 4, rapid.ID[int]).Draw(t, "sessions") {
				name := string(rune('a' + number))
				sessions = append(sessions, session{name: name, target: iqn, portal: portal{inUse: address}, disks: []disk{{name: name}}})
				if one := (&statistics{}); rapid.Bool().Draw(t, "seen") {
					for c := range one.counters {
						one.counters[c] = number_(rapid.Uint64Range(0, 1<<40).Draw(t, "value"), rapid.Bool().Draw(t, "known"))
					}
					now[name] = one
				}
			}
			targets := group(sessions)
			s.update(targets, now, func(string, int) {})
			for _, target := range targets {
				for c, value := range s.of(target.key()).values {
					if value < before[counter(c)] {
						t.Fatalf("counter %d fell from %v to %v", c, before[counter(c)], value)
					}
					before[counter(c)] = value
				}
			}
		}
	})
}

func number_(value uint64, known bool) number { return number{value, known} }

func TestMemoryOfTheGoneIsBounded(t *testing.T) {
	var s sums
	for i := range maxRemembered + 10 {
		name := string(rune(i))
		gone := session{name: name, target: name, portal: portal{inUse: address}, disks: []disk{{name: name}}}
		s.update(group([]session{gone}), map[string]*statistics{name: {}}, func(string, int) {})
	}
	if len(s.last) > maxRemembered || len(s.totals) > maxRemembered {
		t.Errorf("%d disks and %d sums are remembered", len(s.last), len(s.totals))
	}
}
