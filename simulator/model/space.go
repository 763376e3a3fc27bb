package model

import (
	"math"
	"time"
)

// Space is what a volume holds at a moment.
type Space struct {
	Allocated  int64 // bytes
	Used       int64 // bytes, with snapshots
	Snapshot   int64 // bytes
	InodeLimit int64
	Inodes     int64
}

// Space is what a volume holds at a moment. It grows evenly, and stops at what the volume can hold.
func (m *Model) Space(p *Placement, at time.Time) Space {
	days := at.Sub(m.epoch).Hours() / 24
	p = m.At(at).byPath[p.Path]
	v := p.Volume
	s := Space{Allocated: v.CapacityGiB * gib, InodeLimit: p.InodeLimit()}
	s.Used = grown(v.UsedGiB*gib, v.GrowthGiBPerDay*gib*days, s.Allocated)
	s.Snapshot = min(s.Used, int64(v.SnapshotGiB*gib))
	s.Inodes = grown(float64(v.InodesUsed), float64(v.InodesPerDay)*days, s.InodeLimit)
	return s
}

func grown(start, more float64, most int64) int64 {
	return int64(math.Round(min(max(0, start+more), float64(most))))
}

// Transfer is the state of a replication at a moment.
type Transfer struct {
	Healthy       bool
	Transferring  bool
	Lag           time.Duration // age of what the destination holds
	LastBytes     int64
	LastDuration  time.Duration
	LastEnd       time.Time
	TotalBytes    int64     // since Since
	Since         time.Time // when the total began: the start of the day of the epoch, a year earlier
	ScheduleEvery time.Duration
}

// A transfer takes a tenth of its schedule's period and begins with it.
const transferShare = 10

// Transfer is the state of a volume's replication at a moment; ok is false where the volume has none. A replication that
// is not healthy has transferred nothing since the epoch.
func (m *Model) Transfer(p *Placement, at time.Time) (t Transfer, ok bool) {
	r := p.Volume.Replication
	if r == nil {
		return Transfer{}, false
	}
	every := period(r.Schedule)
	t = Transfer{Healthy: true, ScheduleEvery: every, LastBytes: int64(r.TransferGiB * gib), LastDuration: every / transferShare}
	t.Since = m.epoch.UTC().Truncate(24*time.Hour).AddDate(-1, 0, 0)
	begun := at.Truncate(every)
	t.Transferring = at.Sub(begun) < t.LastDuration
	if r.Unhealthy && at.After(m.epoch) {
		t.Healthy, t.Transferring = false, false
		begun = m.epoch.Truncate(every)
	}
	if t.Transferring {
		begun = begun.Add(-every) // the one before is the last that ended
	}
	t.LastEnd, t.Lag = begun.Add(t.LastDuration), at.Sub(begun)
	t.TotalBytes = max(0, int64(begun.Sub(t.Since)/every)) * t.LastBytes
	return t, true
}

func period(schedule string) time.Duration {
	switch schedule {
	case "EVERY_10_MINUTES":
		return 10 * time.Minute
	case "DAILY":
		return 24 * time.Hour
	}
	return time.Hour
}
