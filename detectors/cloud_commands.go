package detectors

import (
	"fmt"
	"math"

	"github.com/nasight/nasight/fleet"
)

const gibibyte = 1 << 30

// The commands that change a volume or a pool. nasight prints them and never runs them.

// resizeVolume gives a volume another size, in GiB.
func resizeVolume(volume *fleet.Volume, gib string) string {
	if netapp(volume.Identity) {
		return azUpdateVolume(volume, "--usage-threshold "+gib)
	}
	return updateVolume(volume, "--capacity="+gib)
}

// more is how much is asked for of what is used up: a fifth over it. What a limit cuts off is not seen.
const more = 1.2

// ResizePool is the command that makes a pool so many GiB large.
func ResizePool(pool *fleet.Pool, gib float64) string { return shrinkPool(pool, gib) }

// shrinkPool makes a pool as small as so many GiB.
func shrinkPool(pool *fleet.Pool, gib float64) string {
	if netapp(pool.Identity) {
		return azUpdatePool(pool, fmt.Sprintf("--size %.0f", tebibytesOf(gib)))
	}
	return updatePool(pool, fmt.Sprintf("--capacity=%.0f", gib))
}

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
	if netapp(volume.Identity) {
		return azUpdateVolume(volume, fmt.Sprintf("--throughput-mibps %.0f", mibps))
	}
	id := volume.Identity
	url := fmt.Sprintf("https://netapp.googleapis.com/v1/projects/%s/locations/%s/volumes/%s?updateMask=throughputMibps", id.Project, id.Location, id.Volume)
	return updateVolume(volume, fmt.Sprintf("--throughput-mibps=%.0f", mibps)) +
		fmt.Sprintf("\n# or: curl --fail-with-body -X PATCH -H \"Authorization: Bearer $(gcloud auth print-access-token)\" -H 'Content-Type: application/json' -d '{\"throughputMibps\": %.0f}' %s", mibps, quote(url))
}

func planCommand(pool *fleet.Pool) string { return "nasight plan --pool " + quote(pool.Identity.Pool) }

func toManual(pool *fleet.Pool) string {
	if netapp(pool.Identity) {
		return azUpdatePool(pool, "--qos-type Manual")
	}
	return updatePool(pool, "--qos-type=manual")
}

// oneWay is the caveat of toManual.
func oneWay(pool *fleet.Pool) string {
	if netapp(pool.Identity) {
		return "One way: a pool with manual QoS cannot go back to automatic."
	}
	return "One way: a pool with manual QoS cannot go back to automatic. The console cannot do it."
}

const nothingCuts = "Costs nothing and interrupts nothing."

// mibs rounds up to whole MiB/s, as the API takes them.
func mibs(perSecond fleet.Value) float64 { return math.Ceil(float64(perSecond)/mebibyte - 1e-9) }

func gibs(bytes float64) float64 { return math.Ceil(bytes/gibibyte - 1e-9) }

// moreForVolume is what helps a volume that is at its limit, what costs nothing first.
func moreForVolume(volume *fleet.Volume) []Remedy {
	pool := volume.Of
	if !pool.Manual() {
		return []Remedy{largerVolume(volume), {
			What:    "Or make the pool's QoS manual and give this volume what others do not use.",
			Command: toManual(pool) + "\n" + planCommand(pool), Caveat: oneWay(pool),
		}}
	}
	remedies := []Remedy{{What: "Give the volume throughput that others do not use.", Command: planCommand(pool), Caveat: nothingCuts}}
	if wanted := lastMoment(volume.Recent).Limit; pool.Available.Above(0) && wanted.Known() {
		wanted += min(pool.Available, wanted/2)
		remedies = append([]Remedy{{
			What:    fmt.Sprintf("Give the volume of the %s that no volume has.", mebibytes(pool.Available)),
			Command: setThroughput(volume, math.Floor(float64(wanted)/mebibyte)), Caveat: nothingCuts,
		}}, remedies...)
	}
	if pool.ServiceLevel == levelFlexible {
		return append(remedies, moreThroughput(pool))
	}
	return append(remedies, largerPool(pool, "Make the pool larger, or choose a higher service level.", "Costs money."))
}

func moreForPool(pool *fleet.Pool, variant string) []Remedy {
	switch {
	case !pool.Custom:
		return []Remedy{largerPool(pool, "Make the pool larger: its throughput comes with its capacity.", "Costs money, and a Flex pool cannot be made smaller again.")}
	case variant == VariantIOPS:
		return []Remedy{moreOperations(pool)}
	}
	return []Remedy{moreThroughput(pool)}
}
