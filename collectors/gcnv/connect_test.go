package gcnv

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/connect/connecttest"
	"github.com/nasight/nasight/simulator"
	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// connected is the section that a trial of the lab's projects gives.
func (l *lab) connected(ctx context.Context, prices ...Price) *connect.Section {
	l.t.Helper()
	cfg := l.config
	if cfg.Endpoints == (Endpoints{}) {
		cfg.Endpoints = Endpoints{Monitoring: l.server.GRPCAddress(), NetApp: l.server.URL(), ResourceManager: l.server.URL(), Insecure: true}
	}
	section, err := Connect(ctx, cfg, prices, Options{Clock: l.clock.Now, FirstRetry: time.Millisecond, Patience: 50 * time.Millisecond})
	if err != nil {
		l.t.Fatal(err)
	}
	return section
}

// questionable is a fleet with something for each question: manual QoS, an idle volume, a large one, prices to find.
func questionable() *model.Fleet {
	fleet := fleetOf("alpha", "beta")
	manual := fleet.Projects[0].Pools[0]
	manual.QoS = model.Manual
	for _, v := range manual.Volumes {
		v.ThroughputMiBps = 100
	}
	idle := volumeOf("idle", 0)
	idle.Load.MetadataMiBps = 0
	idle.ThroughputMiBps = 20
	idle.Replication = &model.Replication{Name: "copy", Destination: "projects/beta/locations/europe-west3/volumes/copy"}
	manual.Volumes = append(manual.Volumes, idle)
	large := volumeOf("large", 100)
	large.LargeCapacity, large.CapacityGiB = true, 20480
	large.Mount = nil
	for i := range allEndpoints {
		large.Mount = append(large.Mount, model.MountOption{Export: "/large", IPAddress: fmt.Sprintf("203.0.113.%d", 10+i), Protocol: "NFSV3"})
	}
	fleet.Projects[1].Pools = append(fleet.Projects[1].Pools,
		&model.Pool{Name: "big", Location: "us-central1", ServiceLevel: model.Extreme, CapacityGiB: 20480, Volumes: []*model.Volume{large}},
		&model.Pool{
			Name: "bought", Location: "us-central1-a", ServiceLevel: model.Flex, CapacityGiB: 2048, CustomPerformance: true, TotalThroughputMiBps: 128,
			Volumes: []*model.Volume{volumeOf("scratch", 5)},
		})
	return fleet
}

func somePrices() []Price {
	return []Price{
		{Item: "capacity", Level: "premium", USD: 0.3, Unit: "GiB-month", Date: "2026-01-01", Source: "a list"},
		{Item: "capacity", Level: "Premium", Region: "europe-west3", USD: 0.25, Unit: "GiB-month", Date: "2025-01-01", Source: "a contract"},
		{Item: "throughput", Level: "flex", Region: "us-central1", USD: 0.5, Unit: "MiB/s-month", Date: "2026-02-01"},
		{Item: "capacity", Level: "standard", Region: "us-west1", USD: 0.2, Unit: "GiB-month", Date: "2026-01-01", Source: "a list"},
	}
}

// The whole report on a fleet that has an answer to everything.
func TestConnectGolden(t *testing.T) {
	l := newLab(t, questionable(), nil)
	report := &connect.Report{File: "nasight.yml", Clouds: []*connect.Section{l.connected(t.Context(), somePrices()...)}}
	var text, object strings.Builder
	if err := errors.Join(report.Text(&text), report.WriteJSON(&object)); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"connect.txt": text.String(), "connect.json": object.String()} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v; make it with go test ./collectors/gcnv -run Connect -update", err)
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	usage := l.server.Usage()
	calls := 0
	for _, one := range usage.Calls {
		calls += int(one.Count)
	}
	if cost := report.Clouds[0].Cost; cost.Calls != calls || cost.Series != int(usage.SeriesReturned) || cost.Failed != 0 {
		t.Errorf("the report counts %+v, the emulator %d calls and %d series", cost, calls, usage.SeriesReturned)
	}
}

