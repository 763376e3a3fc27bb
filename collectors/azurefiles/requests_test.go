package azurefiles

import "testing"

func TestRequestsHaveNames(t *testing.T) {
	const account = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/a"
	for path, want := range map[string]string{
		"/subscriptions/s/providers/Microsoft.Storage/storageAccounts":                                     "storageAccounts.list",
		account + "/fileServices/default":                                                                  "fileServices.get",
		account + "/fileServices/default/shares":                                                           "shares.list",
		account + "/fileServices/default/usages/default":                                                   "fileServices.usages.get",
		account + "/fileServices/default/providers/Microsoft.Insights/metrics":                             "metrics.get",
		"/subscriptions/s/metrics:getBatch":                                                                "metrics.getBatch",
		"/subscriptions/s/providers/Microsoft.Features/providers/Microsoft.Storage/features/HigherHandles": "features.get",
		account + "/fileServices/default/providers/Microsoft.Insights/metricDefinitions":                   "metrics.definitions",
		"/v1" + account + "/fileServices/default/query":                                                    "logs.query",
		"/subscriptions/s/providers/Microsoft.Insights":                                                    "providers.get",
		"/v1/workspaces/w/query":                                                                           "logs.query",
		"/":                                                                                                "other",
	} {
		if got := apiOf(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}
