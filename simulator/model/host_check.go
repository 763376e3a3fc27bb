package model

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// maxHosts and maxMounts bound the memory of the simulation.
const (
	maxHosts   = 5_000
	maxMounts  = 256
	maxThreads = 100_000
)

var (
	kernelPattern = regexp.MustCompile(`^[0-9]+\.[0-9]+(\.[0-9]+)?[-.+\w]{0,60}$`)
	serverPattern = regexp.MustCompile(`^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$`)
)

func (f *Fleet) checkHosts(c *checker) {
	if len(f.Hosts) > maxHosts {
		c.failf("hosts", "%d hosts: at most %d are possible", len(f.Hosts), maxHosts)
		return
	}
	seen := map[string]bool{}
	for i, host := range f.Hosts {
		key := fmt.Sprintf("hosts[%d]", i)
		if host == nil {
			c.failf(key, "is empty")
			continue
		}
		if seen[host.Name] {
			c.failf(key+".name", "host %s is there twice", host.Name)
		}
		seen[host.Name] = true
		host.check(c, key)
	}
}

func (h *Host) check(c *checker, key string) {
	setDefault(&h.OS, Linux)
	setDefault(&h.Kernel, "6.12.0")
	setDefault(&h.Cores, 8)
	setDefault(&h.NetworkMbps, 32_000)
	c.name(key+".name", h.Name)
	c.oneOf(key+".os", h.OS, Linux, Windows)
	c.pattern(key+".kernel", h.Kernel, kernelPattern, "release of a kernel, such as 6.12.0")
	c.address(key+".address", h.Address)
	c.within(key+".cores", float64(h.Cores), 1, 1_024)
	c.within(key+".network_mbps", float64(h.NetworkMbps), 10, 1_000_000)
	c.within(key+".other_mibps", h.OtherMiBps, 0, float64(h.NetworkMbps)*1e6/8/mib)
	c.within(key+".other_cpu", h.OtherCPU, 0, 1)
	c.within(key+".steal", h.Steal, 0, 1-h.OtherCPU)
	c.within(key+".slot_table", float64(h.SlotTable), 0, 65_536)
	c.within(key+".session_slots", float64(h.SessionSlots), 0, 1_024)
	c.within(key+".boots", float64(h.Boots), 0, 1_000)
	if len(h.Mounts) == 0 || len(h.Mounts) > maxMounts {
		c.failf(key+".mounts", "%d mounts: 1 to %d are possible", len(h.Mounts), maxMounts)
	}
	paths := map[string]bool{}
	for i, mount := range h.Mounts {
		at := fmt.Sprintf("%s.mounts[%d]", key, i)
		if mount == nil {
			c.failf(at, "is empty")
			continue
		}
		if paths[mount.Path] {
			c.failf(at+".path", "something is mounted at %q already", mount.Path)
		}
		paths[mount.Path] = true
		mount.check(c, at, h)
	}
}

func (c *checker) address(key, value string) {
	if _, err := netip.ParseAddr(value); err != nil {
		c.failf(key, "%q is no IP address", value)
	}
}

func (m *Mount) check(c *checker, key string, h *Host) {
	setDefault(&m.Sessions, 1)
	setDefault(&m.Slots, map[string]int{NFS41: 180, OverSMB: 512}[m.Protocol])
	setDefault(&m.Slots, 128)
	protocols := []string{NFS3, NFS41, OverSMB, ISCSI}
	if h.OS == Windows {
		protocols = []string{OverSMB}
	}
	c.oneOf(key+".protocol", m.Protocol, protocols...)
	if _, err := netip.ParseAddr(m.Server); err != nil {
		c.pattern(key+".server", m.Server, serverPattern, "address or name of a server")
		c.address(key+".address", m.Address)
	} else if m.Address != "" {
		c.failf(key+".address", "is for servers with a name")
	}
	if m.Export == "" || len(m.Export) > 255 || strings.ContainsAny(m.Export, "\n\x00") {
		c.failf(key+".export", "%q is no export, share or target", m.Export)
	}
	if m.Path == "" || len(m.Path) > 255 || strings.ContainsAny(m.Path, "\n\x00") {
		c.failf(key+".path", "%q is no mount point", m.Path)
	}
	c.within(key+".sessions", float64(m.Sessions), 1, 32)
	c.within(key+".slots", float64(m.Slots), 1, 65_536)
	m.Load.check(c, key+".load")
	m.Way.check(c, key+".way", m.Sessions)
}

func (j *Jobs) check(c *checker, key string) {
	setDefault(&j.BlockKiB, 64)
	setDefault(&j.Pattern, Constant)
	setDefault(&j.Files, max(1, int(min(j.Threads, maxThreads))))
	c.within(key+".threads", j.Threads, 0, maxThreads)
	c.within(key+".think_ms", j.ThinkMS, 0, 3_600_000)
	c.within(key+".block_kib", j.BlockKiB, 0.5, 16_384)
	c.within(key+".write_share", j.WriteShare, 0, 1)
	c.within(key+".metadata_share", j.MetadataShare, 0, 1)
	c.within(key+".files", float64(j.Files), 1, 1e9)
	movement := j.movement()
	movement.check(c, key)
	j.Factor, j.Every, j.Length = movement.Factor, movement.Every, movement.Length
}

// movement is the pattern as that of a volume's load, which has the same keys and checks.
func (j *Jobs) movement() Workload {
	return Workload{Pattern: j.Pattern, Factor: j.Factor, Every: j.Every, Length: j.Length, PerWeek: j.PerWeek, At: j.At}
}

func (w *Way) check(c *checker, key string, sessions int) {
	setDefault(&w.RTTMS, 0.35)
	setDefault(&w.SessionUS, 33)
	setDefault(&w.ClientUS, 6.6)
	setDefault(&w.ServiceMS, 0.8)
	c.within(key+".rtt_ms", w.RTTMS, 0.001, 10_000)
	c.within(key+".session_us", w.SessionUS, 0.1, 1e6)
	c.within(key+".flow_mibps", w.FlowMiBps, 0, maxMiBps)
	c.within(key+".client_us", w.ClientUS, 0.1, 1e6)
	c.within(key+".growth", w.Growth, 0, 10)
	c.within(key+".service_ms", w.ServiceMS, 0.001, 100_000)
	c.within(key+".loss", w.Loss, 0, 0.5)
	c.within(key+".window_kib", w.WindowKiB, 0, 1<<20)
	if w.Policed && w.FlowMiBps == 0 {
		c.failf(key+".policed", "drops what is beyond flow_mibps: say how much that is")
	}
	if n := len(w.Skew); n > 0 && n != sessions {
		c.failf(key+".skew", "%d weights for %d sessions", n, sessions)
	}
	if slices.ContainsFunc(w.Skew, func(weight float64) bool { return !(weight >= 0 && weight <= 1e6) }) || len(w.Skew) > 0 && slices.Max(w.Skew) == 0 {
		c.failf(key+".skew", "weights are from 0 to 1,000,000, and one is above 0")
	}
}