// Each refusal is one check with its own cause, what lacks and a command; the other projects and permissions work.
func TestConnectRefusals(t *testing.T) {
	for _, row := range []struct {
		fault            faults.Fault
		name, cause      string
		lacks, do, other string // other is a check that works
	}{
		{faults.Fault{Kind: faults.Forbidden, Method: "volumes.list", Project: "beta"}, "netapp.volumes.list", reasonPermission,
			"roles/netapp.viewer", "gcloud projects add-iam-policy-binding beta --member=MEMBER --role=roles/netapp.viewer", "netapp.storagePools.list"},
		{faults.Fault{Kind: faults.Forbidden, Method: "storagePools.list", Project: "beta"}, "netapp.storagePools.list", reasonPermission,
			"roles/netapp.viewer", "gcloud projects add-iam-policy-binding beta --member=MEMBER --role=roles/netapp.viewer", "netapp.volumes.list"},
		{faults.Fault{Kind: faults.Forbidden, Method: "replications.list", Project: "beta"}, "netapp.replications.list", reasonPermission,
			"roles/netapp.viewer", "gcloud projects add-iam-policy-binding beta --member=MEMBER --role=roles/netapp.viewer", "netapp.volumes.list"},
		{faults.Fault{Kind: faults.Forbidden, Method: "ListTimeSeries", Project: "beta"}, "monitoring.timeSeries.list", reasonPermission,
			"roles/monitoring.viewer", "gcloud projects add-iam-policy-binding beta --member=MEMBER --role=roles/monitoring.viewer", "monitoring.metricDescriptors.list"},
		{faults.Fault{Kind: faults.Forbidden, Method: "ListMetricDescriptors", Project: "beta"}, "monitoring.metricDescriptors.list", reasonPermission,
			"roles/monitoring.viewer", "gcloud projects add-iam-policy-binding beta --member=MEMBER --role=roles/monitoring.viewer", "monitoring.timeSeries.list"},
		{faults.Fault{Kind: faults.ServiceDisabled, Method: "ListTimeSeries", Project: "beta"}, "monitoring.timeSeries.list", causeDisabled,
			"the API monitoring.googleapis.com", "gcloud services enable monitoring.googleapis.com --project=1002", "netapp.volumes.list"},
		{faults.Fault{Kind: faults.ServiceDisabled, Method: "storagePools.list", Project: "beta"}, "netapp.storagePools.list", causeDisabled,
			"the API netapp.googleapis.com", "gcloud services enable netapp.googleapis.com --project=1002", "monitoring.timeSeries.list"},
		{faults.Fault{Kind: faults.Unauthenticated, Method: "volumes.list", Project: "beta"}, "netapp.volumes.list", reasonAuthentication,
			"", "gcloud auth application-default login", "monitoring.timeSeries.list"},
		{faults.Fault{Kind: faults.TooManyRequests, Method: "volumes.list", Project: "beta"}, "netapp.volumes.list", reasonRateLimited,
			"", "gcnv.pacing.calls_per_second", "monitoring.timeSeries.list"},
		{faults.Fault{Kind: faults.Unavailable, Method: "ListTimeSeries", Project: "beta"}, "monitoring.timeSeries.list", reasonUnavailable,
			"", "firewall", "netapp.volumes.list"},
		{faults.Fault{Kind: faults.Cut, Method: "storagePools.list", Project: "beta"}, "netapp.storagePools.list", reasonUnavailable,
			"", "firewall", "netapp.volumes.list"},
	} {
		t.Run(string(row.fault.Kind)+" "+row.fault.Method, func(t *testing.T) {
			l := newLab(t, fleetOf("alpha", "beta", "gamma"), nil)
			l.inject(row.fault)
			section := l.connected(t.Context())
			got := connecttest.Checked(t, section, row.name, "beta")
			if got.Status != connect.Failed || got.Cause != row.cause || got.Lacks != row.lacks || !strings.Contains(got.Do, row.do) {
				t.Errorf("%+v", got)
			}
			if counts := connecttest.Statuses(section); counts[connect.Failed] != 1 {
				t.Errorf("%v of %+v", counts, section.Checks)
			}
			if other := connecttest.Checked(t, section, row.other, "beta"); other.Status != connect.OK && other.Status != connect.Warning {
				t.Errorf("%+v", other)
			}
			for _, project := range []string{"alpha", "gamma"} {
				if same := connecttest.Checked(t, section, row.name, project); same.Status != connect.OK {
					t.Errorf("%+v", same)
				}
			}
		})
	}
}

