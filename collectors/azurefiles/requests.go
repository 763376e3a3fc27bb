package azurefiles

import (
	"strings"

	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// providerDepth is how many slashes /subscriptions/ID/providers/NAMESPACE has.
const providerDepth = 4

// apiOf names what a request asks for, for the counters.
func apiOf(path string) string {
	switch lower := strings.ToLower(strings.TrimSuffix(path, "/")); {
	case strings.HasSuffix(lower, "microsoft.insights/metrics"):
		return "metrics.get"
	case strings.HasSuffix(lower, "microsoft.insights/metricdefinitions"):
		return "metrics.definitions"
	case strings.HasSuffix(lower, "metrics:getbatch"):
		return "metrics.getBatch"
	case strings.HasSuffix(lower, "/storageaccounts"):
		return "storageAccounts.list"
	case strings.HasSuffix(lower, "/shares"):
		return "shares.list"
	case strings.HasSuffix(lower, "/usages/default"):
		return "fileServices.usages.get"
	case strings.HasSuffix(lower, "/fileservices/default"):
		return "fileServices.get"
	case strings.Contains(lower, "microsoft.features"):
		return "features.get"
	case isLogQuery(lower):
		return "logs.query"
	case azureapi.PartOf(lower, "providers") != "" && strings.Count(lower, "/") == providerDepth:
		return "providers.get"
	}
	return other
}
