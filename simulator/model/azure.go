package model

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// Subscription is one subscription of Azure. Enum values below it are written as Azure's API writes them.
type Subscription struct {
	ID       string            `yaml:"id"` // a GUID
	Name     string            `yaml:"name"`
	Features map[string]string `yaml:"features"` // of Microsoft.Storage: Registered, NotRegistered, Pending
	Accounts []*Account        `yaml:"accounts"`

	NetAppAccounts []*NetAppAccount `yaml:"netapp_accounts"` // of Azure NetApp Files

	// Unregistered are the resource providers that the subscription is not registered for, such as Microsoft.Insights.
	Unregistered []string `yaml:"unregistered"`
}

// RegisteredFor tells whether the subscription may use a resource provider.
func (s *Subscription) RegisteredFor(provider string) bool {
	return !slices.ContainsFunc(s.Unregistered, func(one string) bool { return strings.EqualFold(one, provider) })
}

// Account is one storage account.
type Account struct {
	Name          string    `yaml:"name"`
	ResourceGroup string    `yaml:"resource_group"`
	Location      string    `yaml:"location"`     // such as westeurope
	Kind          string    `yaml:"kind"`         // FileStorage, or StorageV2 for shares that are paid by use
	SKU           string    `yaml:"sku"`          // such as PremiumV2_LRS
	Created       time.Time `yaml:"created"`      // RFC 3339
	Multichannel  *bool     `yaml:"multichannel"` // of SMB; left out where it was never set
	Shares        []*Share  `yaml:"shares"`
}

// Share is one file share.
type Share struct {
	Name            string             `yaml:"name"`
	Protocol        string             `yaml:"protocol"`           // SMB (default) or NFS
	Tier            string             `yaml:"tier"`               // Premium (default of FileStorage), TransactionOptimized (of StorageV2), Hot or Cool
	QuotaGiB        int64              `yaml:"quota_gib"`          // provisioned size, or the quota where it is paid by use
	IOPS            int64              `yaml:"iops"`               // provisioned; v2 only, by size on v1
	MiBps           int64              `yaml:"mibps"`              // provisioned; v2 only, by size on v1
	PaidBursting    bool               `yaml:"paid_bursting"`      // v1 only
	Deleted         bool               `yaml:"deleted"`            // softly: listed only on request, without metrics
	Kerberos        bool               `yaml:"kerberos"`           // its clients are known by Kerberos, which prefixes response types
	UsedGiB         float64            `yaml:"used_gib"`           // at the epoch
	GrowthGiBPerDay float64            `yaml:"growth_gib_per_day"` //
	Files           int64              `yaml:"files"`              //
	Snapshots       int64              `yaml:"snapshots"`          //
	SnapshotGiB     float64            `yaml:"snapshot_gib"`       // what snapshots alone hold
	NetworkMS       float64            `yaml:"network_ms"`         // between client and service; default 0.3
	Idle            Span               `yaml:"idle"`               // of each hour, the beginning in which nobody asks for anything
	FailedCreates   float64            `yaml:"failed_creates"`     // share of the Create calls that fail, as on names that are not there
	Load            Workload           `yaml:"load"`               // reads and writes; metadata_mibps stays empty
	Metadata        map[string]float64 `yaml:"metadata"`           // other operations per second by ApiName; they move with the load
	Clients         []ShareClient      `yaml:"clients"`            // as the log of the service names them; they share the work evenly
}

// ShareClient is one host that uses a share.
type ShareClient struct {
	Address  string `yaml:"address"`  // as 192.0.2.10
	Channels int    `yaml:"channels"` // connections, each with a port of its own; default 1
	Files    int    `yaml:"files"`    // that it works on; default 1
	Portless bool   `yaml:"portless"` // the service logs its address without a port
}

const (
	mostChannels     = 32
	mostFiles        = 100
	mostShareClients = 100
)

func (s *Share) checkClients(c *checker, key string) {
	if len(s.Clients) > mostShareClients {
		c.failf(key+".clients", "%d are more than %d", len(s.Clients), mostShareClients)
	}
	for i := range s.Clients {
		client, at := &s.Clients[i], fmt.Sprintf("%s.clients[%d]", key, i)
		setDefault(&client.Channels, 1)
		setDefault(&client.Files, 1)
		if _, err := netip.ParseAddr(client.Address); err != nil {
			c.failf(at+".address", "%q is no address, such as 192.0.2.10", client.Address)
		}
		c.within(at+".channels", float64(client.Channels), 1, mostChannels)
		c.within(at+".files", float64(client.Files), 1, mostFiles)
	}
}

// The kinds of accounts, protocols of shares and states of features, as the cloud's API writes them.
const (
	FileStorage = "FileStorage"
	StorageV2   = "StorageV2"
	SMB         = "SMB"
	NFS         = "NFS"
	Registered  = "Registered"

	// MetadataCache is the feature of a subscription that raises the metadata ceiling of its SMB shares on SSD.
	MetadataCache = "AzurePremiumFilesMetadataCacheFeature"
)

// Billing is how shares of an account are paid for.
type Billing string

// The ways of billing.
const (
	V1         Billing = "v1"
	V2         Billing = "v2"
	PayAsYouGo Billing = "payg"
)
