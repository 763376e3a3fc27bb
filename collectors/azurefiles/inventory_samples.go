package azurefiles

import (
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/schema"
)

// emitInventory puts the configuration of a subscription into the sink, each thing at the time when it was read. What is
// older than some renewals is not shown any more.
func (sub *subscription) emitInventory(sink collectors.TimedSink, wanted selection, oldest time.Time) {
	for _, f := range sub.features {
		if !f.at.Before(oldest) {
			sink.AddAt(schema.SubscriptionFeatureInfo, 1, f.at, Cloud, Service, sub.id, f.name, f.state)
		}
	}
	for _, a := range sub.sorted() {
		if a.files == nil || a.files.at.Before(oldest) {
			continue
		}
		d := a.details
		labels := []string{Cloud, Service, sub.id, d.location, d.name}
		if len(a.files.shares) > 0 && (a.wanted || wanted.account(sub.id, d.name)) {
			emitAccount(sink, a, labels)
		}
		for _, shares := range []map[string]*share{a.files.shares, a.files.deleted} {
			for name, one := range shares {
				if wanted.share(sub.id, d.name, name) {
					one.emit(sink, d.class, append(labels[:5:5], name))
				}
			}
		}
	}
}

func emitAccount(sink collectors.TimedSink, a *account, labels []string) {
	d, files := a.details, a.files
	sink.AddAt(schema.AccountInfo, 1, files.at, append(labels[:5:5],
		d.group, d.kind, d.sku, d.class.media, d.class.billing, files.multichannel, moment(d.created), d.endpoint)...)
	limits := files.limits
	if limits == nil {
		return
	}
	for _, one := range []struct {
		quantity string
		value    *int32
		unit     float64
	}{
		{"storage_bytes", limits.MaxProvisionedStorageGiB, gib},
		{"operations_per_second", limits.MaxProvisionedIOPS, 1},
		{"throughput_bytes_per_second", limits.MaxProvisionedBandwidthMiBPerSec, mib},
		{"shares", limits.MaxFileShares, 1},
	} {
		values{sink, files.at, append(labels[:5:5], one.quantity)}.add(schema.AccountLimit, number(one.value), one.unit)
	}
}

// moment is a time as labels have it; empty where it is not known.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// values puts numbers of one resource into the sink.
type values struct {
	sink   collectors.TimedSink
	at     time.Time
	labels []string
}

// add puts a value there if it is known, times the size of its unit.
func (v values) add(family *schema.Family, value *float64, unit float64) {
	switch {
	case value == nil:
	case *value < 0:
		v.sink.Skip(oddValue, 1)
	default:
		v.sink.AddAt(family, *value*unit, v.at, v.labels...)
	}
}

func number[T int32 | int64](p *T) *float64 {
	if p == nil {
		return nil
	}
	value := float64(*p)
	return &value
}

func (s *share) emit(sink collectors.TimedSink, c class, labels []string) {
	p := s.properties
	state := "available"
	if p.Deleted != nil && *p.Deleted {
		state = "deleted"
	}
	// The service tells of a share when it was last changed, not when it was made.
	sink.AddAt(schema.ShareInfo, 1, s.at, append(labels[:6:6], protocolOf(p), azureapi.Text(p.AccessTier), state, "")...)
	if state == "deleted" {
		return
	}
	v := values{sink, s.at, labels}
	v.add(schema.ShareQuota, number(p.ShareQuota), gib)
	if c.split() {
		s.emitProvisioned(v, c)
	}
	s.emitDowngrades(v)
}

// emitProvisioned tells what the share has: what the service says of it, and for SSD shares that are billed by size what
// follows from that.
func (s *share) emitProvisioned(v values, c class) {
	p := s.properties
	operations, throughput := number(p.ProvisionedIops), number(p.ProvisionedBandwidthMibps)
	burst, credits := number(p.IncludedBurstIops), number(p.MaxBurstCreditsForIops)
	if size := number(p.ShareQuota); c.billing == provisionedV1 && size != nil {
		derived := provisionedV1Of(*size)
		mibps := derived.throughput / mib
		operations, throughput = or(operations, derived.operations), or(throughput, mibps)
		burst, credits = or(burst, derived.burst), or(credits, derived.credits)
	}
	v.add(schema.ShareProvisionedOperations, operations, 1)
	v.add(schema.ShareProvisionedThroughput, throughput, mib)
	v.add(schema.ShareBurstOperations, burst, 1)
	v.add(schema.ShareBurstCreditsMost, credits, 1)
	s.emitPaidBursts(v)
}

// What one share on SSD may do at most.
const (
	mostOperations = 102_400
	mostMiBps      = 10_340
)

// emitPaidBursts tells how far a share may go that pays for bursts: as its owner has set it, else as far as any share may.
func (s *share) emitPaidBursts(v values) {
	paid := s.properties.FileSharePaidBursting
	if paid == nil || paid.PaidBurstingEnabled == nil || !*paid.PaidBurstingEnabled {
		return
	}
	limit := func(quantity string, value *float64, unit float64) {
		of := v
		of.labels = append(v.labels[:6:6], quantity)
		of.add(schema.SharePaidBurstLimit, value, unit)
	}
	limit("operations_per_second", or(number(paid.PaidBurstingMaxIops), mostOperations), 1)
	limit("throughput_bytes_per_second", or(number(paid.PaidBurstingMaxBandwidthMibps), mostMiBps), mib)
}

func or(value *float64, otherwise float64) *float64 {
	if value == nil {
		return &otherwise
	}
	return value
}

// emitDowngrades tells when each quantity may be lowered again.
func (s *share) emitDowngrades(v values) {
	p := s.properties
	for quantity, at := range map[string]*time.Time{
		"storage": p.NextAllowedQuotaDowngradeTime, "operations": p.NextAllowedProvisionedIopsDowngradeTime,
		"throughput": p.NextAllowedProvisionedBandwidthDowngradeTime,
	} {
		if at != nil && !at.IsZero() {
			v.sink.AddAt(schema.ShareDowngradeAllowed, float64(at.Unix()), v.at, append(v.labels[:6:6], quantity)...)
		}
	}
}
