package azure_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/resources/armfeatures"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/storage/armstorage/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

// pages reads all pages of a list and counts them.
func pages[P, T any](ctx context.Context, pager *runtime.Pager[P], items func(P) []T) (all []T, count int, err error) {
	for pager.More() {
		page, err := pager.NextPage(ctx)
		if err != nil {
			return all, count, err
		}
		count++
		all = append(all, items(page)...)
	}
	return all, count, nil
}

func (f fleet) shareNames(options *armstorage.FileSharesClientListOptions) (names []string, count int, err error) {
	pager := f.storage(production, "").NewFileSharesClient().NewListPager("files", "examplessdv2", options)
	all, count, err := pages(f.t.Context(), pager, func(p armstorage.FileSharesClientListResponse) []*armstorage.FileShareItem { return p.Value })
	for _, share := range all {
		names = append(names, *share.Name)
	}
	return names, count, err
}

func TestListsComeInPages(t *testing.T) {
	f := start(t, azure.Options{PageSize: 4})
	names, count, err := f.shareNames(nil)
	if err != nil || count != 4 || len(names) != 14 || slices.Contains(names, "retired") {
		t.Errorf("%d pages of %v, %v", count, names, err)
	}
	names, count, err = f.shareNames(&armstorage.FileSharesClientListOptions{Maxpagesize: ptr("2"), Expand: ptr("deleted")})
	if err != nil || count != 8 || len(names) != 15 || !slices.Contains(names, "retired") {
		t.Errorf("%d pages of %v, %v", count, names, err)
	}
	if _, err := f.Inject(faults.Fault{Kind: faults.EmptyPage, Method: "shares.list", Times: 1}); err != nil {
		t.Fatal(err)
	}
	if names, count, err = f.shareNames(nil); err != nil || count != 5 || len(names) != 14 {
		t.Errorf("with an empty page %d pages of %v, %v", count, names, err)
	}
}

func TestAccounts(t *testing.T) {
	f := start(t, azure.Options{PageSize: 2})
	client := f.storage(production, "").NewAccountsClient()
	all, count, err := pages(t.Context(), client.NewListPager(nil), func(p armstorage.AccountsClientListResponse) []*armstorage.Account { return p.Value })
	if err != nil || count != 2 || len(all) != 3 {
		t.Fatalf("%d accounts on %d pages, %v", len(all), count, err)
	}
	first := all[0]
	if *first.Kind != armstorage.KindFileStorage || *first.SKU.Name != armstorage.SKUNamePremiumV2LRS || *first.Location != "westeurope" ||
		!first.Properties.CreationTime.Equal(time.Date(2025, 6, 1, 8, 0, 0, 0, time.UTC)) || *first.Properties.PrimaryEndpoints.File != "https://examplessdv2.file.core.windows.net/" {
		t.Errorf("account %+v", first)
	}
	byGroup, _, err := pages(t.Context(), client.NewListByResourceGroupPager("LINUX", nil), func(p armstorage.AccountsClientListByResourceGroupResponse) []*armstorage.Account { return p.Value })
	if err != nil || len(byGroup) != 1 || *byGroup[0].Name != "examplenfs" {
		t.Errorf("accounts of a group: %v, %v", byGroup, err)
	}
	if _, err := client.GetProperties(t.Context(), "files", "nothing", nil); err == nil {
		t.Error("an account that is not there has properties")
	}
}

// Multichannel may be on, off or never set, which is not off.
func TestMultichannelHasThreeStates(t *testing.T) {
	f := start(t, azure.Options{})
	for _, row := range []struct {
		subscription, group, account string
		want                         *bool
	}{
		{production, "files", "examplessdv1", ptr(true)}, {archive, "archive", "examplehddv2", ptr(false)}, {production, "files", "examplessdv2", nil},
	} {
		answer, err := f.storage(row.subscription, "").NewFileServicesClient().GetServiceProperties(t.Context(), row.group, row.account, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(row.want, answer.FileServiceProperties.FileServiceProperties.ProtocolSettings.Smb.Multichannel.Enabled); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.account, diff)
		}
	}
}

