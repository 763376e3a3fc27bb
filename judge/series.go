package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

// seriesGrain is from sample to sample of a baseline: what comes faster is averaged, each sample over the grain that it ends.
const seriesGrain = schema.BaselineGrain

// The delays after which a grain of a source is in history as a whole. What comes still later is taken as long as its series
// has nothing newer, see lateness.
const clientDelay = 2 * time.Minute

// source is a kind of series that have baselines: one row of the table. Its samples are asked of history, for all resources at
// once, on a grid of grains: the past and the present in the same way.
type source struct {
	signal baseline.Signal
	delay  time.Duration
	// queries give the samples, together, with the sign anyOf for the matchers of one resource; more than one where protocols have families of their own.
	queries []string
	// Where the service tells nothing of what does nothing, a grain that the collector read and that has no sample is zero,
	// for every resource that the inventory query lists.
	collector, inventory string
}

// The services' collectors of performance, which have to have run for an absence to mean anything.
const (
	azureFilesReads = "azurefiles_performance"
	performance     = "_performance" // follows the service in the name of its collector
)

// sources is the table, the most telling first: where there is no room for all series, the last ones have none. Latency is
// that of resources that do something: activity is the least operations per second, interval how often hosts are read.
func sources(zone *time.Location, activity float64, interval time.Duration) []source {
	rows := append(volumeSources(activity), shareSources(activity)...)
	rows = append(rows, clientSources(max(minimumEdge, interval*3/2))...)
	for i := range rows {
		s := &rows[i].signal
		s.Grain, s.Delay, s.Zone = seriesGrain, rows[i].delay, zone
	}
	return rows
}

func named(id string, signal baseline.Signal) baseline.Signal {
	signal.ID = id
	return signal
}

// sporadic is a signal that is there only while something is done.
func sporadic(id string, signal baseline.Signal) baseline.Signal {
	signal.ID, signal.Sporadic = id, true
	return signal
}

// anyOf stands for the matchers of a resource in a query; nothing for all.
const anyOf = "$sel"

// query gives the samples of one resource, ready to be run by hand.
func (s *source) query(resource string) string {
	var all []string
	parts := strings.Split(resource, separator)
	for i, name := range schema.IdentityLabels {
		if i < len(parts) && parts[i] != "" {
			all = append(all, fmt.Sprintf("%s=%q", name, parts[i]))
		}
	}
	queries := s.queries
	if protocol := slices.Index(protocols, parts[len(parts)-1]); protocol >= 0 && len(queries) == len(protocols) {
		queries = queries[protocol : protocol+1]
	}
	return strings.ReplaceAll(strings.Join(queries, " or "), anyOf, strings.Join(all, ","))
}

// protocols are those of clients, in the order of the queries.
var protocols = []string{fleet.NFS, fleet.SMB, fleet.ISCSI}

// over is a function of a family's samples in one grain.
func over(function string, family *schema.Family) string {
	return fmt.Sprintf("%s(%s{%s}[%s])", function, family.Name, anyOf, grainRange())
}

// grainRange is the range of one grain's samples. It is a millisecond short: a Prometheus before 3.0 counts the sample at its beginning
// as well, which is the one before's.
func grainRange() string { return promDuration(seriesGrain - time.Millisecond) }

func promDuration(d time.Duration) string { return fmt.Sprintf("%dms", d.Milliseconds()) }

const volumeBy = "cloud, service, project, location, pool, volume"

// volumeSources are those of Google Cloud NetApp Volumes and Azure NetApp Files, as the service measures them.
func volumeSources(activity float64) []source {
	operations := over("avg_over_time", schema.VolumeTotalOperations)
	latency := fmt.Sprintf("%s and on (%s) %s >= %g", over("avg_over_time", schema.VolumeMeanLatency), volumeBy, operations, activity)
	row := func(signal baseline.Signal, query string) source {
		return source{signal: signal, delay: schema.GCNVDelay, queries: []string{query}}
	}
	return []source{
		row(sporadic("volume/latency", baseline.Latency()), latency),
		row(named("volume/throughput", baseline.Throughput()), over("avg_over_time", schema.VolumeTotalThroughput)),
		row(named("volume/operations", baseline.Operations()), operations),
	}
}