// One project of three is forbidden: its five needs fail, those of the others do not, and they answer.
func TestConnectForbiddenProject(t *testing.T) {
	l := newLab(t, fleetOf("alpha", "beta", "gamma"), nil)
	l.inject(faults.Fault{Kind: faults.Forbidden, Project: "alpha"})
	section := l.connected(t.Context())
	// Replications are listed by volume: without one there is nothing to try it on.
	if got := connecttest.Statuses(section); got[connect.Failed] != 4 || got[connect.OK] != 10 {
		t.Errorf("%v of %+v", got, section.Checks)
	}
	if got := connecttest.Answered(t, section, "latency_label"); !got.Known || !strings.HasPrefix(got.Says, "method") {
		t.Errorf("%+v", got)
	}
	if got := connecttest.Answered(t, section, "metrics"); !got.Known || !strings.Contains(got.Says, "project beta") {
		t.Errorf("%+v", got)
	}
	if section.Cost.Failed != 4 {
		t.Errorf("the cost is %+v", section.Cost)
	}
}

// What is partial or unknown is said, and is no failure.
func TestConnectWarnings(t *testing.T) {
	for name, row := range map[string]struct {
		fault faults.Fault
		check string
		says  []string
	}{
		"unreachable": {faults.Fault{Kind: faults.Unreachable, Location: "europe-west3"}, "netapp.volumes.list", []string{"0 volumes", "could not reach europe-west3"}},
		"enum of pools": {faults.Fault{Kind: faults.UnknownEnum, Method: "storagePools.list"}, "netapp.storagePools.list",
			[]string{`"serviceLevel=ULTRA" (1)`, `"qosType=ADAPTIVE" (1)`, `"state=MIGRATING" (1)`}},
		"enum of volumes": {faults.Fault{Kind: faults.UnknownEnum, Method: "volumes.list"}, "netapp.volumes.list", []string{`"protocols=NFSV5" (2)`}},
		"odd field":       {faults.Fault{Kind: faults.WrongType, Method: "volumes.list"}, "netapp.volumes.list", []string{"2 of its parts made no sense (odd_field)"}},
		"execution":       {faults.Fault{Kind: faults.ExecutionErrors, Method: "ListTimeSeries"}, "monitoring.timeSeries.list", []string{"incomplete", "1 execution error"}},
		"no series":       {faults.Fault{Kind: faults.Missing, Metric: metricPrefix + throughputMetric}, "monitoring.timeSeries.list", []string{"no series of volume/throughput in the last 1h0m0s", "2 volumes"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, fleetOf("alpha"), nil)
			l.inject(row.fault)
			section := l.connected(t.Context())
			got := connecttest.Checked(t, section, row.check, "alpha")
			if got.Status != connect.Warning {
				t.Errorf("%+v", got)
			}
			for _, says := range row.says {
				if !strings.Contains(got.Says, says) {
					t.Errorf("%q is not in %q", says, got.Says)
				}
			}
			if counts := connecttest.Statuses(section); counts[connect.Failed] != 0 {
				t.Errorf("%+v", section.Checks)
			}
		})
	}
}

// A volume that has a limit and no throughput is told as silent; without any series nothing is told.
func TestConnectSilentVolumes(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), nil)
	heal := l.inject(faults.Fault{Kind: faults.Missing, Volume: "logs", Metric: metricPrefix + throughputMetric})
	got := connecttest.Answered(t, l.connected(t.Context()), "idle_volumes")
	if !got.Known || !strings.HasPrefix(got.Says, "None: 1 of 2 volumes") || !slices.Contains(got.Details, "no point: alpha/europe-west3/logs") {
		t.Errorf("%+v", got)
	}
	heal()
	l.inject(faults.Fault{Kind: faults.Missing})
	section := l.connected(t.Context())
	for _, name := range []string{"idle_volumes", "throughput_limit", "multiple_endpoints"} {
		if got := connecttest.Answered(t, section, name); got.Known {
			t.Errorf("%+v", got)
		}
	}
	if got := connecttest.Answered(t, section, "latency_label"); !got.Known || !strings.Contains(got.Says, "no series was there to confirm it") {
		t.Errorf("%+v", got)
	}
}