func TestShareProperties(t *testing.T) {
	f := start(t, azure.Options{})
	type numbers struct{ Quota, IOPS, MiBps, Burst, Credits int64 }
	wide := func(v *int32) int64 {
		if v == nil {
			return -1
		}
		return int64(*v)
	}
	for _, row := range []struct {
		subscription, group, account, share string
		want                                numbers
	}{
		{production, "files", "examplessdv2", "scratch", numbers{1024, 3000, 200, 10_000, 25_200_000}},
		{production, "files", "examplessdv2", "archive", numbers{8192, 20_000, 1500, 60_000, 144_000_000}},
		{archive, "archive", "examplehddv2", "scans", numbers{8192, 3000, 120, 9000, 21_600_000}},
		{production, "files", "examplessdv1", "profiles", numbers{10_240, -1, -1, -1, -1}},
		{archive, "archive", "examplepayg", "office", numbers{5120, -1, -1, -1, -1}},
	} {
		answer, err := f.storage(row.subscription, "").NewFileSharesClient().Get(t.Context(), row.group, row.account, row.share, &armstorage.FileSharesClientGetOptions{Expand: ptr("stats")})
		if err != nil {
			t.Fatal(err)
		}
		p := answer.FileShareProperties
		credits := int64(-1)
		if p.MaxBurstCreditsForIops != nil {
			credits = *p.MaxBurstCreditsForIops
		}
		got := numbers{wide(p.ShareQuota), wide(p.ProvisionedIops), wide(p.ProvisionedBandwidthMibps), wide(p.IncludedBurstIops), credits}
		if got != row.want || *p.ShareUsageBytes == 0 {
			t.Errorf("%s: %+v, want %+v", row.share, got, row.want)
		}
	}
}

func TestUsage(t *testing.T) {
	f := start(t, azure.Options{})
	answer, err := f.storage(production, "").NewFileServicesClient().GetServiceUsage(t.Context(), "files", "examplessdv2", nil)
	if err != nil {
		t.Fatal(err)
	}
	u := answer.Properties
	if *u.StorageAccountLimits.MaxProvisionedIOPS != 102_400 || *u.StorageAccountLimits.MaxFileShares != 50 || *u.BurstingConstants.BurstFloorIOPS != 10_000 ||
		*u.StorageAccountUsage.LiveShares.FileShareCount != 14 || *u.StorageAccountUsage.SoftDeletedShares.ProvisionedStorageGiB != 512 {
		t.Errorf("usage %+v", u)
	}
}

// What is paid by use has neither limits of shares nor constants of bursts, and lists say what gets say.
func TestListsOfServicesAndUsages(t *testing.T) {
	f := start(t, azure.Options{})
	services, err := f.storage(archive, "").NewFileServicesClient().List(t.Context(), "archive", "examplepayg", nil)
	if err != nil || len(services.Value) != 1 || *services.Value[0].SKU.Name != armstorage.SKUNameStandardGRS {
		t.Errorf("services %v, %v", services.Value, err)
	}
	pager := f.storage(archive, "").NewFileServicesClient().NewListServiceUsagesPager("archive", "examplepayg", nil)
	usages, _, err := pages(t.Context(), pager, func(p armstorage.FileServicesClientListServiceUsagesResponse) []*armstorage.FileServiceUsage {
		return p.Value
	})
	if err != nil || len(usages) != 1 || usages[0].Properties.FileShareLimits != nil || *usages[0].Properties.StorageAccountUsage.LiveShares.FileShareCount != 2 {
		t.Errorf("usages %v, %v", usages, err)
	}
}