// shareSources are those of Azure Files. The service measures each minute in which there was something, and each kind of
// operation by itself: the latency is the mean over all operations.
func shareSources(activity float64) []source {
	minutes := float64(seriesGrain / schema.AzureGrain)
	sum := func(expr string) string { return fmt.Sprintf("sum by (%s) (%s)", volumeBy, expr) }
	mean := func(family *schema.Family) string {
		return fmt.Sprintf("%s / %g", sum(over("sum_over_time", family)), minutes)
	}
	counts := over("sum_over_time", schema.ShareOperations)
	each := fmt.Sprintf("avg_over_time(%s{scope=\"end_to_end\",%s}[%s])", schema.ShareLatency.Name, anyOf, grainRange())
	on := "on (" + volumeBy + ", api)"
	latency := fmt.Sprintf("%s / %s and %s >= %g", sum(each+" * "+on+" "+counts), sum(counts+" and "+on+" "+each), mean(schema.ShareOperations), activity)
	listed := fmt.Sprintf("group by (%[1]s) (last_over_time(%[2]s[%[4]s])) or group by (%[1]s) (last_over_time(%[3]s[%[4]s]))",
		volumeBy, schema.ShareInfo.Name, schema.AccountInfo.Name, promDuration(2*schema.ConfigGrain+seriesGrain))
	row := func(signal baseline.Signal, query string) source {
		return source{signal: signal, delay: schema.AzureDelay + clientDelay, queries: []string{query}, collector: azureFilesReads, inventory: listed}
	}
	rows := []source{
		row(sporadic("share/latency", baseline.Latency()), latency),
		row(sporadic("share/throughput", baseline.Throughput()), mean(schema.ShareThroughput)),
		row(sporadic("share/operations", baseline.Operations()), mean(schema.ShareOperations)),
	}
	rows[0].collector, rows[0].inventory = "", "" // nothing done took no time, not the time zero
	return rows
}

const mountBy = "host, server, export, protocol"

// minimumEdge is within which of either end of a grain a mount has to have been read: a rate over a part of a grain would be
// one over all of it, and too low.
const minimumEdge = 90 * time.Second

// clientSources are those of what hosts see: what each mount moves, and how long each busy endpoint takes, which evaluations
// write back. A host that is gone is no silence: its collectors tell of themselves. Nor is a mount that is: see silentMounts.
func clientSources(edge time.Duration) []source {
	var throughput, operations []string
	for _, protocol := range protocols {
		rate := func(name, matchers string) string {
			return fmt.Sprintf("sum by (%s) (rate(nasight_%s_%s{%s%s}[%s]))", mountBy, protocol, name, matchers, anyOf, promDuration(seriesGrain))
		}
		seen := func(offset string) string {
			return fmt.Sprintf("group by (%s) (last_over_time(nasight_%s_mount_info{%s}[%s]%s))", mountBy, protocol, anyOf, promDuration(edge), offset)
		}
		both := " and " + seen("") + " and " + seen(" offset "+promDuration(seriesGrain-edge))
		throughput = append(throughput, "("+rate("read_bytes_total", "")+" + "+rate("write_bytes_total", "")+")"+both)
		operations = append(operations, rate("operations_total", `class!="notify",`)+both)
	}
	row := func(signal baseline.Signal, queries ...string) source {
		return source{signal: signal, delay: clientDelay, queries: queries}
	}
	return []source{
		row(sporadic("endpoint/latency", baseline.Latency()), over("avg_over_time", schema.EndpointOperationRTT)),
		row(named(mountThroughput, baseline.Throughput()), throughput...),
		row(named(mountOperations, baseline.Operations()), operations...),
	}
}

// separator is in no name.
const separator = "\x1f"

// resourceKey names a resource in a baseline.Key. It stays the same when the cloud's inventory, which tells the pool, is late.
func resourceKey(r fleet.Resource) string {
	r = r.Stable()
	if r.Host != "" { // what a host sees keeps its name whatever is joined
		r = fleet.Resource{Host: r.Host, Server: r.Server, Export: r.Export, Protocol: r.Protocol}
	}
	return strings.Join([]string{r.Cloud, r.Service, r.Project, r.Location, r.Pool, r.Volume, r.Host, r.Server, r.Export, r.Protocol}, separator)
}

// places are where the resources of a view are that may have baselines, by the key of each, with their full names.
func places(view *fleet.Fleet) map[string]fleet.Resource {
	found := map[string]fleet.Resource{}
	add := func(r fleet.Resource) { found[resourceKey(r)] = r }
	for _, pool := range view.Pools {
		for _, volume := range pool.Volumes {
			add(volume.Identity)
		}
	}
	for _, account := range view.Accounts {
		add(account.Identity)
		for _, share := range account.Shares {
			add(share.Identity)
		}
	}
	for _, client := range view.Clients {
		for _, endpoint := range client.Endpoints {
			add(endpoint.Resource())
		}
		for _, mount := range client.Mounts {
			add(mount.Resource())
		}
	}
	return found
}

func placeIn(r fleet.Resource) baseline.Place {
	return baseline.Place{Cloud: r.Cloud, Service: r.Service, Project: r.Project, Location: r.Location, Pool: r.Pool, Volume: r.Volume, Host: r.Host}
}
