package gcnv

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	monitoring "cloud.google.com/go/monitoring/apiv3/v2"
	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"google.golang.org/api/iterator"
	metricpb "google.golang.org/genproto/googleapis/api/metric"

	"github.com/nasight/nasight/collectors/connect"
)

// visit is what a trial saw of one project.
type visit struct {
	project     string
	at          time.Time
	inv         *inventory
	descriptors []*metricpb.MetricDescriptor // of the service's prefix; nil where they could not be listed
	series      bool                         // whether time series could be listed
	checks      []connect.Check
}

func newVisit(project string, now time.Time) *visit {
	return &visit{project: project, at: now, inv: newInventory(now)}
}

// outcome is what a need gave when it was tried.
type outcome struct {
	found  string   // what is there
	odd    []string // what has to be known about it
	absent string   // why there was nothing to try it on
	err    error
}

// step is a need and how it is tried.
type step struct {
	need
	try func(ctx context.Context, conns *connections, v *visit) outcome
}

// steps are what the collector needs of a project. Inventory comes first: the others look at what is in it.
func steps() []step {
	return []step{
		{need{"netapp.storagePools.list", netappService, netappRole}, tryPools},
		{need{"netapp.volumes.list", netappService, netappRole}, tryVolumes},
		{need{"netapp.replications.list", netappService, netappRole}, tryReplications},
		{need{"monitoring.metricDescriptors.list", monitoringService, monitoringRole}, tryDescriptors},
		{need{"monitoring.timeSeries.list", monitoringService, monitoringRole}, trySeries},
	}
}

// tryProject takes all steps, also after one that failed: each failure has a cause of its own.
func (t *trial) tryProject(ctx context.Context, conns *connections, v *visit) {
	for _, s := range steps() {
		on := target{projectTarget, v.project}
		if ctx.Err() != nil {
			v.checks = append(v.checks, connect.Untried(ctx, s.name, on.String()))
			continue
		}
		got := s.try(ctx, conns, v)
		v.inv.choose(v.project, t.wanted)
		v.checks = append(v.checks, s.judge(on, got, t.member, t.cfg.QuotaProject))
	}
}

// judge says what an outcome means.
func (n need) judge(on target, got outcome, member, quotaProject string) connect.Check {
	check := connect.Check{Name: n.name, On: on.String(), Status: connect.OK, Says: got.found}
	switch {
	case got.err != nil:
		return n.refusal(on, got.err, member, quotaProject)
	case got.absent != "":
		check.Status, check.Says = connect.Skipped, got.absent
	case len(got.odd) > 0:
		check.Status, check.Says = connect.Warning, strings.Join(append([]string{got.found}, got.odd...), "; ")
	}
	return check
}

func tryPools(ctx context.Context, conns *connections, v *visit) outcome {
	far, err := v.inv.readPools(ctx, conns.netapp, v.project)
	names := map[string]int{}
	for _, p := range v.inv.pools {
		strangers(p.fields, poolEnums(), names)
	}
	return v.listed(connect.Count(len(v.inv.pools), "pool"), far, names, err)
}

func tryVolumes(ctx context.Context, conns *connections, v *visit) outcome {
	clear(v.inv.odd) // those of the pools are told
	far, err := v.inv.readVolumes(ctx, conns.netapp, v.project)
	names := map[string]int{}
	for _, volume := range v.inv.volumes {
		strangers(volume.fields, volumeEnums(), names)
	}
	return v.listed(connect.Count(len(v.inv.volumes), "volume"), far, names, err)
}

// tryReplications asks for those of one volume, rather one that has some.
func tryReplications(ctx context.Context, conns *connections, v *visit) outcome {
	volumes := v.inv.sorted()
	if len(volumes) == 0 {
		return outcome{absent: "cannot be tried: no volume is known, and replications are listed by volume"}
	}
	chosen := volumes[0]
	if i := slices.IndexFunc(volumes, func(one *volume) bool { return one.HasReplication }); i >= 0 {
		chosen = volumes[i]
	}
	clear(v.inv.odd)
	far, err := v.inv.readReplicationsOf(ctx, conns.netapp, v.project, chosen)
	names := map[string]int{}
	for _, r := range v.inv.replications {
		strangers(r.fields, replicationEnums(), names)
	}
	return v.listed(connect.Count(len(v.inv.replications), "replication")+" of volume "+chosen.key.name, far, names, err)
}

