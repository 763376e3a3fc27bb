package detectors

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nasight/nasight/fleet"
)

// What findings advise of one size together. A volume may be short of space, of inodes and of the throughput that comes with its size,
// and a pool has to hold all of its volumes as they are advised to be: each is given one number that covers them all.

// wish is a size that a volume should have, and what for.
type wish struct {
	gib  float64
	what string
}

// wishes are those of a volume. Without its present size there are none: a larger one cannot be told from a smaller.
func (p *pass) wishes(volume *fleet.Volume) []wish {
	var all []wish
	if !volume.Capacity.Above(0) {
		return nil
	}
	if _, severity := JudgeFill(volume.Used, volume.Capacity, p.settings.Hard); severity != 0 {
		all = append(all, wish{p.dataGiB(volume), "its data"})
	}
	if _, severity := JudgeFill(volume.InodeUsed, volume.InodeLimit, p.settings.Hard); severity != 0 {
		all = append(all, wish{p.inodesGiB(volume), "its inodes"})
	}
	if pool := volume.Of; pool != nil && !pool.Manual() && p.near[volume].Severity != 0 {
		all = append(all, wish{math.Ceil(more * float64(volume.Capacity) / gibibyte), "its throughput"})
	}
	return all
}

// dataGiB is as large as leaves a fifth free, which the vendor advises.
func (p *pass) dataGiB(volume *fleet.Volume) float64 {
	return gibs(float64(volume.Used) / p.settings.Hard.Warning)
}

// size is the size that a volume should have by all that is advised of it, at least so large as one finding asks, and what asks for
// more than that one.
func (p *pass) size(volume *fleet.Volume, least float64) (gib float64, others []string) {
	gib = least
	for _, wish := range p.wishes(volume) {
		if wish.gib > least {
			others = append(others, wish.what)
		}
		gib = max(gib, wish.gib)
	}
	return gib, others
}

// growth is by how many GiB a volume should grow; 0 where nothing asks for it.
func (p *pass) growth(volume *fleet.Volume) float64 {
	gib, _ := p.size(volume, 0)
	return max(0, gib-float64(volume.Capacity)/gibibyte)
}

// poolSize is how large a pool has to be for its volumes as they are advised to be, and for its own throughput where that comes with
// its size; 0 where it need not grow, or that is not known. Growing are the volumes that need its room.
func (p *pass) poolSize(pool *fleet.Pool) (gib float64, growing []*fleet.Volume) {
	if pool == nil || !pool.Capacity.Known() {
		return 0, nil
	}
	now, lacks := float64(pool.Capacity)/gibibyte, -float64(pool.Capacity-pool.Allocated)/gibibyte
	for _, volume := range pool.Volumes {
		if by := p.growth(volume); by > 0 {
			lacks += by
			growing = append(growing, volume)
		}
	}
	if lacks = math.Ceil(lacks); lacks > 0 { // false where it is not known what volumes have
		gib = math.Ceil(now) + lacks
	}
	if pool.Flex() && !pool.Custom && (p.nearPool[pool].Severity != 0 || p.operationsHeld(pool)) {
		gib = max(gib, math.Ceil(more*now))
	}
	if netapp(pool.Identity) { // sold in whole TiB
		gib = gibPerTiB * tebibytesOf(gib)
	}
	return gib, growing
}

// enlarge gives a volume another size in GiB, and its pool first where it has not the room for all volumes that should grow.
func (p *pass) enlarge(volume *fleet.Volume, gib float64) Remedy {
	resize := resizeVolume(volume, fmt.Sprintf("%.0f", gib))
	remedy := Remedy{Command: resize, Sets: []Setting{{Resource: volume.Identity, Property: SetSize, To: gib, Command: resize}}}
	pool := volume.Of
	if pool == nil || !pool.Capacity.Known() || !pool.Allocated.Known() || !volume.Capacity.Known() {
		remedy.Caveat = "The pool has to have the room, or grow first."
		return remedy
	}
	size, growing := p.poolSize(pool)
	if size == 0 {
		remedy.Caveat = "The pool has the room."
		return remedy
	}
	grow := ResizePool(pool, size)
	remedy.Caveat = fmt.Sprintf("The pool has not the room: it grows by %.0f GiB first%s, which costs money.", size-math.Ceil(float64(pool.Capacity)/gibibyte), together(volume, growing))
	remedy.Command = Join(grow, resize)
	remedy.Sets = append(remedy.Sets, Setting{Resource: pool.Identity, Property: SetSize, To: size, Command: grow, Said: remedy.Caveat})
	return remedy
}

// together names the other volumes that the pool grows for by the same command.
func together(volume *fleet.Volume, growing []*fleet.Volume) string {
	var names []string
	for _, other := range growing {
		if other != volume {
			names = append(names, other.Identity.Volume)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return ", once for this volume and " + someOf(names) + " together"
}

// asWell says what else asked for a size that is larger than one finding asks for.
func asWell(others []string) string {
	if len(others) == 0 {
		return ""
	}
	return " So large for " + strings.Join(others, " and ") + " as well."
}
