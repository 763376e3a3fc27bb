package azure

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/storage/armstorage/v2"

	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

const (
	retainedDays  int32 = 7 // a deleted share
	downgradeWait       = 24 * time.Hour
)

// shares are the shares of an account that are there: not those that a fault made vanish.
func (c *call) shares(a *model.Account) []*model.SharePlacement {
	var all []*model.SharePlacement
	for _, p := range c.server.present(c.now).Shares() {
		if p.Account == a && !c.server.vanished(p) {
			all = append(all, p)
		}
	}
	return all
}

func (s *Server) vanished(p *model.SharePlacement) bool {
	return slices.ContainsFunc(s.faults.Data(), func(active faults.Active) bool {
		return active.Fault.Kind == faults.Vanished && active.Fault.Hits(p.Subscription.ID, p.Account.Location, p.Share.Name, "")
	})
}

func shareProperties(m *model.Model, p *model.SharePlacement) *armstorage.FileShareProperties {
	s := p.Share
	protocol := armstorage.EnabledProtocols(s.Protocol)
	modified := p.Account.Created.Add(time.Hour)
	out := &armstorage.FileShareProperties{
		AccessTier: to.Ptr(armstorage.ShareAccessTier(s.Tier)), EnabledProtocols: &protocol, ShareQuota: to.Ptr(int32(s.QuotaGiB)), //nolint:gosec // checked
		LastModifiedTime: &modified, LeaseState: to.Ptr(armstorage.LeaseStateAvailable), LeaseStatus: to.Ptr(armstorage.LeaseStatusUnlocked),
	}
	if s.Protocol == model.NFS {
		out.RootSquash = to.Ptr(armstorage.RootSquashTypeNoRootSquash)
	}
	if s.Deleted {
		out.Deleted, out.DeletedTime, out.RemainingRetentionDays = to.Ptr(true), to.Ptr(m.Epoch().Add(-24*time.Hour)), to.Ptr(retainedDays-1)
	}
	provisioned(out, p, modified.Add(downgradeWait))
	return out
}

// provisioned fills in what only provisioned shares have; rates only where they are bought apart from size.
func provisioned(out *armstorage.FileShareProperties, p *model.SharePlacement, downgrade time.Time) {
	provision := p.Provision()
	switch p.Account.Billing() {
	case model.V1:
		out.NextAllowedQuotaDowngradeTime = &downgrade
		if p.Share.PaidBursting {
			out.FileSharePaidBursting = &armstorage.FileSharePropertiesFileSharePaidBursting{PaidBurstingEnabled: to.Ptr(true)}
		}
	case model.V2:
		out.ProvisionedIops, out.ProvisionedBandwidthMibps = to.Ptr(int32(provision.IOPS)), to.Ptr(int32(provision.MiBps))
		out.IncludedBurstIops, out.MaxBurstCreditsForIops = to.Ptr(int32(provision.BurstIOPS)), to.Ptr(int64(provision.Credits))
		out.NextAllowedQuotaDowngradeTime = &downgrade
		out.NextAllowedProvisionedIopsDowngradeTime, out.NextAllowedProvisionedBandwidthDowngradeTime = &downgrade, &downgrade
	}
}

const shareType = "Microsoft.Storage/storageAccounts/fileServices/shares"

func shareID(p *model.SharePlacement) *string {
	return to.Ptr(serviceID(p.Subscription, p.Account) + "/shares/" + p.Share.Name)
}

func listShares(c *call) (any, *failure) {
	a, failure := c.account()
	if failure != nil {
		return nil, failure
	}
	if c.query.Get("$filter") != "" {
		return nil, failed(http.StatusNotImplemented, "NotImplemented", "$filter of shares is not part of the emulator")
	}
	deleted := strings.Contains(strings.ToLower(c.query.Get("$expand")), "deleted")
	var all []*armstorage.FileShareItem
	for _, p := range c.shares(a) {
		if !p.Share.Deleted || deleted {
			all = append(all, &armstorage.FileShareItem{ID: shareID(p), Name: &p.Share.Name, Type: to.Ptr(shareType), Properties: shareProperties(c.server.model, p)})
		}
	}
	return paged(c, all)
}

// getShare tells the used space only where it is asked for, as the service does.
func getShare(c *call) (any, *failure) {
	a, failure := c.account()
	if failure != nil {
		return nil, failure
	}
	for _, p := range c.shares(a) {
		if p.Share.Name != c.path["share"] || p.Share.Deleted {
			continue
		}
		properties := shareProperties(c.server.model, p)
		if strings.EqualFold(c.query.Get("$expand"), "stats") {
			properties.ShareUsageBytes = to.Ptr(int64(c.server.model.ShareSpace(p, c.now).Used))
		}
		return &armstorage.FileShare{ID: shareID(p), Name: &p.Share.Name, Type: to.Ptr(shareType), FileShareProperties: properties}, nil
	}
	return nil, failed(http.StatusNotFound, "ShareNotFound", "The specified share does not exist.")
}
