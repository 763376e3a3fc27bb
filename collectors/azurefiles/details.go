package azurefiles

import (
	"net/url"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/storage/armstorage/v2"

	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// details are what the list of accounts says of one. They are immutable.
type details struct {
	id, name, group, location string
	kind, sku                 string
	class                     class
	created                   time.Time // zero where it is not told
	endpoint                  string    // host name for files
	at                        time.Time // when it was read
}

// The reasons that odd items are counted under.
const (
	oddItem     = "odd_item"
	oddAccount  = "odd_account"
	oddValue    = "odd_value"
	oddPoint    = "odd_point"
	oddSeries   = "odd_series"
	oddAPI      = "unknown_api"
	oddResponse = "unknown_response"
	oddShare    = "unknown_share"
	oddTop      = "series_limit"
)

// detailsOf reads one account of a list; ok is false where it cannot have file shares or makes no sense, odd where the
// latter.
func detailsOf(a *armstorage.Account, now time.Time) (d *details, ok, odd bool) {
	if a == nil || a.SKU == nil {
		return nil, false, true
	}
	d = &details{
		id: azureapi.Text(a.ID), name: strings.ToLower(azureapi.Text(a.Name)), group: azureapi.PartOf(azureapi.Text(a.ID), "resourceGroups"),
		location: azureapi.RegionOf(azureapi.Text(a.Location)), kind: azureapi.Text(a.Kind), sku: azureapi.Text(a.SKU.Name), at: now,
	}
	if d.name == "" || d.group == "" || d.location == "" || azureapi.PartOf(d.id, "storageAccounts") == "" {
		return nil, false, true
	}
	if d.class, ok = classOf(d.kind, d.sku); !ok {
		return nil, false, false
	}
	if p := a.Properties; p != nil {
		if p.CreationTime != nil {
			d.created = p.CreationTime.UTC()
		}
		if p.PrimaryEndpoints != nil {
			d.endpoint = hostOf(azureapi.Text(p.PrimaryEndpoints.File))
		}
	}
	return d, true, false
}

func hostOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(parsed.Hostname())
}

// service is the resource that metrics of the account's shares belong to.
func (d *details) service() string { return strings.TrimSuffix(d.id, "/") + "/fileServices/default" }

// fileConfig is what the file service of an account says of itself and its shares. It is immutable.
type fileConfig struct {
	multichannel string // true, false, null, or empty where it could not be read
	limits       *armstorage.AccountLimits
	shares       map[string]*share
	deleted      map[string]*share // of each name the one that was deleted last
	at           time.Time
}

// share is one share.
type share struct {
	name       string
	properties *armstorage.FileShareProperties
	at         time.Time // when it was read
}

// add takes one item of the list of shares; odd says that it makes no sense.
func (f *fileConfig) add(item *armstorage.FileShareItem, now time.Time) (odd bool) {
	if item == nil || azureapi.Text(item.Name) == "" || item.Properties == nil {
		return true
	}
	one := &share{name: *item.Name, properties: item.Properties, at: now}
	p := item.Properties
	switch {
	case p.SnapshotTime != nil: // of a share that is listed as well
	case p.Deleted != nil && *p.Deleted:
		if before := f.deleted[one.name]; before == nil || one.deletedAt().After(before.deletedAt()) {
			f.deleted[one.name] = one
		}
	case f.shares[one.name] != nil:
		return true
	default:
		f.shares[one.name] = one
	}
	return false
}

func (s *share) deletedAt() time.Time {
	if s.properties.DeletedTime == nil {
		return time.Time{}
	}
	return *s.properties.DeletedTime
}
