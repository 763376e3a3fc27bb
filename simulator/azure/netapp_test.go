package azure_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/netapp/armnetapp/v8"

	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

const (
	netapp      = "/subscriptions/" + production + "/resourceGroups/netapp/providers/Microsoft.NetApp/netAppAccounts/examplenetapp"
	netappMiB   = 1 << 20
	volumeSpace = "Microsoft.NetApp/netAppAccounts/capacityPools/volumes"
	poolSpace   = "Microsoft.NetApp/netAppAccounts/capacityPools"
)

func (f fleet) netapp() *armnetapp.ClientFactory {
	f.t.Helper()
	factory, err := armnetapp.NewClientFactory(production, f.Credential(""), f.ARMOptions())
	if err != nil {
		f.t.Fatal(err)
	}
	return factory
}

func (f fleet) capacityPools() map[string]*armnetapp.CapacityPool {
	f.t.Helper()
	found := map[string]*armnetapp.CapacityPool{}
	for pager := f.netapp().NewPoolsClient().NewListPager("netapp", "examplenetapp", nil); pager.More(); {
		page, err := pager.NextPage(context.Background())
		if err != nil {
			f.t.Fatal(err)
		}
		for _, pool := range page.Value {
			found[*pool.Name] = pool
		}
	}
	return found
}

func (f fleet) netappVolumes(pool string) map[string]*armnetapp.Volume {
	f.t.Helper()
	found := map[string]*armnetapp.Volume{}
	for pager := f.netapp().NewVolumesClient().NewListPager("netapp", "examplenetapp", pool, nil); pager.More(); {
		page, err := pager.NextPage(context.Background())
		if err != nil {
			f.t.Fatal(err)
		}
		for _, volume := range page.Value {
			found[*volume.Name] = volume
		}
	}
	return found
}

// The inventory is what the description says, in the names of the service, page by page.
func TestNetAppInventory(t *testing.T) {
	f := start(t, azure.Options{PageSize: 3})
	accounts := 0
	for pager := f.netapp().NewAccountsClient().NewListBySubscriptionPager(nil); pager.More(); {
		page, err := pager.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		accounts += len(page.Value)
	}
	pools := f.capacityPools()
	if accounts != 1 || len(pools) != 9 {
		t.Fatalf("%d accounts, %d pools", accounts, len(pools))
	}
	manual, flexible := pools["examplenetapp/manual-free"].Properties, pools["examplenetapp/flexible-idle"].Properties
	if *manual.QosType != armnetapp.QosTypeManual || *manual.TotalThroughputMibps != 640 || *manual.UtilizedThroughputMibps != 440 || *manual.Size != 10<<40 {
		t.Errorf("the manual pool is %+v", manual)
	}
	if *flexible.ServiceLevel != armnetapp.ServiceLevelFlexible || *flexible.CustomThroughputMibps != 1024 || *flexible.TotalThroughputMibps != 1024 {
		t.Errorf("the flexible pool is %+v", flexible)
	}
	volume := f.netappVolumes("manual-free")["examplenetapp/manual-free/database"]
	p := volume.Properties
	if *p.ThroughputMibps != 400 || *p.ActualThroughputMibps != 400 || *p.UsageThreshold != 6<<40 || *p.MountTargets[0].IPAddress != "192.0.2.40" ||
		*volume.Zones[0] != "1" || *p.ProtocolTypes[0] != "NFSv3" || *p.CreationToken != "database" {
		t.Errorf("the volume is %+v", p)
	}
	media := f.netappVolumes("ultra-idle")["examplenetapp/ultra-idle/media"].Properties
	if media.ThroughputMibps != nil || *media.ActualThroughputMibps != 1280 || *media.MountTargets[0].SmbServerFqdn != "anf-4f1c.example.com" {
		t.Errorf("the volume with automatic QoS is %+v", media)
	}
}

func TestNetAppOfNothing(t *testing.T) {
	f := start(t, azure.Options{})
	_, err := f.netapp().NewPoolsClient().Get(t.Context(), "netapp", "examplenetapp", "nowhere", nil)
	var answer *azcore.ResponseError
	if !errors.As(err, &answer) || answer.StatusCode != http.StatusNotFound {
		t.Errorf("got %v", err)
	}
	f.vanish("database")
	if got := f.netappVolumes("manual-free"); len(got) != 1 {
		t.Errorf("a volume that vanished is listed: %d", len(got))
	}
}

func (f fleet) vanish(volume string) {
	f.t.Helper()
	if _, err := f.Inject(faults.Fault{Kind: faults.Vanished, Volume: volume}); err != nil {
		f.t.Fatal(err)
	}
}

