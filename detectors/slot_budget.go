package detectors

import (
	"fmt"

	"github.com/nasight/nasight/fleet"
)

// Connections is a client's transports to one endpoint, and the slot limit of each.
type Connections struct {
	Count fleet.Value
	Slots fleet.Value
}

// SlotUse is what a list of connections takes of the service's slot budget. Clients that are not seen count as well, so
// it is a lower bound.
type SlotUse struct {
	Total     float64 // Σ n · min(slots, 128)
	Share     float64 // of the budget
	Severity  Severity
	Suggested int // slots for each connection with which all use the wanted part of the budget
	Unknown   int // connections left out because a number is missing
}

// JudgeSlots applies the rule of the slot budget.
func JudgeSlots(list []Connections, limits ClientSettings) SlotUse {
	use, connections := SlotUse{}, 0.0
	for _, c := range list {
		if !c.Count.Known() || !c.Slots.Known() {
			use.Unknown++
			continue
		}
		connections += float64(c.Count)
		use.Total += float64(c.Count * min(c.Slots, slotsPerTransport))
	}
	use.Share, use.Suggested = use.Total/limits.SlotBudget, suggestedSlots(connections, limits)
	switch {
	case use.Share > 1:
		use.Severity = Critical
	case use.Share >= limits.SlotWarning:
		use.Severity = Warning
	}
	return use
}

// slotLoad is what the view's clients take of the budget.
type slotLoad struct {
	use         SlotUse
	connections float64
	clients     int
	coverage    float64
}

// slotLoad counts the whole view as one project: which client belongs to which project takes the cloud to know.
func (p *pass) slotLoad() slotLoad {
	load := slotLoad{coverage: 1}
	var list []Connections
	for _, client := range p.view.Clients {
		before := len(list)
		list = append(list, p.budgeted(client)...)
		if len(list) > before {
			load.clients++
			load.coverage = min(load.coverage, p.settings.coverage(client).Or(1))
		}
	}
	for _, c := range list {
		load.connections += c.Count.Or(0)
	}
	load.use = JudgeSlots(list, p.settings.Client)
	return load
}

// budgeted are a client's connections to services with a slot budget.
func (p *pass) budgeted(client *fleet.Client) []Connections {
	var list []Connections
	for _, endpoint := range client.Endpoints {
		if !p.hasBudget(endpoint) {
			continue
		}
		for _, transport := range endpoint.Transports {
			list = append(list, Connections{transport.Count, tableSlots(transport, client)})
		}
	}
	return list
}

func (p *pass) hasBudget(endpoint *fleet.Endpoint) bool {
	return endpoint.Provider == fleet.ProviderGCNV || endpoint.Provider == fleet.ProviderUnknown && p.settings.Client.BudgetAnyProvider
}

// slotBudget asks whether the slots of all clients together pass the service's budget.
func slotBudget(p *pass) []draft {
	load := p.budget
	if load.use.Severity == 0 {
		return nil
	}
	limits, use := p.settings.Client, load.use
	resource := fleet.Resource{Service: string(fleet.ProviderGCNV)}
	facts := []fact{
		{"slots over the budget", fleet.Value(use.Share), "ratio", atLeast(limits.SlotWarning), ""},
		{"slots of all clients", fleet.Value(use.Total), "slots", "", ""},
		{"connections of all clients", fleet.Value(load.connections), "connections", "", ""},
		{"connections whose slots are not known", fleet.Value(use.Unknown), "connections", "", ""},
	}
	return []draft{{
		name: Name{ClientBound, VariantSlotBudget}, severity: use.Severity, resource: resource,
		coverage: load.coverage, signals: []signal{unseen(weightInventory)},
		summary: fmt.Sprintf("%s may have %s of the %g requests under way that the service allows all clients of a project together: %s with up to %d each.",
			plural(fleet.Value(load.clients), "client"), whole(fleet.Value(use.Total)), limits.SlotBudget,
			plural(fleet.Value(load.connections), "connection"), slotsPerTransport),
		evidence: p.evidence(resource, facts...),
		remedy: []Remedy{{
			What:    fmt.Sprintf("Set %d slots for each connection on every client, and mount again.", use.Suggested),
			Command: setTable(use.Suggested),
			Caveat:  "A lower bound: clients that nasight does not see count as well, and clients of other projects do not. " + interrupts,
		}},
	}}
}
