package fleet

import (
	"math"
	"time"
)

// Account is a storage account with file shares: what a pool is elsewhere.
type Account struct {
	Identity Resource // cloud azure, service azurefiles, project the subscription, location, pool the account

	ResourceGroup string
	Kind, SKU     string
	Media         string // ssd, hdd
	Billing       string // v1, v2, payg
	Multichannel  string // true, false or null: never set
	Created       time.Time
	Endpoint      string // its host name for files
	CachingAsked  bool   // the subscription is registered for metadata caching; no property tells that it is active

	Limits AccountLimits
	Load   ShareLoad // as a whole: all that the service tells where shares are paid by use
	Shares []*Share
}

// AccountLimits are the most that the shares of an account may have or do together.
type AccountLimits struct {
	Storage    Value // bytes
	Operations Value // per second
	Throughput Value // bytes per second
	Shares     Value
}

// Share is a file share of an account. Rates are per second, throughput in bytes per second.
type Share struct {
	Identity Resource // that of the account, and volume the share

	Protocol string // smb, nfs
	Tier     string
	Created  time.Time

	Quota        Value                // bytes; provisioned size, or the most where it is paid by use
	IOPS         Value                // provisioned, bursts left out
	Throughput   Value                // provisioned, both ways together
	Burst        Value                // operations while credits last
	CreditsLimit Value                // of a full bucket
	Paid         PaidBursts           // missing where it does not pay for bursts
	LowerAfter   map[string]time.Time // by quantity (storage, operations, throughput): when it may be lowered again

	Used, Snapshots, Files Value

	Load ShareLoad
	Days ShareDays

	Clients     []ShareClient // the busiest ones in samples of the service's log; empty where it is not read
	BusiestFile []FileMinute  `json:"-"` // the last one the newest that was sampled

	MountedBy []Resource // the mounts that were joined

	Of     *Account `json:"-"`
	Mounts []*Mount `json:"-"`
}

// PaidBursts are how far a share may go for money.
type PaidBursts struct {
	Operations Value // per second
	Throughput Value // bytes per second
}

// ShareLoad is what the service measures of a share or an account. Rates without a time are means over 5 minutes.
type ShareLoad struct {
	Egress, Ingress Value            // bytes per second, read from and written to the share
	Operations      map[string]Value // per second, by the service's name of the operation
	Server          map[string]Value // seconds inside the service, by name
	EndToEnd        map[string]Value // seconds with network and client, by name
	Availability    Value            // 0 to 1

	Recent    []ShareMoment      `json:"-"` // the newest minutes, the last one the newest that has settled
	Responses map[string][]Value `json:"-"` // per second in each of these minutes, by response type
}

// ShareMoment is a minute of a share.
type ShareMoment struct {
	At        time.Time
	Peak      Value // operations in the busiest second
	PeakBytes Value // bytes in the busiest second
	Credits   Value // burst credits that are left
}

// ShareDays is what looks over days found of a share.
type ShareDays struct {
	Coverage   Value // parts of 5 minutes that the service told something of, over those expected, of 7 days
	Full       bool  // they reach back to the beginning of the 7 days
	Operations ShareUse
	Throughput ShareUse
	Growth     Value // bytes per second by which the used space grows: Theil–Sen slope of 7 days
}

// ShareUse is how much of a limit was used, second by second at most: the highest second of each 5 minutes counts.
type ShareUse struct {
	P99    Value // of 7 days
	Max    Value // of 7 days
	Before Value // P99 of the 7 days before
	Peak   Value // of as many of the last 35 days as history holds
}

// Highest is the highest second that is known.
func (u ShareUse) Highest() Value {
	if u.Peak.Above(u.Max.Or(0)) {
		return u.Peak
	}
	return u.Max
}

// The media and the ways to pay.
const (
	MediaSSD     = "ssd"
	MediaHDD     = "hdd"
	BillingV1    = "v1"
	BillingV2    = "v2"
	BillingByUse = "payg"
)

