package model

import (
	"math"
	"strings"
	"sync"
	"time"
)

// responses splits operations by how they ended. own is the share of them that waited for a limit of their kind, which
// why names, and all the share of the rest that waited for the limit of operations.
func (p *SharePlacement) responses(api string, count, own, all float64, why string) []ShareResponses {
	prefix := ""
	if p.Share.Kerberos {
		prefix = "Kerberos"
	}
	left := count
	var out []ShareResponses
	take := func(name string, share float64) {
		if n := math.Round(left * share); n > 0 {
			out = append(out, ShareResponses{name, n})
			left -= n
		}
	}
	take(prefix+"SuccessWith"+why, own)
	if p.Account.Billing() == PayAsYouGo {
		take("ClientAccountRequestThrottlingError", all)
	} else {
		take(prefix+"SuccessWithShareIopsThrottling", all)
	}
	if api == "Create" {
		take("ClientOtherError", p.Share.FailedCreates)
	}
	take("Success", 1)
	return out
}

// Successful tells whether a response type counts as served: throttled ones that waited do.
func Successful(response string) bool { return strings.Contains(response, "Success") }

// creditBook remembers the credits of shares at full hours. It only spares work: they are a function of the time.
type creditBook struct {
	mu   sync.Mutex
	full map[*SharePlacement][]float64 // at the hours since creditsFull before the epoch
	last map[*SharePlacement]creditEntry
}

// creditEntry is what was asked for last: readers go on from there, minute by minute.
type creditEntry struct {
	window  time.Time
	credits float64
}

// creditsFull is how long before the epoch every bucket of credits was full.
const creditsFull = 8 * 24 * time.Hour

// creditsAt is the credits at the beginning of a window: those of the minute before, less what it used beyond the
// provisioned operations, or more where it used less.
func (m *Model) creditsAt(p *SharePlacement, window time.Time) float64 {
	most := p.provision.Credits
	begin := m.epoch.Truncate(time.Hour).Add(-creditsFull)
	if most <= 0 || !window.After(begin) {
		return max(0, most)
	}
	hours := int(window.Sub(begin) / time.Hour)
	m.credits.mu.Lock()
	defer m.credits.mu.Unlock()
	known := m.credits.full[p]
	if len(known) == 0 {
		known = []float64{most}
	}
	for len(known) <= hours {
		hour := begin.Add(time.Duration(len(known)-1) * time.Hour)
		known = append(known, m.drain(p, known[len(known)-1], hour, hour.Add(time.Hour)))
	}
	m.credits.full[p] = known
	from := creditEntry{begin.Add(time.Duration(hours) * time.Hour), known[hours]}
	if last, ok := m.credits.last[p]; ok && last.window.After(from.window) && !last.window.After(window) {
		from = last
	}
	credits := m.drain(p, from.credits, from.window, window)
	m.credits.last[p] = creditEntry{window, credits}
	return credits
}

func (m *Model) drain(p *SharePlacement, credits float64, from, to time.Time) float64 {
	for ; from.Before(to); from = from.Add(ShareGrain) {
		credits = p.drained(credits, m.squeezes(p, m.asks(p, from), from, credits))
	}
	return credits
}

func (p *SharePlacement) drained(credits float64, q squeeze) float64 {
	provision := p.provision
	return min(max(0, credits+(provision.IOPS-q.operations)*ShareGrain.Seconds()), provision.Credits)
}

// ShareSpace is what a share holds at a moment.
type ShareSpace struct {
	Quota, Used      float64 // bytes
	Files, Snapshots float64
	SnapshotBytes    float64 // what snapshots alone hold
}

// ShareSpace is what a share holds at a moment. It grows evenly, and stops at the quota.
func (m *Model) ShareSpace(p *SharePlacement, at time.Time) ShareSpace {
	s := p.Share
	days := at.Sub(m.epoch).Hours() / 24
	used := grown(s.UsedGiB*gib, s.GrowthGiBPerDay*gib*days, s.QuotaGiB*gib)
	return ShareSpace{
		Quota: float64(s.QuotaGiB) * gib, Used: float64(used), Files: float64(s.Files), Snapshots: float64(s.Snapshots), SnapshotBytes: s.SnapshotGiB * gib,
	}
}
