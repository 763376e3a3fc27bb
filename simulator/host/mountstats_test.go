package host

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/nfs"
)

// Every field of mountstats has its place, those that no collector uses included.
func TestMountstatsFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMachine(t)
		data, err := collectors.Read(m.Root().Procfs, "self/mountstats")
		if err != nil {
			t.Fatal(err)
		}
		var mounts []nfsPair
		for i := range m.NFS {
			for j := range m.NFS[i].Mounts {
				mounts = append(mounts, nfsPair{&m.NFS[i], &m.NFS[i].Mounts[j]})
			}
		}
		odd := func(reason string, count int) { t.Errorf("%d odd: %s", count, reason) }
		for stanza := range nfs.ParseMountstats(data, odd) {
			if len(mounts) == 0 {
				t.Fatalf("a mount too many: %s", stanza.MountPoint)
			}
			mounts[0].check(t, stanza)
			mounts = mounts[1:]
		}
		if len(mounts) > 0 {
			t.Errorf("%d mounts are missing", len(mounts))
		}
	})
}

type nfsPair struct {
	server *NFSServer
	mount  *NFSMount
}

func (p nfsPair) check(t *rapid.T, stanza *nfs.Stanza) {
	t.Helper()
	n := func(count float64) nfs.Number { return nfs.Number(whole(count)) }
	for i, x := range p.server.Transports {
		port, binds := nfs.Number(0), nfs.Number(0)
		if !x.Closed && (p.server.Version == "3" || p.server.Version == "4.0") {
			port = nfs.Number(x.Local.Port())
		}
		if p.server.Version == "3" {
			binds = 1
		}
		want := stanza.Transports[i].Values
		want[nfs.SourcePort], want[nfs.Binds], want[nfs.Connects], want[nfs.ConnectTime] = port, binds, nfs.Number(x.Connects), 0
		want[nfs.IdleTime], want[nfs.Sends], want[nfs.Receives], want[nfs.BadXIDs] = n(x.Idle), n(x.Sends), n(x.Receives), n(x.BadXIDs)
		want[nfs.InFlightSum], want[nfs.BacklogSum], want[nfs.MaxSlots] = n(x.InFlightSum), n(x.BacklogSum), nfs.Number(x.MaxSlots)
		want[nfs.SendingSum], want[nfs.PendingSum] = n(x.SendingSum), n(x.InFlightSum)-min(n(x.Sends), n(x.InFlightSum))
		if diff := cmp.Diff(want, stanza.Transports[i].Values); diff != "" {
			t.Errorf("transport %d (-want +got):\n%s", i, diff)
		}
	}
	for _, line := range stanza.Operations {
		o := p.mount.Operations[string(line.Name)]
		want := line.Values
		want[nfs.Operations], want[nfs.Transmissions], want[nfs.MajorTimeouts] = n(o.Count), n(o.Transmissions), n(o.Timeouts)
		want[nfs.BytesSent], want[nfs.BytesReceived], want[nfs.Errors] = n(o.SentBytes), n(o.ReceivedBytes), n(o.Errors)
		want[nfs.QueueMillis], want[nfs.RTTMillis], want[nfs.ExecuteMillis] = n(o.Queue*1000), n(o.RTT*1000), n(o.Execute*1000)
		if diff := cmp.Diff(want, line.Values); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line.Name, diff)
		}
	}
}

// An operation that the version does not have is told all the same.
func TestOperationsOfOtherVersions(t *testing.T) {
	mount := NFSMount{Operations: map[string]NFSOperation{"ZERO_RANGE": {Count: 4}, "OPEN": {Count: 3}, "READ": {Count: 2}}}
	server := NFSServer{Version: "3"}
	lines := string(server.appendOperations(nil, &mount))
	const want = "\t      COMMIT: 0 0 0 0 0 0 0 0 0\n\t        OPEN: 3 0 0 0 0 0 0 0 0\n\t  ZERO_RANGE: 4 0 0 0 0 0 0 0 0\n\n"
	if got := lines[max(len(lines)-len(want), 0):]; got != want {
		t.Errorf("the last lines are\n%swant\n%s", got, want)
	}
}

func TestTransportInfo(t *testing.T) {
	m := plain()
	x := &m.NFS[0].Transports[1]
	x.Pending, x.Sending, x.Backlog, x.Idle = 9, 3, 2, 100
	const want = `last_used=4295792296
cur_cong=0
cong_win=256
max_num_slots=65536
min_num_slots=2
num_reqs=12
binding_q_len=0
sending_q_len=3
pending_q_len=9
backlog_q_len=2
main_xprt=0
src_port=701
tasks_queuelen=14
dst_port=2049
`
	root := m.Root() // 3,700 s after the boot
	data, err := collectors.Read(root.Sysfs, "kernel/sunrpc/rpc-clients/clnt-0/switch/xprt-1-tcp/xprt_info")
	if diff := cmp.Diff(want, string(data)); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	data, err = collectors.Read(root.Sysfs, "kernel/sunrpc/xprt-switches/switch-0/xprt_switch_info")
	if want := "num_xprts=4\nnum_active=4\nnum_unique_destaddr=1\nqueue_len=14\n"; string(data) != want || err != nil {
		t.Errorf("the switch is %q, error %v", data, err)
	}
}