// Resource names the account.
func (a *Account) Resource() Resource { return a.Identity }

// Resource names the share.
func (s *Share) Resource() Resource { return s.Identity }

// ByUse tells whether the account's shares are paid by use and have no limits of their own.
func (a *Account) ByUse() bool { return a.Billing == BillingByUse }

// multichannelDefault is when accounts began to have multichannel without being told (azure.md §2.1).
var multichannelDefault = time.Date(2025, time.October, 24, 0, 0, 0, 0, time.UTC)

// The states of an account's multichannel.
const (
	ChannelsOn       = "true"
	ChannelsOff      = "false"
	ChannelsExpected = "expected" // never set, and made since it is the default
)

// Channels says whether the account offers SMB multichannel: what was never set is off in accounts from before it became the
// default, and expected in those made since. Empty where that cannot be told.
func (a *Account) Channels() string {
	switch {
	case a.Media == MediaHDD:
		return ChannelsOff
	case a.Multichannel == ChannelsOn || a.Multichannel == ChannelsOff:
		return a.Multichannel
	case a.Multichannel != "null" || a.Created.IsZero():
		return ""
	case a.Created.Before(multichannelDefault):
		return ChannelsOff
	}
	return ChannelsExpected
}

// BurstLimit is what the share may do while credits last: as the service says, else by the published formula, which has no
// bursts for shares paid by use.
func (s *Share) BurstLimit() Value {
	if s.Burst.Known() || s.Of == nil || s.Of.ByUse() {
		return s.Burst
	}
	base, least, most := 3*s.IOPS, Value(10_000), Value(102_400)
	if s.Of.Billing == BillingV1 {
		base = 3 * s.Quota / (1 << 30)
	}
	switch {
	case s.Of.Media == MediaHDD:
		least, most = 5_000, 50_000
	case s.Of.Media != MediaSSD:
		return Unknown
	}
	if !base.Known() {
		return Unknown
	}
	return min(max(base, least), most)
}

// Bucket is how many burst credits the share can have: as the service says, else an hour of bursting by the formula.
func (s *Share) Bucket() Value {
	if s.CreditsLimit.Known() {
		return s.CreditsLimit
	}
	return (s.BurstLimit() - s.IOPS) * 3600
}

// Ceiling is how many operations the share may do with so many credits left. Without credits known it is taken to have some:
// nothing is near a limit that may be higher.
func (s *Share) Ceiling(credits Value) Value {
	if s.Paid.Operations.Above(0) {
		return s.Paid.Operations
	}
	if credits.Known() && !credits.Above(0) {
		return s.IOPS
	}
	return s.BurstLimit()
}

// ThroughputCeiling is how many bytes per second the share may move.
func (s *Share) ThroughputCeiling() Value {
	if s.Paid.Throughput.Above(0) {
		return s.Paid.Throughput
	}
	return s.Throughput
}

// Utilisation is how near the share is to one of its limits: the middle one of the last five minutes, so that a single second
// decides nothing. Of a share that is paid by use it is the account's.
func (s *Share) Utilisation() Value {
	if s.Of != nil && s.Of.ByUse() {
		return s.Of.Utilisation()
	}
	var uses []float64
	for _, m := range s.Load.Recent[max(0, len(s.Load.Recent)-5):] {
		operations, throughput := m.Peak.Over(s.Ceiling(m.Credits)), m.PeakBytes.Over(s.ThroughputCeiling())
		if use := math.Max(operations.Or(-1), throughput.Or(-1)); use >= 0 {
			uses = append(uses, use)
		}
	}
	return UsedOf(uses).P50
}

// Utilisation is how near the account as a whole is to one of its limits, by means of five minutes.
func (a *Account) Utilisation() Value {
	operations := a.Load.Total().Over(a.Limits.Operations)
	throughput := a.Load.Egress.Plus(a.Load.Ingress).Over(a.Limits.Throughput)
	if !operations.Known() || throughput.Above(float64(operations)) {
		return throughput
	}
	return operations
}