func TestFeatures(t *testing.T) {
	f := start(t, azure.Options{})
	for id, want := range map[string]string{production: "NotRegistered", archive: "Registered"} {
		client, err := armfeatures.NewClient(id, f.Credential(""), f.ARMOptions())
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Get(t.Context(), "Microsoft.Storage", "AzurePremiumFilesMetadataCacheFeature", nil)
		if err != nil || *answer.Properties.State != want {
			t.Errorf("%s: %v, %v", id, answer.Properties, err)
		}
		all, _, err := pages(t.Context(), client.NewListAllPager(nil), func(p armfeatures.ClientListAllResponse) []*armfeatures.FeatureResult { return p.Value })
		if err != nil || len(all) == 0 {
			t.Errorf("%d features, %v", len(all), err)
		}
	}
}

// A token opens the subscriptions that it is for; without one, or with another, nothing opens.
func TestAccess(t *testing.T) {
	f := start(t, azure.Options{Access: map[string][]string{"viewer": {production}, "owner": nil}})
	for _, row := range []struct {
		token, subscription string
		status              int
		subscriptions       int
	}{{"stranger", production, 401, 0}, {"viewer", production, 0, 1}, {"viewer", archive, 403, 1}, {"owner", archive, 0, 2}} {
		_, err := f.storage(row.subscription, row.token).NewAccountsClient().NewListPager(nil).NextPage(t.Context())
		if got, _ := status(err); got != row.status || (got == 0 && err != nil) {
			t.Errorf("%s of %s: %v, want %d", row.token, row.subscription, err, row.status)
		}
		if got := f.subscriptions(row.token); got != row.subscriptions {
			t.Errorf("%s sees %d subscriptions, want %d", row.token, got, row.subscriptions)
		}
	}
}

// subscriptions counts what a token sees, by the client that all clients of Resource Manager are made of.
func (f fleet) subscriptions(token string) int {
	f.t.Helper()
	options := f.ARMOptions()
	options.Retry.MaxRetries = -1
	client, err := arm.NewClient("test", "v1.0.0", f.Credential(token), options)
	if err != nil {
		f.t.Fatal(err)
	}
	request, err := runtime.NewRequest(f.t.Context(), http.MethodGet, client.Endpoint()+"/subscriptions?api-version=2022-12-01")
	if err != nil {
		f.t.Fatal(err)
	}
	response, err := client.Pipeline().Do(request)
	if err != nil {
		f.t.Fatal(err)
	}
	var list struct {
		Value []struct{ SubscriptionID string }
	}
	if response.StatusCode != http.StatusOK {
		_ = response.Body.Close()
		return 0
	}
	if err := runtime.UnmarshalAsJSON(response, &list); err != nil {
		f.t.Fatal(err)
	}
	return len(list.Value)
}

// What a share is provisioned with changes with the fleet: the service tells what it has at the moment of a call.
func TestChangedProvision(t *testing.T) {
	f := start(t, azure.Options{})
	then, err := azure.Example()
	if err != nil {
		t.Fatal(err)
	}
	for _, account := range then.Subscriptions[0].Accounts {
		for _, share := range account.Shares {
			if account.Name == "examplessdv2" && share.Name == "scratch" {
				share.IOPS, share.MiBps = 4000, 300
			}
		}
	}
	provision := func() [2]int32 {
		answer, err := f.storage(production, "").NewFileSharesClient().Get(t.Context(), "files", "examplessdv2", "scratch", nil)
		if err != nil {
			t.Fatal(err)
		}
		return [2]int32{*answer.FileShareProperties.ProvisionedIops, *answer.FileShareProperties.ProvisionedBandwidthMibps}
	}
	if err := f.Model().Change(model.Change{At: now.Add(time.Minute), Fleet: then}, nil); err != nil {
		t.Fatal(err)
	}
	if got := provision(); got != [2]int32{3000, 200} {
		t.Errorf("before the change %v", got)
	}
	f.move(now.Add(time.Minute))
	if got := provision(); got != [2]int32{4000, 300} {
		t.Errorf("after the change %v", got)
	}
}
