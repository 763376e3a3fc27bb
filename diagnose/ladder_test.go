package diagnose

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

const mib = 1 << 20

// joined is a mount of the first of two volumes of a pool, and what it needs for a ladder.
func joined(level string) (*fleet.Mount, *fleet.Endpoint, *fleet.Client) {
	identity := fleet.Resource{Cloud: "gcp", Service: "gcnv", Project: "files-example", Location: "europe-west3", Pool: "pool-a"}
	shared := &fleet.Pool{Identity: identity, ServiceLevel: level, Total: 512 * mib}
	for name, throughput := range map[string]fleet.Value{"home": 120 * mib, "scratch": 200 * mib, "unread": fleet.Unknown} {
		v := &fleet.Volume{Identity: identity, Of: shared, Throughput: throughput, Limit: 128 * mib}
		v.Identity.Volume = name
		shared.Volumes = append(shared.Volumes, v)
	}
	mount := &fleet.Mount{Host: "client-1", Server: "192.0.2.10", Export: "/home", Protocol: "nfs", Version: "3"}
	for _, v := range shared.Volumes {
		if v.Identity.Volume == "home" {
			mount.Volume = v
		}
	}
	client := &fleet.Client{Host: "client-1", NIC: fleet.NIC{
		Receive: fleet.Unknown, Transmit: fleet.Unknown, ReceiveCap: fleet.Unknown, TransmitCap: fleet.Unknown, Speed: fleet.Unknown,
	}}
	client.CPU.BusiestBusy = fleet.Unknown
	return mount, &fleet.Endpoint{Host: "client-1", Server: "192.0.2.10", Protocol: "nfs", Client: client, Ceiling: fleet.Unknown}, client
}

func stepNames(steps []Step) (names []string, binding string) {
	for _, step := range steps {
		names = append(names, step.Step)
		if step.Binding {
			binding += step.Step
		}
	}
	return names, binding
}

func find(t *testing.T, steps []Step, name string) Step {
	t.Helper()
	for _, step := range steps {
		if step.Step == name {
			return step
		}
	}
	t.Fatalf("no step %q", name)
	return Step{}
}

func TestLadderOfAJoinedMount(t *testing.T) {
	mount, endpoint, client := joined("premium")
	steps := Ladder(mount, endpoint, client, nil)
	names, binding := stepNames(steps)
	want := []string{"application", "slots", "sessions", "cpu", "network", "volume", "pool", "server"}
	if diff := cmp.Diff(want, names); diff != "" || binding != "" {
		t.Errorf("binding %q, steps (-want +got):\n%s", binding, diff)
	}
	if v := find(t, steps, StepVolume); v.Load != 120*mib || v.Capacity != 128*mib || v.Utilisation != 120.0/128 {
		t.Errorf("volume: %+v", v)
	}
	if p := find(t, steps, StepPool); p.Load != 320*mib || p.Capacity != 512*mib || p.Utilisation != 0.625 {
		t.Errorf("pool: %+v", p)
	}
	if shown := quantity(find(t, steps, StepPool).Load, find(t, steps, StepPool)); shown != "320 MiB/s" {
		t.Errorf("shown as %q", shown)
	}
	mount.Volume = nil
	if names, _ := stepNames(Ladder(mount, endpoint, client, nil)); len(names) != 6 {
		t.Errorf("steps without a volume: %v", names)
	}
}

// On Flex the limit that the service reports is the pool's: the volume's step has none.
func TestLadderOnFlex(t *testing.T) {
	mount, endpoint, client := joined("flex")
	if v := find(t, Ladder(mount, endpoint, client, nil), StepVolume); v.Capacity.Known() || v.Utilisation.Known() {
		t.Errorf("volume: %+v", v)
	}
	mount.Volume.Of = nil
	if p := find(t, Ladder(mount, endpoint, client, nil), StepPool); p.Load != 120*mib || p.Capacity.Known() {
		t.Errorf("pool that is not known: %+v", p)
	}
}

func TestCloudFindingsBindTheirOwnMounts(t *testing.T) {
	mount, endpoint, client := joined("premium")
	ofPool := mount.Volume.Of.Identity
	elsewhere, other := mount.Volume.Identity, mount.Volume.Identity
	elsewhere.Project, other.Volume = "other-example", "scratch"
	limit := func(r fleet.Resource, variant string) detectors.Finding {
		return detectors.Finding{Detector: detectors.LimitReached, Variant: variant, Severity: detectors.Warning, Resource: r}
	}
	for name, row := range map[string]struct {
		finding detectors.Finding
		binding string
	}{
		"its volume's limit":          {limit(mount.Volume.Identity, detectors.VariantThroughput), StepVolume},
		"its pool's limit":            {limit(ofPool, detectors.VariantThroughput), StepPool},
		"its pool's operations":       {limit(ofPool, detectors.VariantIOPS), StepPool},
		"another volume's":            {limit(other, detectors.VariantThroughput), ""},
		"a namesake's":                {limit(elsewhere, detectors.VariantThroughput), ""},
		"money binds nothing":         {detectors.Finding{Detector: detectors.PoolThroughputUnused, Variant: detectors.VariantUnallocated, Resource: ofPool}, ""},
		"the endpoint's, with volume": {detectors.Finding{Detector: detectors.SessionSaturated, Variant: detectors.VariantFlow, Resource: mount.Resource()}, StepSessions},
		"the host's":                  {detectors.Finding{Detector: detectors.ClientBound, Variant: detectors.VariantNetwork, Resource: client.Resource()}, StepNetwork},
		"the way to the service":      {detectors.Finding{Detector: detectors.ClientBound, Variant: detectors.VariantPlacement, Resource: mount.Resource()}, StepNetwork},
	} {
		path := onPath(mount, []detectors.Finding{row.finding})
		if _, binding := stepNames(Ladder(mount, endpoint, client, path)); binding != row.binding {
			t.Errorf("%s: bound at %q, want %q", name, binding, row.binding)
		}
	}
	mount.Volume = nil
	if path := onPath(mount, []detectors.Finding{limit(ofPool, detectors.VariantThroughput)}); len(path) != 0 {
		t.Errorf("a mount without a volume has a pool's finding: %+v", path)
	}
}