// listed is the outcome of a list of the service's own API.
func (v *visit) listed(found string, far []string, names map[string]int, err error) outcome {
	got := outcome{found: found, err: err}
	if len(far) > 0 {
		got.odd = append(got.odd, "could not reach "+connect.Few(slices.Compact(slices.Sorted(slices.Values(lastParts(far)))), mostStrangers)+": what is there is not in it")
	}
	for _, reason := range slices.Sorted(maps.Keys(v.inv.odd)) {
		got.odd = append(got.odd, fmt.Sprintf("%d of its parts made no sense (%s)", v.inv.odd[reason], reason))
	}
	if text := strange(names); text != "" {
		got.odd = append(got.odd, text)
	}
	return got
}

func lastParts(names []string) []string {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = lastOf(name)
	}
	return parts
}

// sorted are the volumes in the order of location and name.
func (inv *inventory) sorted() []*volume {
	return slices.SortedFunc(maps.Values(inv.volumes), func(a, b *volume) int {
		return strings.Compare(a.key.location+"/"+a.key.name, b.key.location+"/"+b.key.name)
	})
}

// mostDescriptors bounds what is kept; the service has about thirty.
const mostDescriptors = 1000

func tryDescriptors(ctx context.Context, conns *connections, v *visit) outcome {
	all := conns.metrics.ListMetricDescriptors(ctx, &monitoringpb.ListMetricDescriptorsRequest{
		Name: "projects/" + v.project, Filter: fmt.Sprintf("metric.type = starts_with(%q)", metricPrefix),
	})
	for len(v.descriptors) < mostDescriptors {
		descriptor, err := all.Next()
		if errors.Is(err, iterator.Done) {
			break
		}
		if err != nil {
			v.descriptors = nil
			return outcome{err: err}
		}
		v.descriptors = append(v.descriptors, descriptor)
	}
	if len(v.descriptors) == 0 {
		return outcome{err: fmt.Errorf("%w: no metric begins with %s", errInvalid, metricPrefix)}
	}
	return outcome{found: connect.Count(len(v.descriptors), "descriptor")}
}

// span is how far a trial looks back for points.
const span = time.Hour

// trySeries asks for one series, which costs as much as one.
func trySeries(ctx context.Context, conns *connections, v *visit) outcome {
	series, left, err := peek(ctx, conns.metrics, v, rowOf(throughputMetric))
	v.series = err == nil
	got := outcome{found: "series of " + throughputMetric + " can be read", err: err}
	if series == nil && err == nil {
		got.found = "allowed"
		if len(v.inv.volumes) > 0 {
			got.odd = append(got.odd, fmt.Sprintf("no series of %s in the last %s, though there are %s", throughputMetric, span, connect.Count(len(v.inv.volumes), "volume")))
		}
	}
	if left > 0 {
		got.odd = append(got.odd, fmt.Sprintf("the answer is incomplete: %s", connect.Count(left, "execution error")))
	}
	return got
}

// peek reads the labels of one series of a metric; nil where there is none. left counts what the service says it left out.
func peek(ctx context.Context, client *monitoring.MetricClient, v *visit, r *row) (series *monitoringpb.TimeSeries, left int, err error) {
	said := &note{}
	request := reading{project: v.project, row: r, window: window{v.at.Add(-span), v.at}}.request()
	request.View, request.PageSize, request.Aggregation = monitoringpb.ListTimeSeriesRequest_HEADERS, 1, nil
	series, err = client.ListTimeSeries(context.WithValue(ctx, noteKey{}, said), request).Next()
	if errors.Is(err, iterator.Done) {
		return nil, said.errors, nil
	}
	return series, said.errors, err
}
