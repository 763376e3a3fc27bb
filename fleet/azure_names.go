package fleet

import (
	"slices"
	"strings"
)

// The names of the features about Azure Files.
const (
	FeatureAccountInfo    = "account_info"
	FeatureAccountLimit   = "account_limit"
	FeatureAccountFeature = "subscription_feature"

	FeatureShareInfo        = "share_info"
	FeatureShareQuota       = "share_quota"
	FeatureShareIOPS        = "share_provisioned_operations"
	FeatureShareThroughput  = "share_provisioned_throughput"
	FeatureShareBurst       = "share_burst_operations"
	FeatureShareCreditsMost = "share_burst_credits_limit"
	FeatureShareLowerAfter  = "share_downgrade_allowed"
	FeatureSharePaidBurst   = "share_paid_burst_limit"
	FeatureShareUsed        = "share_used"
	FeatureShareSnapshots   = "share_snapshots"
	FeatureShareFiles       = "share_files"

	FeatureShareEgress       = "share_egress"
	FeatureShareIngress      = "share_ingress"
	FeatureShareOperations   = "share_operations"
	FeatureShareData         = "share_data_operations"
	FeatureShareMetadata     = "share_metadata_operations"
	FeatureShareSession      = "share_session_operations"
	FeatureShareServer       = "share_server_latency"
	FeatureShareEndToEnd     = "share_end_to_end_latency"
	FeatureShareAvailability = "share_availability"

	FeatureShareResponses = "share_responses"
	FeatureShareThrottled = "share_throttled_ratio"
	FeatureSharePeakIOPS  = "share_peak_operations"
	FeatureSharePeakBytes = "share_peak_throughput"
	FeatureShareCredits   = "share_burst_credits"
	FeatureShareDrain     = "share_burst_credits_change"

	FeatureShareIOPSP99    = "share_peak_operations_p99"
	FeatureShareIOPSBefore = "share_peak_operations_p99_before"
	FeatureShareIOPSMax    = "share_peak_operations_max"
	FeatureShareP99        = "share_peak_throughput_p99"
	FeatureShareBefore     = "share_peak_throughput_p99_before"
	FeatureShareMax        = "share_peak_throughput_max"
	FeatureShareGrowth     = "share_growth"
)

// APIClass is what an operation of Azure Files does, by the service's name of it.
type APIClass string

// The classes. What the service could not name (Unknown), and names that are not known here, are other: part of the total and
// of nothing else.
const (
	APIData     APIClass = "data"     // moves data
	APIMetadata APIClass = "metadata" // opens, closes, looks up, locks
	APINotify   APIClass = "notify"   // waits until something in a directory changes
	APISession  APIClass = "session"  // sets a session up or down: no work on files
	APIOther    APIClass = "other"
)

// apiNames are the operations of each class, in lower case, as SMB and REST name them (azure.md §1.5). Billing counts them
// otherwise: to it a Create is a write.
var apiNames = map[APIClass][]string{
	APIData: {"read", "write", "getfile", "putrange", "putrangefromurl"},
	APIMetadata: {
		"create", "close", "open", "delete", "createfile", "createdirectory", "deletefile", "deletedirectory", "directoryopen",
		"directoryclose", "queryinfo", "querydirectory", "queryfilesysteminfo", "setinfo", "lock", "ioctl", "oplockbreak", "flush", "cancel", "echo",
		"getfileproperties", "setfileproperties", "getdirectoryproperties", "listfiles", "listfileranges", "listhandles", "closehandles",
	},
	APINotify:  {"changenotify"},
	APISession: {"negotiate", "sessionsetup", "logoff", "treeconnect", "treedisconnect"},
}

// APINames are the operations of a class, in lower case.
func APINames(class APIClass) []string { return slices.Clone(apiNames[class]) }

// ClassOf is the class of an operation by its name.
func ClassOf(api string) APIClass {
	api = strings.ToLower(api)
	for class, names := range apiNames {
		for _, name := range names {
			if name == api {
				return class
			}
		}
	}
	return APIOther
}

// Cacheable tells whether metadata caching answers an operation: it helps Create, Open, Close and Delete.
func Cacheable(api string) bool {
	api = strings.ToLower(api)
	for _, verb := range []string{"create", "open", "close", "delete", "directoryopen", "directoryclose"} {
		if api == verb {
			return true
		}
	}
	switch api {
	case "createfile", "createdirectory", "deletefile", "deletedirectory":
		return true
	}
	return false
}
