package detectors

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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

// slotLoad is what the view's clients take of the budget of one project.
type slotLoad struct {
	project     fleet.Resource // cloud, service and project; the service alone where the project is not known
	use         SlotUse
	connections float64
	coverage    float64

	list  []Connections
	hosts map[string]bool
}

// slotLoads counts the connections of every project. Whose an endpoint is says the volume that is mounted from it; those
// of which that is not known count with the only project there is, or else on their own.
func (p *pass) slotLoads() []slotLoad {
	loads := map[fleet.Resource]*slotLoad{}
	for _, client := range p.view.Clients {
		for _, endpoint := range client.Endpoints {
			if list := p.budgeted(client, endpoint); len(list) > 0 {
				load := loads[projectOf(endpoint)]
				if load == nil {
					load = &slotLoad{project: projectOf(endpoint), coverage: 1, hosts: map[string]bool{}}
					loads[load.project] = load
				}
				load.add(client, list, p.settings.coverage(client).Or(1))
			}
		}
	}
	if unknown := loads[unknownProject()]; unknown != nil && len(loads) == 2 {
		delete(loads, unknown.project)
		for _, only := range loads {
			only.merge(unknown)
		}
	}
	all := make([]slotLoad, 0, len(loads))
	for _, load := range loads {
		load.use = JudgeSlots(load.list, p.settings.Client)
		all = append(all, *load)
	}
	slices.SortFunc(all, func(a, b slotLoad) int { return compareResources(a.project, b.project) })
	return all
}

func (l *slotLoad) add(client *fleet.Client, list []Connections, coverage float64) {
	l.hosts[client.Host] = true
	l.coverage = min(l.coverage, coverage)
	l.list = append(l.list, list...)
	for _, c := range list {
		l.connections += c.Count.Or(0)
	}
}

// merge takes in another load.
func (l *slotLoad) merge(other *slotLoad) {
	maps.Copy(l.hosts, other.hosts)
	l.coverage = min(l.coverage, other.coverage)
	l.connections += other.connections
	l.list = append(l.list, other.list...)
}

func unknownProject() fleet.Resource { return fleet.Resource{Service: string(fleet.ProviderGCNV)} }

// projectOf is the project of the volumes behind an endpoint.
func projectOf(endpoint *fleet.Endpoint) fleet.Resource {
	for _, mount := range endpoint.Mounts {
		if mount.Volume != nil {
			identity := mount.Volume.Identity
			return fleet.Resource{Cloud: identity.Cloud, Service: identity.Service, Project: identity.Project}
		}
	}
	return unknownProject()
}

// budget is the load of the project that an endpoint belongs to.
func (c sessionCase) budget() slotLoad {
	project := projectOf(c.endpoint)
	for _, load := range c.budgets {
		if load.project == project || project == unknownProject() && len(c.budgets) == 1 {
			return load
		}
	}
	return slotLoad{project: project}
}

// budgeted are a client's connections to an endpoint, if its service has a slot budget.
func (p *pass) budgeted(client *fleet.Client, endpoint *fleet.Endpoint) []Connections {
	if endpoint.Protocol != fleet.NFS || !p.hasBudget(endpoint) {
		return nil
	}
	var list []Connections
	for _, transport := range endpoint.Transports {
		list = append(list, Connections{transport.Count, tableSlots(transport, client)})
	}
	return list
}

func (p *pass) hasBudget(endpoint *fleet.Endpoint) bool {
	return endpoint.Provider == fleet.ProviderGCNV || endpoint.Provider == fleet.ProviderUnknown && p.settings.Client.BudgetAnyProvider
}

// slotBudget asks of every project whether the slots of all its clients together pass the service's budget.
func slotBudget(p *pass) []draft {
	var drafts []draft
	for _, load := range p.budgets {
		if load.use.Severity != 0 {
			drafts = append(drafts, p.budgetDraft(load))
		}
	}
	return drafts
}

func (p *pass) budgetDraft(load slotLoad) draft {
	limits, use, resource := p.settings.Client, load.use, load.project
	caveat := "A lower bound: clients that nasight does not see count as well"
	if resource.Project == "" {
		caveat += ", and clients of other projects do not"
	}
	hosts := slices.Sorted(maps.Keys(load.hosts))
	facts := []fact{
		{"slots over the budget", fleet.Value(use.Share), "ratio", atLeast(limits.SlotWarning), ""},
		{"slots of all clients", fleet.Value(use.Total), "slots", "", ""},
		{"connections of all clients", fleet.Value(load.connections), "connections", "", ""},
		{"connections whose slots are not known", fleet.Value(use.Unknown), "connections", "", ""},
	}
	return draft{
		name: Name{ClientBound, VariantSlotBudget}, severity: use.Severity, resource: resource,
		coverage: load.coverage, signals: []signal{unseen(weightInventory)},
		summary: fmt.Sprintf("%s may have %s of the %g requests under way that the service allows all clients of a project together: %s with up to %d each.",
			plural(fleet.Value(len(load.hosts)), "client"), whole(fleet.Value(use.Total)), limits.SlotBudget,
			plural(fleet.Value(load.connections), "connection"), slotsPerTransport),
		evidence: p.evidence(resource, facts...),
		remedy: []Remedy{{
			What:    fmt.Sprintf("Set %d slots for each connection on every client (%s), and mount again.", use.Suggested, someOf(hosts)),
			Command: setTable(use.Suggested) + "\n# on each of: " + strings.Join(hosts, " ") + "\n# when its users are off, for the mounts in /etc/fstab:\numount -a -t nfs,nfs4 && mount -a -t nfs,nfs4",
			Caveat:  caveat + ". " + interrupts,
		}},
	}
}

// someOf names the first few of a list.
func someOf(names []string) string {
	const few = 12
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}