// Folders bring their projects; one that is forbidden costs itself alone.
func TestConnectFolders(t *testing.T) {
	manager := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path + " " + r.URL.Query().Get("parent") {
		case "/v3/projects folders/1":
			_, _ = fmt.Fprint(w, `{"projects":[{"projectId":"alpha","state":"ACTIVE"},{"projectId":"beta","state":"ACTIVE"}]}`)
		case "/v3/folders folders/1":
			_, _ = fmt.Fprint(w, `{}`)
		default:
			http.Error(w, `{"error":{"code":403,"message":"The caller does not have permission"}}`, http.StatusForbidden)
		}
	}))
	t.Cleanup(manager.Close)
	l := newLab(t, fleetOf("alpha", "beta"), nil)
	l.config.Projects, l.config.Folders, l.config.Exclude = nil, []string{"1", "2"}, []string{"beta"}
	l.config.Endpoints = Endpoints{Monitoring: l.server.GRPCAddress(), NetApp: l.server.URL(), ResourceManager: manager.URL, Insecure: true}
	section := l.connected(t.Context())
	const name = "resourcemanager.projects.list and folders.list"
	if got := connecttest.Checked(t, section, name, "folder 1"); got.Status != connect.OK || got.Says != "2 projects" {
		t.Errorf("%+v", got)
	}
	want := connect.Check{
		Name: name, On: "folder 2", Status: connect.Failed, Cause: reasonPermission, Says: "permission denied", Lacks: browserRole,
		Do: "gcloud resource-manager folders add-iam-policy-binding 2 --member=MEMBER --role=roles/browser", Heard: `"The caller does not have permission"`,
	}
	if diff := cmp.Diff(want, connecttest.Checked(t, section, name, "folder 2")); diff != "" {
		t.Error(diff)
	}
	if got := connecttest.Statuses(section); got[connect.OK] != 6 {
		t.Errorf("%v of %+v", got, section.Checks)
	}
	if !slices.Contains(section.Notes, "gcnv.include and gcnv.exclude keep 2 of 2 volumes.") {
		t.Errorf("notes are %q", section.Notes)
	}
}

// An end of time or an interruption leaves failures that say so, and no hanging.
func TestConnectEnds(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), nil)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	expired, cancel := context.WithTimeout(t.Context(), -time.Second)
	defer cancel()
	for says, ctx := range map[string]context.Context{"not tried: interrupted": canceled, "not tried: out of time": expired} {
		section := l.connected(ctx)
		if got := connecttest.Statuses(section); got[connect.Failed] != 5 {
			t.Errorf("%v of %+v", got, section.Checks)
		}
		if got := connecttest.Checked(t, section, "netapp.volumes.list", "alpha"); got.Says != says || got.Cause != connect.CauseUntried {
			t.Errorf("%+v", got)
		}
		for _, answer := range section.Answers {
			if answer.Known || answer.Says == "" {
				t.Errorf("%+v", answer)
			}
		}
	}
	l.inject(faults.Fault{Kind: faults.Latency, Delay: time.Hour, Method: "ListTimeSeries"})
	// Long enough for what is tried before, on a machine with a hundred things to do.
	short, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if got := connecttest.Checked(t, l.connected(short), "monitoring.timeSeries.list", "alpha"); got.Cause != reasonTimeout || got.Status != connect.Failed {
		t.Errorf("%+v", got)
	}
}

// Nobody listens: both APIs are told as unreachable.
func TestConnectUnreachable(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), nil)
	l.config.Endpoints = Endpoints{Monitoring: "127.0.0.1:1", NetApp: "http://127.0.0.1:1", Insecure: true}
	section := l.connected(t.Context())
	for _, name := range []string{"netapp.storagePools.list", "netapp.volumes.list", "monitoring.metricDescriptors.list", "monitoring.timeSeries.list"} {
		if got := connecttest.Checked(t, section, name, "alpha"); got.Cause != reasonUnavailable {
			t.Errorf("%+v", got)
		}
	}
	if got := connecttest.Checked(t, section, "netapp.replications.list", "alpha"); got.Status != connect.Skipped {
		t.Errorf("%+v", got)
	}
}

func TestConnectNeedsACloud(t *testing.T) {
	if _, err := Connect(t.Context(), DefaultConfig(), nil, Options{}); err == nil {
		t.Error("no error without projects")
	}
	bad := DefaultConfig()
	bad.Projects = []string{"Not A Project"}
	if _, err := Connect(t.Context(), bad, nil, Options{}); err == nil {
		t.Error("no error with a bad project")
	}
}

// A project of another one's metrics scope does not lend its volumes.
func TestConnectMetricsScope(t *testing.T) {
	fleet := fleetOf("alpha", "beta")
	fleet.Projects[0].MetricsScope = []string{"beta"}
	l := newLab(t, fleet, func(_ *Config, o *simulator.Options) { o.Seed = 7 })
	if got := connecttest.Answered(t, l.connected(t.Context()), "idle_volumes"); got.Known {
		t.Errorf("%+v", got)
	}
}
