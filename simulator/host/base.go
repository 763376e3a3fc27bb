package host

import (
	"cmp"
	"fmt"
)

// defaultKernel is what a Linux host without a kernel's name runs.
const defaultKernel = "6.12.0-1-amd64"

// clockFile tells the time of a moment, for those who keep several of them as a recording.
const clockFile = "clock.json"

// baseFiles adds what a host has whatever it does: who it is, how long it has run, and its own file systems.
func (m *Machine) baseFiles(t *tree) {
	kernel := cmp.Or(m.Kernel, defaultKernel)
	t.line("proc/version", "Linux version "+kernel+" (build@example.com) (gcc 12.2.0, GNU ld 2.40) #1 SMP PREEMPT_DYNAMIC")
	t.line("proc/sys/kernel/hostname", m.Name)
	t.line("proc/sys/kernel/osrelease", kernel)
	up := m.Now.Sub(m.Boot).Seconds()
	t.file(clockFile, fmt.Appendf(nil, `{"clock":{"start":{"realtime":%.6f,"monotonic":%.6f}}}`+"\n", float64(m.Now.UnixMicro())/1e6, up))
	var idle float64
	for _, core := range m.Cores {
		idle += core.Idle
	}
	t.line("proc/uptime", fmt.Sprintf("%.2f %.2f", up, idle))
	for _, own := range []mount{
		{device: "254:0", point: "/", kind: "ext4", source: "/dev/vda", flags: "rw,noatime", options: "rw"},
		{device: "0:21", point: "/proc", kind: "proc", source: "proc", options: "rw"},
		{device: "0:22", point: "/sys", kind: "sysfs", source: "sysfs", options: "rw"},
		{device: "0:25", point: "/run", kind: "tmpfs", source: "tmpfs", options: "rw,mode=755,inode64"},
	} {
		t.mount(own)
	}
}
