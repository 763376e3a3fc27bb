package azureapi

import "testing"

func TestPartsOfIDs(t *testing.T) {
	const id = "/subscriptions/" + "11111111-2222-3333-4444-555555555555" + "/resourcegroups/RG1/providers/Microsoft.Storage/storageAccounts/files1"
	if got := PartOf(id, "resourceGroups"); got != "RG1" {
		t.Errorf("the group is %q", got)
	}
	if got := PartOf(id, "shares"); got != "" {
		t.Errorf("the share is %q", got)
	}
	if got := RegionOf("West Europe"); got != "westeurope" {
		t.Errorf("the region is %q", got)
	}
}
