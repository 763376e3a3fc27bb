package gcnv

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nasight/nasight/collectors/connect"
)

// The names of the API's enumerations that this version knows, from the description of netapp.googleapis.com v1 that its
// Go client carries (2026-07-19). Others are kept as they are; a trial says that they are there. A name that ends in
// _UNSPECIFIED is known everywhere.
func poolEnums() map[string][]string {
	return map[string][]string{
		"serviceLevel": {"PREMIUM", "EXTREME", "STANDARD", "FLEX"},
		"qosType":      {"AUTO", "MANUAL"},
		"type":         {"FILE", "UNIFIED"},
		"mode":         {"DEFAULT", "ONTAP"},
		"scaleType":    {"SCALE_TYPE_DEFAULT", "SCALE_TYPE_SCALEOUT"},
		"state":        {"READY", "CREATING", "DELETING", "UPDATING", "RESTORING", "DISABLED", "ERROR"},
	}
}

func volumeEnums() map[string][]string {
	return map[string][]string{
		"serviceLevel": {"PREMIUM", "EXTREME", "STANDARD", "FLEX"},
		"protocols":    {"NFSV3", "NFSV4", "SMB", "ISCSI", "NVME"},
		"state":        {"READY", "CREATING", "DELETING", "UPDATING", "RESTORING", "DISABLED", "ERROR", "PREPARING", "READ_ONLY"},
	}
}

func replicationEnums() map[string][]string {
	return map[string][]string{
		"role": {"SOURCE", "DESTINATION"},
		"mirrorState": {
			"PREPARING", "MIRRORED", "STOPPED", "TRANSFERRING", "BASELINE_TRANSFERRING", "ABORTED", "EXTERNALLY_MANAGED", "PENDING_PEERING",
		},
		"replicationSchedule": {"EVERY_10_MINUTES", "HOURLY", "DAILY"},
		"state": {
			"CREATING", "READY", "UPDATING", "DELETING", "ERROR", "PENDING_CLUSTER_PEERING", "PENDING_SVM_PEERING",
			"PENDING_REMOTE_RESYNC", "EXTERNALLY_MANAGED_REPLICATION",
		},
	}
}

// strangers counts, as field=NAME, the names of a resource's enumerations that are not known.
func strangers(fields object, enums map[string][]string, into map[string]int) {
	for field, known := range enums {
		for _, name := range namesIn(fields[field]) {
			if name != "" && !strings.HasSuffix(name, "_UNSPECIFIED") && !slices.Contains(known, name) {
				into[field+"="+name]++
			}
		}
	}
}

// namesIn reads a name, or a list of names; nothing where it is neither.
func namesIn(raw json.RawMessage) []string {
	var name string
	if json.Unmarshal(raw, &name) == nil {
		return []string{name}
	}
	var names []string
	_ = json.Unmarshal(raw, &names) // what is no list of names has been counted as odd
	return names
}

// mostStrangers bounds how many unknown names are told one by one.
const mostStrangers = 8

// strange says which names are not known; empty for none.
func strange(counts map[string]int) string {
	if len(counts) == 0 {
		return ""
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		names = append(names, fmt.Sprintf("%.80q (%d)", name, counts[name]))
	}
	return "names that this version does not know: " + connect.Few(names, mostStrangers)
}
