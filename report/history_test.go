package report_test

import (
	"math"
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/report"
	"github.com/nasight/nasight/schema"
)

var (
	week = report.Week{Year: 2026, Number: 48}
	now  = week.To().Add(9 * time.Hour)
)

const (
	mebi = 1 << 20
	gibi = 1 << 30

	html = `<script>alert(1)</script>`
	rtl  = "مجلد|\u202eevil"
)

// store is a history that a test fills, on disk as serve has it.
type store struct {
	*history.Embedded
	t       *testing.T
	samples []schema.Sample
}

func newStore(t *testing.T) *store {
	t.Helper()
	opened, err := history.OpenEmbedded(t.Context(), history.EmbeddedOptions{Path: t.TempDir(), Retention: 10 * 365 * 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	return &store{Embedded: opened, t: t}
}

func (s *store) add(family *schema.Family, at time.Time, value float64, labels ...string) {
	if len(labels) != len(family.Labels) {
		s.t.Fatalf("%s has the labels %v, not %v", family.Name, family.Labels, labels)
	}
	s.samples = append(s.samples, schema.Sample{Family: family, Labels: labels, Value: value, Time: at})
}

func (s *store) write() {
	s.t.Helper()
	if err := s.Backfill(s.t.Context(), s.samples); err != nil {
		s.t.Fatal(err)
	}
	s.samples = nil
}

// volume is one volume of a test's estate. Throughput is in MiB/s.
type volume struct {
	name     string
	limit    float64
	capacity float64 // GiB
	use      func(at time.Time) float64
}

type pool struct {
	name, location, level, qos string
	custom                     string
	capacity, total            float64 // GiB, MiB/s
	volumes                    []volume
	gone                       time.Time // it is deleted then; zero: it stays
}

func identity(p pool, more ...string) []string {
	return append([]string{"gcp", "gcnv", "example", p.location, p.name}, more...)
}

// steady is a load of a mean with a day's course and a highest value that is sure to be there.
func steady(mean float64) func(time.Time) float64 {
	return func(at time.Time) float64 {
		return mean * (1 + 0.5*math.Sin(2*math.Pi*float64(at.Hour()*60+at.Minute())/1440))
	}
}

// silent is when the cloud told nothing.
func silent(at time.Time) bool {
	from := week.From().Add(30 * time.Hour)
	return at.After(from) && !at.After(from.Add(40*time.Minute))
}

// pools are the Google side of the estate.
func pools() []pool {
	return []pool{
		{name: "shared-out", location: "europe-west3", level: "premium", qos: "manual", capacity: 6144, total: 384, custom: "false", volumes: []volume{
			{"short", 128, 2048, steady(84)}, {"rich", 256, 4096, steady(20)},
		}},
		{name: "large", location: "europe-west3", level: "extreme", qos: "auto", capacity: 10240, total: 1280, custom: "false", volumes: []volume{{"media", 1280, 10240, steady(100)}}},
		{name: "flexible-" + html, location: "us-central1-a", level: "flex", qos: "auto", capacity: 2048, total: 1024, custom: "true", volumes: []volume{
			{html, 1024, 1024, steady(40)}, {rtl, 1024, 1024, steady(30)},
		}},
		{name: "deleted", location: "europe-west3", level: "standard", qos: "auto", capacity: 2048, total: 32, custom: "false", gone: week.From().Add(60 * time.Hour), volumes: []volume{{"old", 32, 2048, steady(8)}}},
	}
}

// fillGoogle writes two weeks of measurements and the inventory of the last two days.
func (s *store) fillGoogle(all []pool) {
	for _, p := range all {
		for at := week.Back(1).From().Add(5 * time.Minute); !at.After(week.To()); at = at.Add(5 * time.Minute) {
			if silent(at) || !p.gone.IsZero() && at.After(p.gone) {
				continue
			}
			for _, v := range p.volumes {
				s.add(schema.VolumeTotalThroughput, at, v.use(at)*mebi, identity(p, v.name)...)
				s.add(schema.VolumeTotalOperations, at, v.use(at)*16, identity(p, v.name)...)
				s.add(schema.VolumeThroughputLimit, at, v.limit*mebi, identity(p, v.name)...)
				s.add(schema.VolumeMeanLatency, at, 0.001, identity(p, v.name)...)
			}
		}
		for at := week.To().Add(-48 * time.Hour); p.gone.IsZero() && !at.After(week.To()); at = at.Add(time.Hour) {
			s.inventory(p, at)
		}
	}
}

func (s *store) inventory(p pool, at time.Time) {
	s.add(schema.PoolInfo, at, 1, identity(p, p.level, p.qos, "file", "default", "", p.custom, "false", "ready", "")...)
	s.add(schema.PoolCapacity, at, p.capacity*gibi, identity(p)...)
	if p.total > 0 {
		s.add(schema.PoolTotalThroughput, at, p.total*mebi, identity(p)...)
	}
	if p.custom == "true" {
		s.add(schema.PoolTotalIOPS, at, p.total*16, identity(p)...)
	}
	assigned, allocated := 0.0, 0.0
	for _, v := range p.volumes {
		assigned, allocated = assigned+v.limit, allocated+v.capacity
		s.add(schema.VolumeInfo, at, 1, identity(p, v.name, p.level, p.qos, "nfsv3", "ready", "false", "false", "", "volume")...)
		s.add(schema.VolumeCapacity, at, v.capacity*gibi, identity(p, v.name)...)
		if p.qos == "manual" {
			s.add(schema.VolumeAssignedThroughput, at, v.limit*mebi, identity(p, v.name)...)
		}
	}
	s.add(schema.PoolAllocated, at, allocated*gibi, identity(p)...)
	if p.qos == "manual" {
		s.add(schema.PoolAvailableThroughput, at, (p.total-assigned)*mebi, identity(p)...)
	}
}

// fillAzure writes a week of two shares of one account, one of which was idle but for some minutes.
func (s *store) fillAzure() {
	account := []string{"azure", "azurefiles", "subscription", "westeurope", "exampleaccount"}
	busy, idle := append(account[:5:5], "busy"), append(account[:5:5], "idle")
	for at := week.From().Add(5 * time.Minute); !at.After(week.To()); at = at.Add(5 * time.Minute) {
		s.add(schema.SharePeakThroughputRollUp, at, steady(50)(at)*mebi, busy...)
		s.add(schema.SharePeakOperationsRollUp, at, steady(500)(at), busy...)
		s.add(schema.ShareBurstCreditsRollUp, at, 1e6, busy...)
		s.add(schema.ShareBurstCreditsRollUp, at, 1e6, idle...)
	}
	s.add(schema.SharePeakThroughputRollUp, week.From().Add(time.Hour), 10*mebi, idle...)
	for at := week.To().Add(-4 * time.Hour); !at.After(week.To()); at = at.Add(time.Hour) {
		s.add(schema.AccountInfo, at, 1, append(account[:5:5], "files", "FileStorage", "PremiumV2_LRS", "ssd", "v2", "true", "2025-06-01T08:00:00Z", "exampleaccount.file.core.windows.net")...)
		for _, share := range [][]string{busy, idle} {
			s.add(schema.ShareInfo, at, 1, append(share[:6:6], "smb", "premium", "available", "2025-06-01T08:00:00Z")...)
			s.add(schema.ShareQuota, at, 1024*gibi, share...)
			s.add(schema.ShareProvisionedThroughput, at, 600*mebi, share...)
			s.add(schema.ShareProvisionedOperations, at, 6000, share...)
			s.add(schema.ShareBurstCreditsMost, at, 1e6, share...)
		}
	}
}

// fire records a finding as serve does, minute by minute.
func (s *store) fire(name detectors.Name, from, to time.Time, labels ...string) {
	for at := from; !at.After(to); at = at.Add(time.Minute) {
		s.add(schema.FindingActive, at, 1, append([]string{name.Detector, name.Variant}, labels...)...)
	}
}

func prices() []detectors.PriceRow {
	row := func(service, level, item string, usd float64, unit string) detectors.PriceRow {
		cloud := "gcp"
		if service == "azurefiles" {
			cloud = "azure"
		}
		return detectors.PriceRow{Cloud: cloud, Service: service, Level: level, Item: item, USD: usd, Unit: unit, Date: "2026-09-21", Source: "a test"}
	}
	return []detectors.PriceRow{
		row("gcnv", "premium", "capacity", 0.338, "GiB-month"), row("gcnv", "extreme", "capacity", 0.452, "GiB-month"),
		row("gcnv", "flex", "throughput", 1.6, "MiB/s-month"), row("gcnv", "flex", "iops", 0.0168, "IOPS-month"),
		row("azurefiles", "ssd", "throughput", 0.5, "MiB/s-month"), row("azurefiles", "ssd", "iops", 0.05, "IOPS-month"),
	}
}

// build makes the report of the store.
func (s *store) build(change func(*report.Options)) (*report.Weekly, error) {
	s.t.Helper()
	terms := judge.HostTerms(time.Minute)
	terms.Settings.Prices = prices()
	options := report.Options{Week: week, Terms: terms, Now: now, History: "a test"}
	if change != nil {
		change(&options)
	}
	return report.Build(s.t.Context(), s, options)
}

func (s *store) mustBuild(change func(*report.Options)) *report.Weekly {
	s.t.Helper()
	w, err := s.build(change)
	if err != nil {
		s.t.Fatal(err)
	}
	return w
}