// A mount of a share shows the limit that it is nearer to, of the share and of its account.
func TestLadderOfAShare(t *testing.T) {
	for name, row := range map[string]struct {
		change   func(*fleet.Share)
		unit     string
		load     fleet.Value
		capacity fleet.Value
	}{
		"bytes":                            {func(*fleet.Share) {}, "bytes per second", 90 * mib, 100 * mib},
		"operations, by what bursts allow": {func(s *fleet.Share) { s.Load.Recent[0].Peak = 9_500 }, "operations per second", 9_500, 10_000},
		"operations, without credits":      {func(s *fleet.Share) { s.Load.Recent[0].Credits = 0 }, "operations per second", 2_900, 3_000},
		"paid by use":                      {func(s *fleet.Share) { s.Of.Billing, s.Throughput = fleet.BillingByUse, fleet.Unknown }, "bytes per second", 80 * mib, fleet.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			mount, endpoint, client := joined("premium")
			identity := fleet.Resource{Cloud: "azure", Service: "azurefiles", Project: "s", Location: "westeurope", Pool: "exampleaccount"}
			account := &fleet.Account{Identity: identity, Media: "ssd", Billing: "v2", Limits: fleet.AccountLimits{Operations: 100_000, Throughput: 1_000 * mib}}
			share := &fleet.Share{Identity: identity, Of: account, Throughput: 100 * mib, IOPS: 3_000, Burst: 10_000}
			share.Identity.Volume = "home"
			share.Load = fleet.ShareLoad{Egress: 60 * mib, Ingress: 20 * mib, Recent: []fleet.ShareMoment{{Peak: 2_900, PeakBytes: 90 * mib, Credits: 1}}}
			account.Shares = []*fleet.Share{share}
			account.Load = fleet.ShareLoad{Egress: 0, Ingress: 0}
			row.change(share)
			mount.Volume, mount.Share = nil, share
			finding := detectors.Finding{Detector: "limit_reached", Variant: "iops", Severity: detectors.Critical, Resource: share.Identity}
			steps := Ladder(mount, endpoint, client, onPath(mount, []detectors.Finding{finding}))
			if _, binding := stepNames(steps); binding != StepVolume {
				t.Errorf("binding %q, want the volume", binding)
			}
			step := find(t, steps, StepVolume)
			if step.Unit != row.unit || step.Load != row.load || step.Capacity.Known() != row.capacity.Known() || row.capacity.Known() && step.Capacity != row.capacity {
				t.Errorf("%+v, want %v of %v %s", step, row.load, row.capacity, row.unit)
			}
			if pool := find(t, steps, StepPool); pool.Capacity != 1_000*mib {
				t.Errorf("account %+v", pool)
			}
			finding.Variant = "credits"
			if _, binding := stepNames(Ladder(mount, endpoint, client, onPath(mount, []detectors.Finding{finding}))); binding != "" {
				t.Errorf("binding %q for a limit that is still to come", binding)
			}
			finding.Variant, finding.Resource.Volume = "iops", ""
			if _, binding := stepNames(Ladder(mount, endpoint, client, onPath(mount, []detectors.Finding{finding}))); binding != StepPool {
				t.Errorf("binding %q, want the account", binding)
			}
		})
	}
}

// A mount of a volume of Azure NetApp Files has its volume and its pool on the ladder. A Flexible pool's volumes have limits of
// their own, unlike those of a Flex pool.
func TestLadderOfAzureNetApp(t *testing.T) {
	mount, endpoint, client := joined("flexible")
	for _, v := range mount.Volume.Of.Volumes {
		v.Identity.Cloud, v.Identity.Service, v.Identity.Pool = "azure", "azurenetapp", "account/pool-a"
	}
	mount.Volume.Of.Identity = mount.Volume.Identity
	mount.Volume.Of.Identity.Volume = ""
	finding := detectors.Finding{Detector: detectors.LimitReached, Variant: detectors.VariantThroughput, Severity: detectors.Warning, Resource: mount.Volume.Identity}
	steps := Ladder(mount, endpoint, client, onPath(mount, []detectors.Finding{finding}))
	if _, binding := stepNames(steps); binding != StepVolume {
		t.Errorf("binding %q, want the volume", binding)
	}
	if step := find(t, steps, StepVolume); step.Load != 120*mib || step.Capacity != 128*mib {
		t.Errorf("volume %+v", step)
	}
	if step := find(t, steps, StepPool); step.Load != 320*mib || step.Capacity != 512*mib {
		t.Errorf("pool %+v", step)
	}
	other := finding
	other.Resource.Pool = "account/pool-b" // a namesake in another pool
	if path := onPath(mount, []detectors.Finding{other}); len(path) != 0 {
		t.Errorf("a namesake's finding is on the path: %+v", path)
	}
}
