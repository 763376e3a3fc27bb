package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nasight/nasight/schema"
)

// accounts builds the side of Azure Files: its accounts and shares. Names of shares are unique in an account alone.
type accounts struct {
	*cloud
	accounts map[Resource]*Account
	shares   map[Resource]*Share
}

// addAccounts asks for accounts, shares and what they do, and tells whether any account is known.
func (c *cloud) addAccounts(ctx context.Context) (*accounts, error) {
	a := &accounts{c, map[Resource]*Account{}, map[Resource]*Share{}}
	for _, feature := range accountFeatures() {
		if err := c.instant(ctx, feature); err != nil {
			return nil, err
		}
		if len(c.answers[FeatureAccountInfo]) == 0 {
			return nil, nil // nothing else is asked where there is none
		}
	}
	for _, feature := range slices.Concat(shareFeatures(), shareLoadFeatures()) {
		if feature.Only {
			continue
		}
		if err := c.instant(ctx, feature); err != nil {
			return nil, err
		}
	}
	a.buildAccounts()
	a.buildShares()
	a.buildLoads()
	if err := a.buildRecent(ctx); err != nil {
		return nil, err
	}
	if err := a.addLogs(ctx); err != nil {
		return nil, err
	}
	a.finish()
	return a, nil
}

func (a *accounts) buildAccounts() {
	for identity, labels := range resources(a.answers[FeatureAccountInfo], schema.AccountInfo, identityOf) {
		a.accounts[identity] = &Account{
			Identity: identity, ResourceGroup: labels["resource_group"], Kind: labels["kind"], SKU: labels["sku"], Media: labels["media"],
			Billing: labels["billing"], Multichannel: labels["multichannel"], Created: timeOf(labels["created"]), Endpoint: labels["endpoint"],
			Limits: AccountLimits{Unknown, Unknown, Unknown, Unknown}, Load: unknownLoad(),
		}
	}
	for _, point := range a.answers[FeatureAccountLimit] {
		account := a.accounts[identityOf(point.Labels)]
		if account == nil {
			continue
		}
		switch value := Value(point.Value); point.Labels[schema.Quantity] {
		case "storage_bytes":
			account.Limits.Storage = value
		case "operations_per_second":
			account.Limits.Operations = value
		case "throughput_bytes_per_second":
			account.Limits.Throughput = value
		case "shares":
			account.Limits.Shares = value
		}
	}
	registered := map[Resource]bool{}
	for _, point := range a.answers[FeatureAccountFeature] {
		name := point.Labels["feature"]
		if strings.HasSuffix(name, cachingFeature) && strings.EqualFold(point.Labels["state"], "registered") {
			registered[identityOf(point.Labels)] = true
		}
	}
	for identity, account := range a.accounts {
		account.CachingAsked = registered[Resource{Cloud: identity.Cloud, Service: identity.Service, Project: identity.Project}]
	}
}

// cachingFeature ends the name of the subscription's feature that metadata caching needs.
const cachingFeature = "AzurePremiumFilesMetadataCacheFeature"

// timeOf reads a time of the inventory; zero where it gives none that can be read.
func timeOf(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return at
}

func (a *accounts) buildShares() {
	for identity, labels := range resources(a.answers[FeatureShareInfo], schema.ShareInfo, identityOf) {
		if labels["state"] == "deleted" {
			continue // kept for a while, and nobody can use it
		}
		share := &Share{
			Identity: identity, Protocol: labels["protocol"], Tier: labels["tier"], Created: timeOf(labels["created"]),
			LowerAfter: map[string]time.Time{}, Load: unknownLoad(), Days: unknownShareDays(), Paid: PaidBursts{Unknown, Unknown},
		}
		for _, value := range []*Value{
			&share.Quota, &share.IOPS, &share.Throughput, &share.Burst, &share.CreditsLimit, &share.Used, &share.Snapshots, &share.Files,
		} {
			*value = Unknown
		}
		a.shares[identity] = share
	}
	for feature, field := range map[string]func(*Share) *Value{
		FeatureShareQuota:       func(s *Share) *Value { return &s.Quota },
		FeatureShareIOPS:        func(s *Share) *Value { return &s.IOPS },
		FeatureShareThroughput:  func(s *Share) *Value { return &s.Throughput },
		FeatureShareBurst:       func(s *Share) *Value { return &s.Burst },
		FeatureShareCreditsMost: func(s *Share) *Value { return &s.CreditsLimit },
		FeatureShareUsed:        func(s *Share) *Value { return &s.Used },
		FeatureShareSnapshots:   func(s *Share) *Value { return &s.Snapshots },
		FeatureShareFiles:       func(s *Share) *Value { return &s.Files },
	} {
		for _, point := range a.answers[feature] {
			if share := a.shares[identityOf(point.Labels)]; share != nil {
				*field(share) = Value(point.Value)
			}
		}
	}
	for _, point := range a.answers[FeatureSharePaidBurst] {
		share := a.shares[identityOf(point.Labels)]
		if share == nil {
			continue
		}
		switch value := Value(point.Value); point.Labels[schema.Quantity] {
		case "operations_per_second":
			share.Paid.Operations = value
		case "throughput_bytes_per_second":
			share.Paid.Throughput = value
		}
	}
	for _, point := range a.answers[FeatureShareLowerAfter] {
		if share := a.shares[identityOf(point.Labels)]; share != nil && point.Value > 0 && point.Value < 1e11 {
			share.LowerAfter[point.Labels[schema.Quantity]] = time.Unix(int64(point.Value), 0).UTC()
		}
	}
}

