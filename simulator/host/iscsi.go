package host

import (
	"cmp"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// systemDisk is the disk that the host's own file system is on. What it did was done at the boot.
const systemDisk, systemMajor = "vda", 254

// iscsiFiles adds what the initiator shows of its sessions, and the block layer of the disks beneath them.
func (m *Machine) iscsiFiles(t *tree) {
	if len(m.ISCSI) == 0 {
		return
	}
	t.link("sys/class/iscsi_transport/tcp", "../../devices/virtual/iscsi_transport/tcp")
	t.line("sys/devices/virtual/iscsi_transport/tcp/caps", "0x39")
	statistics := (&work{reads: 1145, readSectors: 135906, readMillis: 9707, busy: 9496, weighted: 9707}).append(nil, systemMajor, 0, systemDisk)
	for i := range m.ISCSI {
		target := &m.ISCSI[i]
		for at := range target.Sessions {
			session := target.session(i, at)
			session.files(t)
			statistics = session.appendStatistics(statistics)
		}
		statistics = target.device(t, i, statistics)
	}
	t.file("proc/diskstats", statistics)
}

// iscsiSession is a session with the numbers that the kernel gives it.
type iscsiSession struct {
	*ISCSISession
	target *ISCSITarget
	number int // of the session; the SCSI host has the same
}

// mostSessions is how many numbers each target has room for, so that no session takes that of another when a target gets
// more of them.
const mostSessions = 32

func (t *ISCSITarget) session(target, at int) iscsiSession {
	return iscsiSession{&t.Sessions[at], t, target*mostSessions + at + 1}
}

// device is the session's directory in sysfs, below /sys.
func (s *iscsiSession) device() string {
	return fmt.Sprintf("devices/platform/host%d/session%d", s.number, s.number)
}

// files adds the session, its connection, its SCSI host and its disk.
func (s *iscsiSession) files(t *tree) {
	number := strconv.Itoa(s.number)
	host, session, connection := "host"+number, "session"+number, "connection"+number+":0"
	for class, device := range map[string]string{
		"iscsi_host/" + host:             "devices/platform/" + host + "/iscsi_host/" + host,
		"iscsi_session/" + session:       s.device() + "/iscsi_session/" + session,
		"iscsi_connection/" + connection: s.device() + "/" + connection + "/iscsi_connection/" + connection,
	} {
		t.link("sys/class/"+class, "../../"+device)
	}
	t.lines("sys/devices/platform/"+host+"/iscsi_host/"+host, map[string]string{
		"hwaddress": "(null)", "initiatorname": "(null)", "netdev": "(null)", "ipaddress": addressText(s.Local.Addr()),
	})
	t.lines("sys/devices/platform/"+host+"/scsi_host/"+host, map[string]string{
		"can_queue": "113", "cmd_per_lun": "32", "host_busy": strconv.Itoa(s.InFlight), "nr_hw_queues": "1", "proc_name": "iscsi_tcp",
		"sg_tablesize": "4096", "state": "running", "unique_id": number,
	})
	t.lines("sys/"+s.device()+"/iscsi_session/"+session, map[string]string{
		"targetname": s.target.Name, "state": s.choose("LOGGED_IN", "FAILED"), "initiatorname": "iqn.1993-08.org.debian:01:7612936ffb",
		"tpgt": "1", "erl": "0", "first_burst_len": "65536", "immediate_data": "1", "initial_r2t": "1", "max_burst_len": "262144",
		"max_outstanding_r2t": "1", "recovery_tmo": "120", "target_id": "0", "target_state": "SCANNED", "ifacename": "default",
	})
	s.connection(t, "sys/"+s.device()+"/"+connection+"/iscsi_connection/"+connection)
	if s.Disk != "" {
		s.disk(t)
	}
}

// choose is the word for a session that is up, or the one for a session that is down.
func (s *iscsiSession) choose(up, down string) string {
	if s.Closed {
		return down
	}
	return up
}

func (s *iscsiSession) connection(t *tree, dir string) {
	t.lines(dir, map[string]string{
		"state": s.choose("up", "failed"), "persistent_address": addressText(s.target.Portal.Addr()),
		"persistent_port": strconv.Itoa(int(s.target.Portal.Port())), "data_digest": "0", "header_digest": "0",
		"max_recv_dlength": "262144", "max_xmit_dlength": "262144", "ping_tmo": "5", "recv_tmo": "5",
	})
	if s.Closed {
		return // to ask for the address of a connection that is down is an error
	}
	remote := s.Remote
	if !remote.IsValid() {
		remote = s.target.Portal
	}
	t.lines(dir, map[string]string{
		"address": addressText(remote.Addr()), "port": strconv.Itoa(int(remote.Port())), "local_port": strconv.Itoa(int(s.Local.Port())),
	})
}

// addressText is an address as the kernel and the initiator write it: in full where it is of IPv6.
func addressText(address netip.Addr) string {
	if !address.IsValid() {
		return "(null)"
	}
	return address.StringExpanded()
}

// disk adds the logical unit and its disk.
func (s *iscsiSession) disk(t *tree) {
	unit := fmt.Sprintf("sys/%s/target%d:0:0/%d:0:0:1", s.device(), s.number, s.number)
	t.lines(unit, map[string]string{
		"queue_depth": strconv.Itoa(cmp.Or(s.QueueDepth, 32)), "state": s.choose("running", "transport-offline"), "type": "0",
		"vendor": "EXAMPLE ", "model": "VIRTUAL-DISK    ", "rev": "0001", "timeout": "30", "queue_type": "simple",
	})
	directory := unit + "/block/" + s.Disk
	major, minor := diskNumber(s.Disk)
	t.line(directory+"/dev", fmt.Sprintf("%d:%d", major, minor))
	t.line(directory+"/size", "4194304")
	t.line(directory+"/inflight", fmt.Sprintf("%8d %8d", s.InFlight, 0))
	t.lines(directory+"/queue", map[string]string{"max_sectors_kb": "1280", "nr_requests": "226", "scheduler": "none [mq-deadline] "})
	t.link("sys/block/"+s.Disk, "../"+strings.TrimPrefix(directory, "sys/"))
	if name := s.target.deviceName(s.number / mostSessions); name != "" {
		t.link(directory+"/holders/"+name, strings.Repeat("../", 8)+"virtual/block/"+name)
	}
}

// Majors of SCSI disks, each for 16 disks of 16 numbers.
const firstMajor, moreMajors, lastMajors = 8, 65, 128

// diskNumber is the device number of a SCSI disk by its name: sda is 8:0, sdb 8:16, and sdaa begins after sdz.
func diskNumber(name string) (major, minor int) {
	index := 0
	for _, letter := range strings.TrimPrefix(name, "sd") {
		index = index*26 + int(letter-'a') + 1
	}
	index--
	group := index / 16 % 16
	switch {
	case group == 0:
		major = firstMajor
	case group < 8:
		major = moreMajors + group - 1
	default:
		major = lastMajors + group - 8
	}
	return major, index%16*16 + index/256*256
}
