package detectors

import "github.com/nasight/nasight/fleet"

// ReachableShare is the most that a share can move in a second, in bytes: what it provisions or pays for, or what the operations
// that it may do bring with blocks of a size, where that is lower. Nothing was published that is measured beyond that. It is
// missing where the share has no limit of its own, as one that is paid by use.
func ReachableShare(share *fleet.Share, block fleet.Value) fleet.Value {
	most := share.ThroughputCeiling()
	if byOperations := share.Ceiling(fleet.Unknown) * block; byOperations.Below(float64(most)) {
		return byOperations
	}
	return most
}
