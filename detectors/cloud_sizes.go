package detectors

import (
	"fmt"
	"math"

	"github.com/nasight/nasight/fleet"
)

// What to do where a number is not known that a command needs: nothing is left for the reader to fill in. The command that shows
// the number stands in its place, and the caveat says what to do with it.

// unsized is a remedy whose number is missing.
func unsized(what, show, missing string) Remedy {
	return Remedy{What: what, Command: show, Caveat: missing + " is not known here, so there is no command to change it: this one shows it. A fifth more is a beginning. Costs money."}
}

// showPool shows one property of a pool, by the names of the two command lines.
func showPool(pool *fleet.Pool, property, azure string) string {
	if netapp(pool.Identity) {
		return ofPool(pool, "az netappfiles pool show "+azPool(pool, "--name")+" --query "+azure)
	}
	id := pool.Identity
	return fmt.Sprintf("gcloud netapp storage-pools describe %s --project=%s --location=%s --format=%s", quote(id.Pool), quote(id.Project), quote(id.Location), quote("value("+property+")"))
}

// showVolume shows the size of a volume.
func showVolume(volume *fleet.Volume) string {
	if netapp(volume.Identity) {
		return ofPool(volume.Of, fmt.Sprintf("az netappfiles volume show %s --name %s --query usageThreshold", azPool(volume.Of, "--pool-name"), quote(volume.Identity.Volume)))
	}
	id := volume.Identity
	return fmt.Sprintf("gcloud netapp volumes describe %s --project=%s --location=%s --format='value(capacityGib)'", quote(id.Volume), quote(id.Project), quote(id.Location))
}

// largerPool makes a pool a fifth larger, or as much larger as its volumes ask for, where that is more.
func (p *pass) largerPool(pool *fleet.Pool, what, caveat string) Remedy {
	if !pool.Capacity.Above(0) {
		return unsized(what, showPool(pool, "capacityGib", "size"), "The pool's size")
	}
	asked, _ := p.poolSize(pool)
	gib := math.Max(asked, math.Ceil(more*float64(pool.Capacity)/gibibyte))
	command := ResizePool(pool, gib)
	return Remedy{What: what, Command: command, Caveat: caveat, Sets: []Setting{{Resource: pool.Identity, Property: SetSize, To: gib, Command: command}}}
}

// largerVolume makes a volume a fifth larger, or as much as all that is advised of it asks for, and its pool where that has not the room.
func (p *pass) largerVolume(volume *fleet.Volume) Remedy {
	const why = ", or move it to a higher service level: throughput comes with capacity."
	if !volume.Capacity.Above(0) {
		return unsized("Make the volume larger"+why, showVolume(volume), "The volume's size")
	}
	gib, others := p.size(volume, math.Ceil(more*float64(volume.Capacity)/gibibyte))
	fifth := ", a fifth larger"
	if len(others) > 0 {
		fifth = ""
	}
	larger := p.enlarge(volume, gib)
	larger.What = fmt.Sprintf("Make the volume %.0f GiB large%s%s", gib, fifth, why)
	larger.Caveat += asWell(others)
	return larger
}

// leastVolumeGiB is the smallest volume of a service level whose throughput comes with a volume's capacity.
const leastVolumeGiB = 100

