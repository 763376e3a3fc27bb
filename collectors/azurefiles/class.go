package azurefiles

import (
	"math"
	"strings"
)

// class is what an account's kind and SKU say of its shares.
type class struct {
	media   string // ssd or hdd
	billing string // v1, v2 or payg
}

// split says whether metrics can be told apart by share.
func (c class) split() bool { return c.billing != payAsYouGo }

const (
	provisionedV1 = "v1"
	provisionedV2 = "v2"
	payAsYouGo    = "payg"
)

// classOf finds the class of an account; ok is false where it cannot have file shares. The kind says nothing of the media:
// FileStorage has SSD and HDD.
func classOf(kind, sku string) (c class, ok bool) {
	files := kind == "FileStorage"
	switch {
	case kind == "BlobStorage" || kind == "BlockBlobStorage":
		return class{}, false
	case strings.HasPrefix(sku, "PremiumV2_"):
		return class{"ssd", provisionedV2}, files
	case strings.HasPrefix(sku, "Premium_"):
		return class{"ssd", provisionedV1}, files // of another kind: page blobs
	case strings.HasPrefix(sku, "StandardV2_"):
		return class{"hdd", provisionedV2}, files
	case strings.HasPrefix(sku, "Standard_"):
		return class{"hdd", payAsYouGo}, true
	}
	return class{}, false
}

// provisioned is what a share has, in operations per second, bytes per second and operations. What is not known is NaN.
type provisioned struct{ operations, throughput, burst, credits float64 }

// The limits of SSD shares that are billed by size, from Microsoft's "Understanding Azure Files billing" of 2025. Its
// table of examples still has the burst limit of 100,000 that was in force before.
const (
	v1BaseOperations = 3000
	v1BurstFloor     = 10_000
	v1MostOperations = 102_400
	v1BaseMiBps      = 100
	v1MostMiBps      = 10_340
	creditSeconds    = 3600
)

// provisionedV1Of is what a share of a size has where the size decides it all.
func provisionedV1Of(gigabytes float64) provisioned {
	operations := math.Min(v1BaseOperations+gigabytes, v1MostOperations)
	burst := math.Min(math.Max(3*gigabytes, v1BurstFloor), v1MostOperations)
	return provisioned{
		operations: operations, burst: burst, credits: (burst - operations) * creditSeconds,
		throughput: mib * math.Min(v1BaseMiBps+math.Ceil(gigabytes*4/100)+math.Ceil(gigabytes*6/100), v1MostMiBps),
	}
}

const (
	gib = 1 << 30
	mib = 1 << 20
)