// load is what the service measured of a series' share, or of the account where it names none; nil where neither is listed.
func (a *accounts) load(labels map[string]string) *ShareLoad {
	identity := identityOf(labels)
	if share, ok := a.shares[identity]; ok {
		return &share.Load
	}
	if account, ok := a.accounts[identity]; ok {
		return &account.Load
	}
	return nil
}

func (a *accounts) buildLoads() {
	each := func(feature string, set func(load *ShareLoad, api string, value Value)) {
		for _, point := range a.answers[feature] {
			if load := a.load(point.Labels); load != nil {
				set(load, point.Labels[schema.API], Value(point.Value))
			}
		}
	}
	each(FeatureShareEgress, func(l *ShareLoad, _ string, v Value) { l.Egress = v })
	each(FeatureShareIngress, func(l *ShareLoad, _ string, v Value) { l.Ingress = v })
	each(FeatureShareAvailability, func(l *ShareLoad, _ string, v Value) { l.Availability = v })
	each(FeatureShareOperations, func(l *ShareLoad, api string, v Value) { l.Operations[api] = v })
	each(FeatureShareServer, func(l *ShareLoad, api string, v Value) { l.Server[api] = v })
	each(FeatureShareEndToEnd, func(l *ShareLoad, api string, v Value) { l.EndToEnd[api] = v })
}

// buildRecent reads the newest minutes one by one.
func (a *accounts) buildRecent(ctx context.Context) error {
	for _, feature := range shareSampleFeatures() {
		if feature.Only {
			continue
		}
		first := a.view.At.Add(-time.Duration(feature.Steps-1) * feature.Step)
		lines, err := a.reader.Range(ctx, feature.expand(a.profile, ""), first, a.view.At, feature.Step)
		if err != nil {
			return fmt.Errorf("feature %s: %w", feature.Name, err)
		}
		for _, line := range lines {
			load := a.load(line.Labels)
			if load == nil {
				continue
			}
			load.begin(first)
			place := load.places(feature.Name, line.Labels[schema.Response])
			for i, at := range line.Times {
				if step := int(at.Sub(first).Round(feature.Step) / feature.Step); step >= 0 && step < shareSamples {
					*place(step) = Value(line.Values[i])
				}
			}
		}
	}
	return nil
}

// places gives the place of each minute of a series.
func (l *ShareLoad) places(feature, response string) func(step int) *Value {
	switch feature {
	case FeatureSharePeakIOPS:
		return func(step int) *Value { return &l.Recent[step].Peak }
	case FeatureSharePeakBytes:
		return func(step int) *Value { return &l.Recent[step].PeakBytes }
	case FeatureShareCredits:
		return func(step int) *Value { return &l.Recent[step].Credits }
	}
	values, ok := l.Responses[response]
	if !ok {
		values = make([]Value, shareSamples)
		for i := range values {
			values[i] = Unknown
		}
		l.Responses[response] = values
	}
	return func(step int) *Value { return &values[step] }
}

// begin makes room for the newest minutes, which the service tells of late.
func (l *ShareLoad) begin(first time.Time) {
	if l.Recent != nil {
		return
	}
	l.Recent = make([]ShareMoment, shareSamples)
	for i := range l.Recent {
		l.Recent[i] = ShareMoment{first.Add(time.Duration(i)*schema.AzureGrain - schema.AzureDelay), Unknown, Unknown, Unknown}
	}
}

// finish hangs the shares into their accounts and sorts everything. A share whose account is not listed has one of which
// nothing is known.
func (a *accounts) finish() {
	for identity, share := range a.shares {
		identity.Volume = ""
		account, ok := a.accounts[identity]
		if !ok {
			account = &Account{Identity: identity, Limits: AccountLimits{Unknown, Unknown, Unknown, Unknown}, Load: unknownLoad()}
			a.accounts[identity] = account
		}
		share.Of = account
		account.Shares = append(account.Shares, share)
	}
	for _, account := range a.accounts {
		slices.SortFunc(account.Shares, func(x, y *Share) int { return compareIdentities(x.Identity, y.Identity) })
		a.view.Accounts = append(a.view.Accounts, account)
		if a.profile.Days != nil {
			a.applyShareDays(account)
		}
	}
	slices.SortFunc(a.view.Accounts, func(x, y *Account) int { return compareIdentities(x.Identity, y.Identity) })
}

func (a *accounts) applyShareDays(account *Account) {
	a.view.DaysAt = a.profile.Days.at
	for _, share := range account.Shares {
		if found, ok := a.profile.Days.shares[share.Identity]; ok {
			share.Days = found
		}
	}
}
