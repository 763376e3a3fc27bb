package detectors

import (
	"fmt"
	"math"

	"github.com/nasight/nasight/fleet"
)

const gibibyte = 1 << 30

// The commands that change a volume or a pool. nasight prints them and never runs them.

func updateVolume(volume *fleet.Volume, flag string) string {
	id := volume.Identity
	return fmt.Sprintf("gcloud netapp volumes update %s --project=%s --location=%s %s", quote(id.Volume), quote(id.Project), quote(id.Location), flag)
}

func updatePool(pool *fleet.Pool, flag string) string {
	id := pool.Identity
	return fmt.Sprintf("gcloud netapp storage-pools update %s --project=%s --location=%s %s", quote(id.Pool), quote(id.Project), quote(id.Location), flag)
}

// setThroughput gives a volume of a manual-QoS pool another limit, in whole MiB/s. The published reference of the command
// line lists the flag for new volumes only, so the API's form stands beside it.
func setThroughput(volume *fleet.Volume, mibps float64) string {
	id := volume.Identity
	url := fmt.Sprintf("https://netapp.googleapis.com/v1/projects/%s/locations/%s/volumes/%s?updateMask=throughputMibps", id.Project, id.Location, id.Volume)
	return updateVolume(volume, fmt.Sprintf("--throughput-mibps=%.0f", mibps)) +
		fmt.Sprintf("\n# or: curl --fail-with-body -X PATCH -H \"Authorization: Bearer $(gcloud auth print-access-token)\" -H 'Content-Type: application/json' -d '{\"throughputMibps\": %.0f}' %s", mibps, quote(url))
}

func planCommand(pool *fleet.Pool) string { return "nasight plan --pool " + quote(pool.Identity.Pool) }

func toManual(pool *fleet.Pool) string { return updatePool(pool, "--qos-type=manual") }

const (
	oneWay      = "One way: a pool with manual QoS cannot go back to automatic. The console cannot do it."
	nothingCuts = "Costs nothing and interrupts nothing."
)

// mibs rounds up to whole MiB/s, as the API takes them.
func mibs(perSecond fleet.Value) float64 { return math.Ceil(float64(perSecond)/mebibyte - 1e-9) }

func gibs(bytes float64) float64 { return math.Ceil(bytes/gibibyte - 1e-9) }

// moreForVolume is what helps a volume that is at its limit, what costs nothing first.
func moreForVolume(volume *fleet.Volume) []Remedy {
	pool := volume.Of
	larger := Remedy{
		What:    "Make the volume larger, or move it to a higher service level: throughput comes with capacity.",
		Command: updateVolume(volume, "--capacity=GIB"), Caveat: "Costs money where the pool has to grow for it.",
	}
	if !pool.Manual() {
		return []Remedy{larger, {
			What:    "Or make the pool's QoS manual and give this volume what others do not use.",
			Command: toManual(pool) + "\n" + planCommand(pool), Caveat: oneWay,
		}}
	}
	remedies := []Remedy{{What: "Give the volume throughput that others do not use.", Command: planCommand(pool), Caveat: nothingCuts}}
	if pool.Available.Above(0) {
		wanted := lastMoment(volume.Recent).Limit
		wanted += min(pool.Available, wanted/2)
		remedies = append([]Remedy{{
			What:    fmt.Sprintf("Give the volume of the %s that no volume has.", mebibytes(pool.Available)),
			Command: setThroughput(volume, math.Floor(float64(wanted)/mebibyte)), Caveat: nothingCuts,
		}}, remedies...)
	}
	return append(remedies, Remedy{What: "Make the pool larger, or choose a higher service level.", Command: updatePool(pool, "--capacity=GIB"), Caveat: "Costs money."})
}

func moreForPool(pool *fleet.Pool, variant string) []Remedy {
	if !pool.Custom {
		return []Remedy{{
			What: "Make the pool larger: its throughput comes with its capacity.", Command: updatePool(pool, "--capacity=GIB"),
			Caveat: "Costs money, and a Flex pool cannot be made smaller again.",
		}}
	}
	flag := "--total-throughput=MIBPS"
	if variant == VariantIOPS {
		flag = "--total-iops=IOPS"
	}
	return []Remedy{{What: "Raise what the pool may do.", Command: updatePool(pool, flag), Caveat: "Costs money from the moment that it is set."}}
}
