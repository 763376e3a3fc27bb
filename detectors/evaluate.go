package detectors

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/nasight/nasight/fleet"
)

// pass is one evaluation: what every rule reads.
type pass struct {
	view     *fleet.Fleet
	settings Settings
	budgets  []slotLoad // of all clients of each project together
	near     map[*fleet.Volume]LimitVerdict
	nearPool map[*fleet.Pool]LimitVerdict

	bounds map[string]float64 // see clientBounds; nil until it is asked for

	nearShare   map[*fleet.Share]map[string]HeldVerdict // by variant
	nearAccount map[*fleet.Account]map[string]HeldVerdict
}

func newPass(view *fleet.Fleet, settings Settings) *pass {
	p := &pass{view: view, settings: settings}
	p.budgets = p.slotLoads()
	p.judgeLimits()
	p.judgeShares()
	return p
}

// draft is what a rule found, before it is given its id, confidence and place.
type draft struct {
	name     Name
	severity Severity
	resource fleet.Resource
	coverage float64
	signals  []signal
	doubts   int // confounders that are seen and not ruled out
	summary  string
	evidence []Evidence
	gain     *Gain
	remedy   []Remedy

	certainty float64 // multiplies the confidence; 0 stands for 1
	waste     fleet.Value
	prices    []PriceRow // what the waste was computed with
	affects   []fleet.Resource
	since     time.Time // where the rule knows since when it has been so
	band      *fleet.Band
}

// Evaluate runs every rule over the view, whatever its clock, each finding once, the most severe first and among equals the root cause
// first. In the snapshot profile they are firing; otherwise they are pending, and a Lifecycle says what becomes of them.
func Evaluate(view *fleet.Fleet, settings Settings) []Finding {
	if view == nil {
		return nil
	}
	return newPass(view, settings).evaluate(Minute, Daily)
}

func (p *pass) evaluate(due ...Clock) []Finding {
	found := map[string]Finding{}
	for _, rule := range Rules() {
		if !slices.Contains(due, rule.Clock) {
			continue
		}
		for _, d := range rule.judge(p) {
			finding := p.finding(d)
			if other, twice := found[finding.ID]; !twice || stronger(finding, other) {
				found[finding.ID] = finding
			}
		}
	}
	findings := make([]Finding, 0, len(found))
	for _, finding := range found {
		findings = append(findings, finding)
	}
	slices.SortFunc(findings, order)
	block(findings)
	p.setState(findings)
	return findings
}

func (p *pass) finding(d draft) Finding {
	s := p.settings
	c := confidence(d.coverage*cmp.Or(d.certainty, 1), d.signals, s.Doubt, d.doubts)
	var waste *float64
	if d.waste.Above(0) {
		usd := float64(d.waste)
		waste = &usd
	}
	since := p.view.At
	if !d.since.IsZero() && d.since.Before(since) {
		since = d.since
	}
	return Finding{
		ID: id(d.name, d.resource), Detector: d.name.Detector, Variant: d.name.Variant,
		Severity: d.severity, Confidence: c, Hint: c < s.HintBelow,
		Since: since, Resource: d.resource, Summary: d.summary, Evidence: d.evidence,
		Gain: d.gain, WasteUSDPerMonth: waste, Remedy: d.remedy, BlockedBy: []string{}, Affects: d.affects, Prices: d.prices, Band: d.band,
	}
}

func (p *pass) setState(findings []Finding) {
	for i := range findings {
		findings[i].State = Pending
		if p.settings.Snapshot {
			findings[i].State = Firing
		}
	}
}

// last is the place of what competes with nothing.
const last = 9

// stronger decides which of two findings with one id stays, as when two NFS versions fill their slots to one server.
func stronger(a, b Finding) bool {
	return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Confidence, b.Confidence), cmp.Compare(b.Summary, a.Summary)) > 0
}

func order(a, b Finding) int {
	place := func(f Finding) int {
		if r := rank(f.Name()); r != unranked {
			return r
		}
		return last
	}
	return cmp.Or(
		cmp.Compare(b.Severity, a.Severity), cmp.Compare(place(a), place(b)),
		compareResources(a.Resource, b.Resource), cmp.Compare(a.ID, b.ID),
	)
}

// clients yields the clients with enough samples to be judged.
func (p *pass) clients() iter.Seq[*fleet.Client] {
	return func(yield func(*fleet.Client) bool) {
		for _, client := range p.view.Clients {
			if p.settings.covered(client) && !yield(client) {
				return
			}
		}
	}
}

// endpoints yields every endpoint of those clients.
func (p *pass) endpoints() iter.Seq2[*fleet.Client, *fleet.Endpoint] {
	return func(yield func(*fleet.Client, *fleet.Endpoint) bool) {
		for client := range p.clients() {
			for _, endpoint := range client.Endpoints {
				if !yield(client, endpoint) {
					return
				}
			}
		}
	}
}

// coverage is the client's share of the samples expected. A one-shot check has read every moment that it judges.
func (s Settings) coverage(client *fleet.Client) fleet.Value {
	if s.Snapshot && !client.Coverage.Known() {
		return 1
	}
	return client.Coverage
}

func (s Settings) covered(client *fleet.Client) bool {
	return s.coverage(client).AtLeast(s.MinimumCoverage)
}
