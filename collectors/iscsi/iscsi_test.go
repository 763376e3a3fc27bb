package iscsi

import (
	"errors"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

const client = capturetest.Host

func value(t *testing.T, sink *capturetest.Sink, family *schema.Family, more ...string) float64 {
	t.Helper()
	labels := append([]string{client, address, iqn, "iscsi", ""}, more...)
	got, ok := sink.Value(family, labels...)
	if !ok {
		t.Errorf("%s%q is missing:\n%s", family.Name, labels, sink.Text())
	}
	return got
}

func TestEntry(t *testing.T) {
	entry := Entry()
	if entry.Name != "iscsi" || !entry.Default || entry.Interval != schema.HostGrain || entry.Help == "" {
		t.Errorf("entry %+v", entry)
	}
	if c, err := entry.New(newHost().root(), collectors.Settings{}); err != nil || c == nil {
		t.Errorf("collector %v, error %v", c, err)
	}
}

func TestHostWithoutSessions(t *testing.T) {
	empty := newHost()
	unloaded := newHost()
	empty.sysfs["class/iscsi_session"] = &fstest.MapFile{Mode: 0o555 | 1<<31}
	for name, h := range map[string]*host{"no initiator": unloaded, "no session": empty} {
		if err := New(h.root()).Collect(t.Context(), &capturetest.Sink{}); !errors.Is(err, collectors.ErrNoData) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// One target over two sessions: each value in its unit.
func TestCollect(t *testing.T) {
	h := newHost()
	h.session(3, iqn, address)
	h.session(4, iqn, address)
	h.disk(3, "sdb", "8:16", "10 1 200 3000 20 2 400 5000 3 70 8000 30 3 600 9000 40 11000")
	h.disk(4, "sdc", "8:32", "1 0 2 3 4 0 6 7 1 0 11 12 0 14 15 16 17")
	sink := run(t, New(h.root()))
	want := `nasight_iscsi_disconnected_sessions{host="client",server="192.0.2.10",export="iqn.2010-01.com.example:vol-1",protocol="iscsi",device=""} 0
nasight_iscsi_mount_info{host="client",server="192.0.2.10",export="iqn.2010-01.com.example:vol-1",protocol="iscsi",device="",server_name="192.0.2.10",version="",transport="",mountpoints="",security="",disks="sdb sdc",multipath="",options=""} 1
nasight_iscsi_operations_total{host="client",server="192.0.2.10",export="iqn.2010-01.com.example:vol-1",protocol="iscsi",device="",class="commit"} 56
nasight_iscsi_operations_total{host="client",server="192.0.2.10",export="iqn.2010-01.com.example:vol-1",protocol="iscsi",device="",class="other"} 42
nasight_iscsi_operations_total{host="client",server="192.0.2.10",export="iqn.2010-01.com.example:vol-1",protocol="iscsi",device="",class="read"} 11
nasight_iscsi_operations_total{host="client",server="192.0.2.10",export="iqn.2010-01.com.example:vol-1",protocol="iscsi",device="",class="write"} 24
nasight_iscsi_outstanding_seconds_total{host="client",server="192.0.2.10",export="iqn.2010-01.com.example:vol-1",protocol="iscsi",device=""} 8.011
nasight_iscsi_pending_requests{host="client",server="192.0.2.10",export="iqn.2010-01.com.example:vol-1",protocol="iscsi",device=""} 4
nasight_iscsi_read_bytes_total{host="client",server="192.0.2.10",export="iqn.2010-01.com.example:vol-1",protocol="iscsi",device=""} 103424
nasight_iscsi_rtt_seconds_total{host="client",server="192.0.2.10",export="iqn.2010-01.com.example:vol-1",protocol="iscsi",device="",class="commit"} 11.017
nasight_iscsi_rtt_seconds_total{host="client",server="192.0.2.10",export="iqn.2010-01.com.example:vol-1",protocol="iscsi",device="",class="other"} 9.015
nasight_iscsi_rtt_seconds_total{host="client",server="192.0.2.10",export="iqn.2010-01.com.example:vol-1",protocol="iscsi",device="",class="read"} 3.003
nasight_iscsi_rtt_seconds_total{host="client",server="192.0.2.10",export="iqn.2010-01.com.example:vol-1",protocol="iscsi",device="",class="write"} 5.007
nasight_iscsi_session_disk_bytes_total{host="client",server="192.0.2.10",export="iqn.2010-01.com.example:vol-1",protocol="iscsi",device="",session="session3"} 307200
nasight_iscsi_session_disk_bytes_total{host="client",server="192.0.2.10",export="iqn.2010-01.com.example:vol-1",protocol="iscsi",device="",session="session4"} 4096
nasight_iscsi_sessions{host="client",server="192.0.2.10",export="iqn.2010-01.com.example:vol-1",protocol="iscsi",device=""} 2
nasight_iscsi_write_bytes_total{host="client",server="192.0.2.10",export="iqn.2010-01.com.example:vol-1",protocol="iscsi",device=""} 207872
`
	if got := sink.Text(); got != want {
		t.Errorf("samples:\n%swant:\n%s", got, want)
	}
}

// Linux before 4.18 shows neither discards nor flushes: they are absent, not zero.
func TestOldKernel(t *testing.T) {
	h := newHost()
	h.session(1, iqn, address)
	h.disk(1, "sda", "8:0", "1 0 2 3 4 0 6 7 0 0 11")
	sink := run(t, New(h.root()))
	if sink.Series(schema.ISCSIOperations) != 2 || sink.Series(schema.ISCSIRTT) != 2 || len(sink.Skips) > 0 {
		t.Errorf("samples:\n%s", sink.Text())
	}
}

func TestSessionWithoutDisksIsListed(t *testing.T) {
	h := newHost()
	h.session(1, iqn, address)
	h.proc(diskstats, "   8       0 sda 3 0 24 0 0 0 0 0 0 0 0\n")
	sink := run(t, New(h.root()))
	if value(t, sink, schema.ISCSISessions) != 1 || sink.Series(schema.ISCSIReadBytes)+sink.Series(schema.ISCSIPending) > 0 {
		t.Errorf("samples:\n%s", sink.Text())
	}
}

func TestStates(t *testing.T) {
	h := newHost()
	for i, state := range []string{"LOGGED_IN", "FAILED", "FREE", "SLEEPING", "", "logged_in"} {
		h.session(i+1, iqn, address)
		h.state(i+1, state+"\n")
	}
	h.proc(diskstats, "8 0 sda 3 0 24 0 0 0 0 0 0 0 0\n")
	sink := run(t, New(h.root()))
	if down := value(t, sink, schema.ISCSISessionsDown); down != 4 || sink.Series(schema.ISCSISessions) != 0 {
		t.Errorf("%v down, want 4; how many are up is not known:\n%s", down, sink.Text())
	}
	if sink.Skips["odd_session_state"] != 3 {
		t.Errorf("skips %v", sink.Skips)
	}
	h.state(5, "LOGGED_IN\n")
	sink = run(t, New(h.root()))
	if up, down := value(t, sink, schema.ISCSISessions), value(t, sink, schema.ISCSISessionsDown); up != 2 || down != 4 {
		t.Errorf("%v up, %v down; want 2 and 4", up, down)
	}
}

// A kernel that tells no state tells neither that sessions are up nor that none is.
func TestStatesThatAreNotTold(t *testing.T) {
	for _, text := range []string{"", "\n", "(null)\n"} {
		h := newHost()
		h.session(1, iqn, address)
		h.session(2, iqn, address)
		h.state(2, text)
		h.proc(diskstats, "8 0 sda 3 0 24 0 0 0 0 0 0 0 0\n")
		sink := run(t, New(h.root()))
		if sink.Series(schema.ISCSISessions)+sink.Series(schema.ISCSISessionsDown) != 0 || sink.Series(schema.ISCSIMountInfo) != 1 {
			t.Errorf("%q:\n%s", text, sink.Text())
		}
	}
}

// The kernel writes IPv6 addresses in full and cannot tell that of a connection that is down.
func TestPortals(t *testing.T) {
	tests := map[string]struct{ inUse, configured, want, name string }{
		"IPv4":       {"192.0.2.10", "192.0.2.10", "192.0.2.10", "192.0.2.10"},
		"IPv6":       {"2001:0db8:0000:0000:0000:0000:0000:0010", "[2001:db8::10]", "2001:db8::10", "2001:db8::10"},
		"mapped":     {"::ffff:192.0.2.10", "192.0.2.10", "192.0.2.10", "192.0.2.10"},
		"redirected": {"192.0.2.11", "192.0.2.10", "192.0.2.11", "192.0.2.10"},
		"by name":    {"192.0.2.11", "storage.example.com", "192.0.2.11", "storage.example.com"},
		"down":       {"", "192.0.2.10", "192.0.2.10", "192.0.2.10"},
		"null":       {"(null)", "192.0.2.10", "192.0.2.10", "192.0.2.10"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			h := newHost()
			h.session(1, iqn, "")
			h.connection(1, test.inUse, test.configured)
			h.proc(diskstats, "8 0 sda 3 0 24 0 0 0 0 0 0 0 0\n")
			sink := run(t, New(h.root()))
			if _, ok := sink.Value(schema.ISCSISessions, client, test.want, iqn, "iscsi", ""); !ok {
				t.Errorf("server is not %s:\n%s", test.want, sink.Text())
			}
			if _, ok := sink.Value(schema.ISCSIMountInfo, client, test.want, iqn, "iscsi", "", test.name, "", "", "", "", "", "", ""); !ok {
				t.Errorf("server_name is not %s:\n%s", test.name, sink.Text())
			}
		})
	}
}

// A login may have been redirected: the series keep their server while the connection is down.
func TestPortalIsKeptWhileDown(t *testing.T) {
	h := newHost()
	h.session(1, iqn, "")
	h.connection(1, address, "192.0.2.1")
	h.proc(diskstats, "8 0 sda 3 0 24 0 0 0 0 0 0 0 0\n")
	c := New(h.root())
	run(t, c)
	h.state(1, "FAILED")
	h.remove("class/iscsi_connection/connection1:0")
	if sink := run(t, c); value(t, sink, schema.ISCSISessionsDown) != 1 {
		t.Errorf("samples:\n%s", sink.Text())
	}
}

func TestSessionsThatMakeNoSense(t *testing.T) {
	h := newHost()
	h.session(1, iqn, address)
	h.session(2, "", address)  // no target
	h.session(3, iqn, "")      // no portal
	h.session(4, iqn, address) // going away
	h.remove("devices/platform/host4/session4/iscsi_session/session4/state")
	h.link("class/iscsi_session/session5", "../../devices/gone/session5/iscsi_session/session5")
	h.link("class/iscsi_session/session6", "../../../../../outside")
	for _, name := range []string{"session", "sessionx", "session01", "session-1", "power", "session99999999999"} {
		h.sys("class/iscsi_session/"+name+"/state", loggedIn)
	}
	h.sys("class/iscsi_connection/connectionx/address", address)
	h.proc(diskstats, "8 0 sda 3 0 24 0 0 0 0 0 0 0 0\n")
	sink := run(t, New(h.root()))
	if value(t, sink, schema.ISCSISessions) != 1 || sink.Series(schema.ISCSISessions) != 1 {
		t.Errorf("samples:\n%s", sink.Text())
	}
	want := map[string]int{"session_gone": 4, "session_without_portal": 1, "odd_session_name": 6, "odd_connection_name": 1}
	if got := fmt.Sprint(sink.Skips); got != fmt.Sprint(want) {
		t.Errorf("skipped %s, want %v", got, want)
	}
}

func TestHundredSessionsAndDuplicatePortals(t *testing.T) {
	h := newHost()
	for i := range 100 {
		h.session(i+1, iqn, address)
		h.disk(i+1, fmt.Sprintf("sd%c%c", 'a'+i/26, 'a'+i%26), fmt.Sprintf("8:%d", i), stat(1, 2, 3, 4))
	}
	h.session(200, iqn, "192.0.2.20") // the same target at another portal, and another target at the first
	h.session(201, iqn+"-b", address)
	sink := run(t, New(h.root()))
	if value(t, sink, schema.ISCSISessions) != 100 || sink.Series(schema.ISCSISessions) != 3 {
		t.Errorf("samples:\n%s", sink.Text())
	}
	if value(t, sink, schema.ISCSIReadBytes) != 100*1024 || sink.Series(schema.ISCSISessionBytes) != 100 || len(sink.Skips) > 0 {
		t.Errorf("bytes %v, %d session series, skips %v", value(t, sink, schema.ISCSIReadBytes), sink.Series(schema.ISCSISessionBytes), sink.Skips)
	}
}

func TestSourcesThatCannotBeRead(t *testing.T) {
	whole := func() *host {
		h := newHost()
		h.session(1, iqn, address)
		h.session(2, iqn, address)
		h.disk(1, "sda", "8:0", stat(1, 2, 3, 4))
		h.proc(mountinfo, "24 1 8:0 / /data rw - xfs /dev/sda rw\n")
		return h
	}
	tests := map[string]struct {
		refuse                string
		info, sessions, bytes int
	}{
		"diskstats":            {diskstats, 1, 1, 0},
		"mountinfo":            {mountinfo, 0, 1, 1},
		"one session":          {"class/iscsi_session/session2/state", 1, 1, 1},
		"the list of sessions": {"class/iscsi_session", 0, 0, 0},
		"nothing else than a connection's address": {"class/iscsi_connection/connection2:0/address", 1, 1, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			root := whole().root()
			refuse := func(asked string) bool { return asked == test.refuse }
			root.Procfs, root.Sysfs = refusing{root.Procfs, refuse}, refusing{root.Sysfs, refuse}
			sink := &capturetest.Sink{}
			err := New(root).Collect(t.Context(), sink)
			if isError := name[:7] != "nothing"; errors.Is(err, errRefused) != isError {
				t.Errorf("error %v", err)
			}
			sink.Check(t)
			got := [...]int{sink.Series(schema.ISCSIMountInfo), sink.Series(schema.ISCSISessions), sink.Series(schema.ISCSIReadBytes)}
			if got != [...]int{test.info, test.sessions, test.bytes} {
				t.Errorf("%v series of info, sessions, bytes:\n%s", got, sink.Text())
			}
		})
	}
}

func TestEmptyOrMissingStatistics(t *testing.T) {
	for _, text := range []string{"", " \n"} {
		h := newHost()
		h.session(1, iqn, address)
		h.proc(diskstats, text)
		sink := &capturetest.Sink{}
		if err := New(h.root()).Collect(t.Context(), sink); err == nil || sink.Series(schema.ISCSISessions) != 1 {
			t.Errorf("%q: error %v, samples:\n%s", text, err, sink.Text())
		}
	}
	h := newHost()
	h.session(1, iqn, address)
	if err := New(h.root()).Collect(t.Context(), &capturetest.Sink{}); collectors.ReasonOf(err) != collectors.ReasonNotFound {
		t.Errorf("no file: error %v", err)
	}
}