// smallerVolume makes a volume as small as its data, its inodes and its need of throughput allow; nothing where that is no smaller, or
// where it should grow.
func (p *pass) smallerVolume(volume *fleet.Volume, need fleet.Value) []Remedy {
	const caveat = "Money is saved only if the pool becomes smaller as well."
	rate := rateOf(volume.Of.ServiceLevel)
	if p.growth(volume) > 0 {
		return nil
	}
	if !volume.Used.Known() || rate == 0 || !need.Known() {
		return []Remedy{{What: "Or make the volume smaller where its data allow it.", Command: showVolume(volume), Caveat: "What its data need is not known here: the command shows the size that it has. " + caveat}}
	}
	gib := math.Max(leastVolumeGiB, math.Max(gibs(more*float64(volume.Used)), math.Ceil(float64(need)/rate-1e-9)))
	if inodes := float64(volume.InodeUsed) / p.settings.Hard.Warning * inodeGiB; inodes > fixedInodesGiB {
		gib = math.Max(gib, math.Ceil(inodes))
	}
	if gib >= math.Floor(float64(volume.Capacity)/gibibyte) {
		return nil
	}
	command := resizeVolume(volume, fmt.Sprintf("%.0f", gib))
	return []Remedy{{
		What: fmt.Sprintf("Or make the volume %.0f GiB large: its data and its throughput need no more.", gib), Command: command, Caveat: caveat,
		Sets: []Setting{{Resource: volume.Identity, Property: SetSize, To: gib, Command: command}},
	}}
}

// moreThroughput buys a fifth more throughput for a pool that has it apart from capacity.
func moreThroughput(pool *fleet.Pool) Remedy {
	const what = "Buy more throughput for the pool."
	mibps := math.Ceil(more * float64(pool.Total) / mebibyte)
	if !(mibps > 0) {
		return unsized(what, showPool(pool, "totalThroughputMibps", "customThroughputMibps"), "What the pool has bought")
	}
	remedy := Remedy{
		What:    fmt.Sprintf("Raise the pool from %.0f to %.0f MiB/s.", float64(pool.Total)/mebibyte, mibps),
		Command: updatePool(pool, fmt.Sprintf("--total-throughput=%.0f", mibps)), Caveat: "Costs money from the moment that it is set.",
	}
	if netapp(pool.Identity) {
		remedy.What, remedy.Command = fmt.Sprintf("Buy %.0f MiB/s for the pool, a fifth more.", mibps), azPoolThroughput(pool, fmt.Sprintf("%.0f", mibps))
	}
	remedy.Sets = []Setting{{Resource: pool.Identity, Property: SetThroughput, To: mibps, Command: remedy.Command}}
	return remedy
}

// moreOperations buys a fifth more operations for a Flex pool.
func moreOperations(pool *fleet.Pool) Remedy {
	iops := math.Ceil(more * float64(pool.IOPS))
	if !(iops > 0) {
		return unsized("Raise the operations of the pool.", showPool(pool, "totalIops", "customIops"), "What the pool has bought")
	}
	command := updatePool(pool, fmt.Sprintf("--total-iops=%.0f", iops))
	return Remedy{
		What:    fmt.Sprintf("Raise the pool from %.0f to %.0f operations per second.", float64(pool.IOPS), iops),
		Command: command, Caveat: "Costs money from the moment that it is set.",
		Sets: []Setting{{Resource: pool.Identity, Property: SetOperations, To: iops, Command: command}},
	}
}

// gcloudMove makes a pool of another level beside one, on the same network, and moves its volumes there, the first ones by name.
func gcloudMove(pool *fleet.Pool, level string, gib float64) string {
	const most = 5
	id := pool.Identity
	target := id.Pool + "-" + level
	created := *pool
	created.Identity.Pool = target
	qos := ""
	if pool.Manual() {
		qos = " --qos-type=manual"
	}
	lines := fmt.Sprintf("gcloud netapp storage-pools create %s --project=%s --location=%s --service-level=%s --capacity=%.0f%s --network=name=\"$(%s)\"",
		quote(target), quote(id.Project), quote(id.Location), level, gib, qos, showPool(pool, "network", ""))
	for i, volume := range pool.Volumes {
		if i == most {
			lines += "\n# and " + plural(fleet.Value(len(pool.Volumes)-most), "volume") + " more in the same way"
			break
		}
		lines += "\n" + updateVolume(volume, "--storage-pool="+quote(target))
	}
	return lines + fmt.Sprintf("\n# and when it has no volume left: gcloud netapp storage-pools delete %s --project=%s --location=%s", quote(id.Pool), quote(id.Project), quote(id.Location))
}
