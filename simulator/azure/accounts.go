package azure

import (
	"net/http"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/storage/armstorage/v2"

	"github.com/nasight/nasight/simulator/model"
)

// accountID is the resource id of an account; serviceID that of its file service, about which metrics are asked.
func accountID(s *model.Subscription, a *model.Account) string {
	return "/subscriptions/" + s.ID + "/resourceGroups/" + a.ResourceGroup + "/providers/Microsoft.Storage/storageAccounts/" + a.Name
}

func serviceID(s *model.Subscription, a *model.Account) string {
	return accountID(s, a) + "/fileServices/default"
}

func skuOf(a *model.Account) *armstorage.SKU {
	tier := armstorage.SKUTierStandard
	if a.SSD() {
		tier = armstorage.SKUTierPremium
	}
	return &armstorage.SKU{Name: to.Ptr(armstorage.SKUName(a.SKU)), Tier: &tier}
}

func accountOf(s *model.Subscription, a *model.Account) *armstorage.Account {
	return &armstorage.Account{
		ID: to.Ptr(accountID(s, a)), Name: &a.Name, Type: to.Ptr("Microsoft.Storage/storageAccounts"), Location: &a.Location,
		Kind: to.Ptr(armstorage.Kind(a.Kind)), SKU: skuOf(a),
		Properties: &armstorage.AccountProperties{
			CreationTime:      &a.Created,
			ProvisioningState: to.Ptr(armstorage.ProvisioningStateSucceeded),
			PrimaryLocation:   &a.Location,
			PrimaryEndpoints:  &armstorage.Endpoints{File: to.Ptr("https://" + a.Name + ".file.core.windows.net/")},
		},
	}
}

func listAccounts(c *call) (any, *failure) {
	var all []*armstorage.Account
	for _, a := range c.subscription.Accounts {
		if group := c.path["group"]; group == "" || strings.EqualFold(group, a.ResourceGroup) {
			all = append(all, accountOf(c.subscription, a))
		}
	}
	return paged(c, all)
}

// account is the account that the call's path names.
func (c *call) account() (*model.Account, *failure) {
	for _, a := range c.subscription.Accounts {
		if a.Name == c.path["account"] && strings.EqualFold(a.ResourceGroup, c.path["group"]) {
			return a, nil
		}
	}
	return nil, failed(http.StatusNotFound, "ResourceNotFound", "The Resource 'Microsoft.Storage/storageAccounts/%s' under resource group '%s' was not found.",
		c.path["account"], c.path["group"])
}

func getAccount(c *call) (any, *failure) {
	a, failure := c.account()
	if failure != nil {
		return nil, failure
	}
	return accountOf(c.subscription, a), nil
}

// serviceOf has the multichannel setting, which stays null where nobody ever set it.
func serviceOf(s *model.Subscription, a *model.Account) *armstorage.FileServiceProperties {
	multichannel := a.Multichannel
	if multichannel == nil {
		multichannel = azcore.NullValue[*bool]()
	}
	return &armstorage.FileServiceProperties{
		ID: to.Ptr(serviceID(s, a)), Name: to.Ptr("default"), Type: to.Ptr("Microsoft.Storage/storageAccounts/fileServices"), SKU: skuOf(a),
		FileServiceProperties: &armstorage.FileServicePropertiesProperties{
			ProtocolSettings:           &armstorage.ProtocolSettings{Smb: &armstorage.SmbSetting{Multichannel: &armstorage.Multichannel{Enabled: multichannel}}},
			ShareDeleteRetentionPolicy: &armstorage.DeleteRetentionPolicy{Enabled: to.Ptr(true), Days: to.Ptr(retainedDays)},
		},
	}
}

func listServices(c *call) (any, *failure) {
	a, failure := c.account()
	if failure != nil {
		return nil, failure
	}
	return paged(c, []*armstorage.FileServiceProperties{serviceOf(c.subscription, a)})
}

func getService(c *call) (any, *failure) {
	a, failure := c.account()
	if failure != nil {
		return nil, failure
	}
	return serviceOf(c.subscription, a), nil
}
