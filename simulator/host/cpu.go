package host

import "strconv"

// hertz is the number of clock ticks a second that /proc counts in.
const hertz = 100

// cpuFiles adds proc/stat. What the machine does not count of it, such as interrupts, stands at zero.
func (m *Machine) cpuFiles(t *tree) {
	var all Core
	for _, core := range m.Cores {
		all.add(core)
	}
	out := all.appendLine([]byte("cpu "))
	for i, core := range m.Cores {
		out = core.appendLine(strconv.AppendInt(append(out, "cpu"...), int64(i), 10))
	}
	out = append(out, "intr 0\nctxt 0\nbtime "...)
	out = strconv.AppendInt(out, m.Boot.Unix(), 10)
	out = append(out, "\nprocesses 0\nprocs_running 1\nprocs_blocked 0\nsoftirq 0 0 0 0 0 0 0 0 0 0 0\n"...)
	t.file("proc/stat", out)
}

func (c *Core) add(other Core) {
	c.User += other.User
	c.System += other.System
	c.Idle += other.Idle
	c.IOWait += other.IOWait
	c.SoftIRQ += other.SoftIRQ
	c.Steal += other.Steal
}

// appendLine adds the times in the file's order: user, nice, system, idle, iowait, irq, softirq, steal, guest and
// guest_nice.
func (c *Core) appendLine(out []byte) []byte {
	ticks := func(seconds float64) uint64 { return whole(seconds * hertz) }
	out = appendCounts(out, ticks(c.User), 0, ticks(c.System), ticks(c.Idle), ticks(c.IOWait), 0, ticks(c.SoftIRQ), ticks(c.Steal), 0, 0)
	return append(out, '\n')
}
