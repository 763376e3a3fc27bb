package host

import (
	"cmp"
	"fmt"
	"strconv"
)

const (
	defaultSlotTable    = 65536
	defaultSessionSlots = 64
	minSlots            = 2
)

// nfsSettings adds the settings of the RPC layer and of the NFS client. One that is not the default was set by the
// operator, where it lasts.
func (m *Machine) nfsSettings(t *tree) {
	t.lines("proc/sys/sunrpc", map[string]string{
		"tcp_max_slot_table_entries": strconv.Itoa(m.slotTable()), "tcp_slot_table_entries": strconv.Itoa(minSlots),
		"udp_slot_table_entries": "16", "min_resvport": "665", "max_resvport": "1023", "tcp_fin_timeout": "15",
		"transports": "tcp 1048576\nudp 32768",
	})
	slots := strconv.Itoa(cmp.Or(m.SessionSlots, defaultSessionSlots))
	t.lines("sys/module/nfs/parameters", map[string]string{
		"max_session_slots": slots, "max_session_cb_slots": "16", "enable_ino64": "Y", "nfs4_disable_idmapping": "Y",
		"nfs_access_max_cachesize": "4194304",
	})
	if m.SessionSlots != 0 {
		t.line(moduleDir+"/nfs.conf", "options nfs max_session_slots="+slots)
	}
}

func (m *Machine) slotTable() int { return cmp.Or(m.SlotTable, defaultSlotTable) }

// The directory of the RPC layer, and a switch as seen from a client in it.
const (
	sunrpcDir  = "sys/kernel/sunrpc/"
	fromClient = "../../xprt-switches/"
)

// sunrpc adds the switches, each with the transports of one server, and the clients that use them.
func (m *Machine) sunrpc(t *tree) {
	transports, clients := 0, 0
	for i := range m.NFS {
		server := &m.NFS[i]
		name := "switch-" + strconv.Itoa(i)
		dir := sunrpcDir + "xprt-switches/" + name
		queued := 0
		for j := range server.Transports {
			x := &server.Transports[j]
			m.transport(t, fmt.Sprintf("%s/xprt-%d-tcp", dir, transports), server, x, j == 0)
			transports++
			queued += x.queued()
		}
		count := len(server.Transports)
		t.line(dir+"/xprt_switch_info", fmt.Sprintf("num_xprts=%d\nnum_active=%d\nnum_unique_destaddr=1\nqueue_len=%d", count, count, queued))
		for range max(len(server.Mounts), 1) {
			t.link(fmt.Sprintf("%srpc-clients/clnt-%d/switch", sunrpcDir, clients), fromClient+name)
			clients++
		}
	}
}

// queued are the requests on their way through a transport.
func (x *NFSTransport) queued() int { return x.Pending + x.Sending + x.Backlog }

// transport adds one transport. Of one that is down only the state and the server's address are left.
func (m *Machine) transport(t *tree, dir string, server *NFSServer, x *NFSTransport, isMain bool) {
	t.line(dir+"/dstaddr", server.Address.String())
	if x.Closed {
		t.line(dir+"/srcaddr", "<closed>")
		t.line(dir+"/xprt_info", "<closed>")
		t.line(dir+"/xprt_state", "state=  CONNECTING  BOUND       ")
		return
	}
	t.line(dir+"/srcaddr", x.Local.Addr().String())
	t.line(dir+"/xprt_state", "state= CONNECTED   BOUND       ")
	t.file(dir+"/xprt_info", m.transportInfo(x, isMain))
}

func (m *Machine) transportInfo(x *NFSTransport, isMain bool) []byte {
	first := 0
	if isMain {
		first = 1
	}
	out := append(make([]byte, 0, 256), "last_used="...)
	out = append(strconv.AppendInt(out, m.jiffies(x.Idle), 10), '\n')
	for _, row := range []struct {
		name  string
		value int
	}{
		{"cur_cong", 0}, {"cong_win", 256},
		{"max_num_slots", m.slotTable()}, {"min_num_slots", minSlots}, {"num_reqs", max(x.Pending+x.Sending, minSlots)},
		{"binding_q_len", 0}, {"sending_q_len", x.Sending}, {"pending_q_len", x.Pending}, {"backlog_q_len", x.Backlog},
		{"main_xprt", first}, {"src_port", int(x.Local.Port())}, {"tasks_queuelen", x.queued()}, {"dst_port", int(x.Remote.Port())},
	} {
		out = append(append(out, row.name...), '=')
		out = append(strconv.AppendInt(out, int64(row.value), 10), '\n')
	}
	return out
}

// jiffies is the kernel's clock as it stood so many seconds ago: 250 ticks a second, from five minutes before the first
// four bytes of it are full.
func (m *Machine) jiffies(ago float64) int64 {
	const perSecond = 250
	const first = 1<<32 - 300*perSecond
	return first + int64((m.Now.Sub(m.Boot).Seconds()-ago)*perSecond)
}
