package detectors

import "github.com/nasight/nasight/fleet"

// cloudWindow says what time a number of the cloud's side covers; empty for other numbers.
func cloudWindow(feature string) string {
	switch feature {
	case fleet.FeatureVolumeThroughput, fleet.FeatureVolumeLimit, fleet.FeatureVolumeOperations, fleet.FeatureVolumeLatency,
		fleet.FeaturePoolThroughput, fleet.FeaturePoolOperations:
		return "newest 5 minutes"
	case fleet.FeatureVolumeP99, fleet.FeatureVolumeP95, fleet.FeatureVolumeMax, fleet.FeatureVolumeCoverage,
		fleet.FeatureVolumeBaseline, fleet.FeaturePoolP99, fleet.FeaturePoolIOPSP99:
		return "7 days"
	case fleet.FeatureVolumePeak:
		return "35 days, as far as history reaches back"
	case fleet.FeatureVolumeBefore:
		return "the 7 days before"
	case fleet.FeaturePoolAvailableLow:
		return "1 day"
	case fleet.FeaturePoolAvailable, fleet.FeaturePoolTotal, fleet.FeaturePoolIOPS, fleet.FeaturePoolCapacity,
		fleet.FeatureVolumeAssigned, fleet.FeatureVolumeCapacity, fleet.FeatureVolumeUsed,
		fleet.FeatureVolumeInodeLimit, fleet.FeatureVolumeInodeUsed:
		return "now"
	}
	return azureWindow(feature)
}