// netappMean is the mean of a metric over a span, and how many buckets have a value.
func (f fleet) netappMean(resource, namespace, name string, from, to time.Time, interval string) (mean float64, buckets int) {
	f.t.Helper()
	client, err := azquery.NewMetricsClient(f.Credential(""), &azquery.MetricsClientOptions{ClientOptions: f.ClientOptions()})
	if err != nil {
		f.t.Fatal(err)
	}
	span := azquery.NewTimeInterval(from, to)
	answer, err := client.QueryResource(context.Background(), resource, &azquery.MetricsClientQueryResourceOptions{
		MetricNames: &name, MetricNamespace: &namespace, Interval: &interval, Timespan: &span,
		Aggregation: []*azquery.AggregationType{ptr(azquery.AggregationTypeAverage)},
	})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, series := range answer.Value[0].TimeSeries {
		for _, point := range series.Data {
			if point.Average != nil {
				mean, buckets = mean+*point.Average, buckets+1
			}
		}
	}
	return mean / float64(buckets), buckets
}

func TestNetAppMetricsAreTheFleets(t *testing.T) {
	f := start(t, azure.Options{})
	f.move(epoch.Add(2 * time.Hour))
	from, to := epoch, epoch.Add(time.Hour)
	volume := netapp + "/capacityPools/manual-free/volumes/database"
	for _, p := range f.Model().NetAppVolumes() {
		if p.NetAppVolume.Name != "database" {
			continue
		}
		read := f.Model().Traffic(p.Placement, model.Read, from, to).Bytes / 3600
		got, buckets := f.netappMean(volume, volumeSpace, "ReadThroughput", from, to, "PT5M")
		if buckets != 12 || got < read*0.999 || got > read*1.001 {
			t.Errorf("reads are %g of %g, %d buckets", got, read, buckets)
		}
		if got, buckets := f.netappMean(volume, volumeSpace, "ReadThroughput", from, to, "PT1H"); buckets != 1 || got < read*0.999 || got > read*1.001 {
			t.Errorf("of an hour reads are %g of %g, %d buckets", got, read, buckets)
		}
	}
	pool := netapp + "/capacityPools/manual-free"
	if got, _ := f.netappMean(pool, poolSpace, "VolumePoolProvisionedThroughput", from, to, "PT5M"); got != 640*netappMiB {
		t.Errorf("the pool has %g", got)
	}
	if got, _ := f.netappMean(pool, poolSpace, "VolumePoolAllocatedToVolumeThroughput", from, to, "PT5M"); got != 440*netappMiB {
		t.Errorf("its volumes have %g", got)
	}
}

// A minute is no grain of these metrics, and a metric of another kind of resource is none of theirs.
func TestNetAppQueriesThatAreRefused(t *testing.T) {
	f := start(t, azure.Options{})
	client, err := azquery.NewMetricsClient(f.Credential(""), &azquery.MetricsClientOptions{ClientOptions: f.ClientOptions()})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, interval string }{{"ReadIops", "PT1M"}, {"Transactions", "PT5M"}} {
		_, err := client.QueryResource(t.Context(), netapp+"/capacityPools/manual-free/volumes/database", &azquery.MetricsClientQueryResourceOptions{
			MetricNames: &test.name, Interval: &test.interval,
		})
		var answer *azcore.ResponseError
		if !errors.As(err, &answer) || answer.StatusCode != http.StatusBadRequest {
			t.Errorf("%v gives %v", test, err)
		}
	}
}

// netappRules are the detectors' conditions, as far as the metrics of an hour at noon and the inventory show them.
func netappRules() map[string]func(f fleet, planted model.Planted) bool {
	hour := func(f fleet, planted model.Planted, name string) float64 {
		pool := strings.TrimPrefix(planted.Pool, "examplenetapp/")
		got, _ := f.netappMean(netapp+"/capacityPools/"+pool+"/volumes/"+planted.Volume, volumeSpace, name, epoch, epoch.Add(time.Hour), "PT1H")
		return got
	}
	return map[string]func(f fleet, planted model.Planted) bool{
		"limit_reached/throughput": func(f fleet, p model.Planted) bool { return hour(f, p, "ThroughputLimitReached") >= 0.75 },
		"hard_limit/capacity":      func(f fleet, p model.Planted) bool { return hour(f, p, "VolumeConsumedSizePercentage") >= 80 },
		"pool_throughput_unused/unallocated": func(f fleet, p model.Planted) bool {
			pool := f.capacityPools()[p.Pool].Properties
			free := float64(*pool.TotalThroughputMibps - *pool.UtilizedThroughputMibps)
			return free >= 64 && free >= 0.1*float64(*pool.TotalThroughputMibps)
		},
	}
}

func TestPlantedTruthOfNetAppShows(t *testing.T) {
	f := start(t, azure.Options{})
	f.move(epoch.Add(2 * time.Hour))
	truth, judged := f.Model().Fleet().Truth, 0
	for want, rows := range map[bool][]model.Planted{true: truth.Findings, false: truth.Healthy} {
		for _, planted := range rows {
			rule := netappRules()[planted.Detector+"/"+planted.Variant]
			if rule == nil || !strings.Contains(planted.Pool, "/") {
				continue
			}
			judged++
			if got := rule(f, planted); got != want {
				t.Errorf("%s is %v", fmt.Sprint(planted), got)
			}
		}
	}
	if judged != 6 {
		t.Errorf("%d rows were judged", judged)
	}
}
