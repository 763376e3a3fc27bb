package gcnv

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/api/netapp/v1"
	labelpb "google.golang.org/genproto/googleapis/api/label"
	metricpb "google.golang.org/genproto/googleapis/api/metric"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/nasight/nasight/collectors/connect"
)

// descriptor is one as the table of metrics expects it, after a change.
func descriptor(metric string, change func(*metricpb.MetricDescriptor)) *metricpb.MetricDescriptor {
	r := rowOf(metric)
	d := &metricpb.MetricDescriptor{
		Type: metricPrefix + metric, MetricKind: gauge, ValueType: metricpb.MetricDescriptor_INT64, Unit: r.unit,
		MonitoredResourceTypes: []string{metricPrefix + r.resource},
		Metadata: &metricpb.MetricDescriptor_MetricDescriptorMetadata{
			SamplePeriod: durationpb.New(5 * time.Minute), IngestDelay: durationpb.New(4 * time.Minute),
		},
	}
	if r.rate {
		d.MetricKind = delta
	}
	if r.typed {
		d.Labels = []*labelpb.LabelDescriptor{{Key: "type"}}
	}
	if change != nil {
		change(d)
	}
	return d
}

func TestDifferences(t *testing.T) {
	for _, r := range rows() {
		if notes := differences(r, descriptor(r.metric, nil)); notes != nil {
			t.Errorf("%s: %q", r.metric, notes)
		}
	}
	for name, row := range map[string]struct {
		metric string
		change func(*metricpb.MetricDescriptor)
		notes  []string
	}{
		"a gauge of bytes":                 {throughputMetric, func(d *metricpb.MetricDescriptor) { d.MetricKind = gauge }, []string{"not read: ", "kind: expected DELTA"}},
		"a cumulative one is read as well": {throughputMetric, func(d *metricpb.MetricDescriptor) { d.MetricKind = cumulative }, nil},
		"a delta of latency":               {latencyMetric, func(d *metricpb.MetricDescriptor) { d.MetricKind = delta }, []string{"not read: ", "kind: expected GAUGE"}},
		"a distribution":                   {latencyMetric, func(d *metricpb.MetricDescriptor) { d.ValueType = metricpb.MetricDescriptor_DISTRIBUTION }, []string{"values of this type"}},
		"another unit":                     {limitMetric, func(d *metricpb.MetricDescriptor) { d.Unit = "MiBy/s" }, []string{"unit: expected KiBy/s"}},
		"an unknown unit":                  {limitMetric, func(d *metricpb.MetricDescriptor) { d.Unit = "furlong" }, []string{"not read: ", "unit: expected KiBy/s"}},
		"no unit":                          {limitMetric, func(d *metricpb.MetricDescriptor) { d.Unit = "" }, []string{"unit: none told, KiBy/s is taken"}},
		"no metadata":                      {limitMetric, func(d *metricpb.MetricDescriptor) { d.Metadata = nil }, []string{"period: expected 5m", "delay: 10m is taken"}},
		"a long delay":                     {limitMetric, func(d *metricpb.MetricDescriptor) { d.Metadata.IngestDelay = durationpb.New(3 * time.Hour) }, []string{"delay: 10m is taken"}},
		"no label":                         {throughputMetric, func(d *metricpb.MetricDescriptor) { d.Labels = nil }, []string{"labels: expected one"}},
		"a label":                          {limitMetric, func(d *metricpb.MetricDescriptor) { d.Labels = []*labelpb.LabelDescriptor{{Key: "x"}} }, []string{"labels: expected none"}},
		"another resource": {limitMetric, func(d *metricpb.MetricDescriptor) {
			d.MonitoredResourceTypes = []string{"netapp.googleapis.com/volume"}
		}, []string{"resource: expected Volume"}},
	} {
		got := differences(rowOf(row.metric), descriptor(row.metric, row.change))
		if len(got) != len(row.notes) {
			t.Errorf("%s: %q", name, got)
			continue
		}
		for i, note := range row.notes {
			if !strings.HasPrefix(got[i], note) {
				t.Errorf("%s: %q, want %q", name, got[i], note)
			}
		}
	}
}

func TestMetricsAnswer(t *testing.T) {
	first := &visit{project: "alpha", descriptors: []*metricpb.MetricDescriptor{
		descriptor(limitMetric, func(d *metricpb.MetricDescriptor) { d.Unit = "MiBy/s" }), descriptor(latencyMetric, nil),
		{Type: metricPrefix + "volume/brand_new", MetricKind: gauge, ValueType: metricpb.MetricDescriptor_DOUBLE},
	}}
	second := &visit{project: "beta", descriptors: []*metricpb.MetricDescriptor{descriptor(limitMetric, nil)}}
	got := metricsAnswer([]*visit{{project: "shut"}, first, second}, Tiers{Off: []string{latencyMetric}})
	if want := "Of 19 that nasight knows, 1 are as expected, 1 differ and 17 are missing; 1 more are described (by way of project alpha)."; got.Says != want {
		t.Errorf("%q", got.Says)
	}
	if want := []string{"project beta describes 2 metrics differently from project alpha"}; !cmp.Equal(want, got.Details) {
		t.Errorf("%q", got.Details)
	}
	notes := map[string]string{}
	for _, line := range got.Table.Rows {
		notes[line[0]] = line[7]
	}
	for metric, note := range map[string]string{
		limitMetric: "unit: expected KiBy/s", latencyMetric: "off by gcnv.tiers.off", "volume/brand_new": "nasight does not read it",
		throughputMetric: "not described: it is not read",
	} {
		if notes[metric] != note {
			t.Errorf("%s: %q", metric, notes[metric])
		}
	}
	if got := metricsAnswer([]*visit{{project: "shut"}}, Tiers{}); got.Known || got.Table != nil {
		t.Errorf("%+v", got)
	}
}

// sampled is a sample of manual volumes: assigned and limit in MiB/s, and what each type moved.
func sampled(names ...string) *sample {
	s := &sample{project: "p", limits: map[key]point{}, moved: map[key]map[string][]point{}, errs: map[string]error{}}
	for _, name := range names {
		s.manual = append(s.manual, &volume{Volume: &netapp.Volume{ThroughputMibps: 100}, key: key{"l", name}})
	}
	return s
}

func (s *sample) limit(name string, mibps float64) *sample {
	s.limits[key{"l", name}] = point{0, mibps * mib}
	return s
}

func (s *sample) move(name string, read, write float64) *sample {
	s.moved[key{"l", name}] = map[string][]point{"read": {{0, 0}, {1, read}}, "write": {{0, write}}}
	return s
}

func (s *sample) fails(metric string) *sample {
	s.errs[metric] = errors.New("broken")
	return s
}

func TestAnswersOfSamples(t *testing.T) {
	for name, row := range map[string]struct {
		got   connect.Answer
		known bool
		says  string
		told  string // a part of a detail; empty for none to look at
	}{
		"limit: none":          {limitAnswer(nil), false, "no volume with manual QoS", ""},
		"limit: no point":      {limitAnswer([]*sample{sampled("a")}), false, "no point of throughput_limit", ""},
		"limit: equal":         {limitAnswer([]*sample{sampled("a", "b").limit("a", 100).limit("b", 100.0004)}), true, "Yes, for 2 of 2", "how soon"},
		"limit: some":          {limitAnswer([]*sample{sampled("a", "b").limit("a", 100)}), true, "Yes, for 1 of 2", ""},
		"limit: other":         {limitAnswer([]*sample{sampled("a", "b").limit("a", 100).limit("b", 64)}), true, "No: it differs for 1 of 2", "p/l/b: limit 64 MiB/s, assigned 100 MiB/s"},
		"limit: failed":        {limitAnswer([]*sample{sampled("a").fails(limitMetric)}), false, "no point", `"broken"`},
		"idle: none asked":     {idleAnswer(nil), false, "no volume could be asked about", ""},
		"idle: all busy":       {idleAnswer([]*sample{sampled("a").move("a", 5, 5)}), false, "no idle volume among the 1", ""},
		"idle: one type still": {idleAnswer([]*sample{sampled("a").move("a", 5, 0)}), false, "no idle volume among the 1", "1 single type"},
		"idle: zero":           {idleAnswer([]*sample{sampled("a", "b").move("a", 0, 0).move("b", 1, 1)}), true, "Points of 0: 1 of 2", "p/l/a"},
		"idle: silent":         {idleAnswer([]*sample{sampled("a", "b").limit("a", 100).move("b", 1, 1)}), true, "None: 1 of 2", "p/l/a"},
		"idle: both":           {idleAnswer([]*sample{sampled("a", "b").limit("a", 100).move("b", 0, 0)}), true, "Both: of 2", "no point: p/l/a"},
		"idle: not monitored":  {idleAnswer([]*sample{sampled("a")}), false, "no idle volume", ""},
		// A reading that failed makes no volume a silent one.
		"idle: failed": {idleAnswer([]*sample{sampled("a").limit("a", 100).fails(throughputMetric)}), false, "no idle volume", `"broken"`},
	} {
		if row.got.Known != row.known || !strings.HasPrefix(row.got.Says, row.says) || !strings.Contains(strings.Join(row.got.Details, "\n"), row.told) {
			t.Errorf("%s: %+v", name, row.got)
		}
	}
}

func TestLatencyAnswer(t *testing.T) {
	described := func(key string) []*visit {
		return []*visit{{descriptors: []*metricpb.MetricDescriptor{descriptor(latencyMetric, func(d *metricpb.MetricDescriptor) {
			d.Labels = []*labelpb.LabelDescriptor{{Key: key}}
		})}}}
	}
	seen := []*sample{{latency: &monitoringpb.TimeSeries{Metric: &metricpb.Metric{Labels: map[string]string{"method": "read"}}}}}
	for want, got := range map[string]connect.Answer{
		"method: the descriptor and series agree.":                         latencyAnswer(described("method"), seen),
		"method, as series carry it; the descriptor says type.":            latencyAnswer(described("type"), seen),
		"method, as series carry it; the descriptor says none.":            latencyAnswer(nil, seen),
		"type, as the descriptor says; no series was there to confirm it.": latencyAnswer(described("type"), []*sample{{}}),
		"neither a descriptor nor a series of it could be read":            latencyAnswer(nil, nil),
	} {
		if got.Says != want || got.Known == strings.HasPrefix(want, "neither") {
			t.Errorf("%+v, want %q", got, want)
		}
	}
}

func TestEndpointsAnswer(t *testing.T) {
	large := func(addresses int) *visit {
		v := &volume{Volume: &netapp.Volume{MultipleEndpoints: true}, key: key{"l", "v"}, wanted: true}
		for i := range addresses {
			v.MountOptions = append(v.MountOptions, &netapp.MountOption{IpAddress: fmt.Sprintf("192.0.2.%d", i), ExportFull: "x:/e"}, nil)
		}
		inv := newInventory(epoch)
		inv.volumes[v.key] = v
		return &visit{project: "p", inv: inv}
	}
	for want, visits := range map[string][]*visit{
		"no volume with multipleEndpoints is known":            {{inv: newInventory(epoch)}},
		"Yes: 2 of 2 list six addresses.":                      {large(6), large(6)},
		"No: 1 of 2 volumes list another number of addresses.": {large(6), large(1)},
	} {
		got := endpointsAnswer(visits)
		if got.Says != want || got.Known == strings.HasPrefix(want, "no volume") {
			t.Errorf("%+v, want %q", got, want)
		}
		if strings.HasPrefix(want, "No:") && (len(got.Details) != 1 || got.Details[0] != "p/l/v: 1 address in 2 mount options") {
			t.Errorf("%q", got.Details)
		}
	}
}

func TestPriceThatIsFound(t *testing.T) {
	wants := wantedPrice{capacityItem, "premium", "us-central1-a"}
	prices := []Price{
		{Item: "throughput", Date: "2026-01-01", Source: "another item"},
		{Item: "capacity", Level: "extreme", Date: "2026-01-01", Source: "another level"},
		{Item: "capacity", Region: "us-east1", Date: "2026-01-01", Source: "another region"},
		{Item: "capacity", Date: "2026-09-01", Source: "for all"},
		{Item: "capacity", Level: "PREMIUM", Date: "2025-01-01", Source: "old"},
		{Item: "capacity", Level: "PREMIUM", Date: "2026-01-01", Source: "new"},
		{Item: "capacity", Region: "us-central1", Date: "2024-01-01", Source: "of the region"},
		{Item: "capacity", Level: "premium", Region: "us-central1-a", Date: "2020-01-01", Source: "of the zone"},
	}
	for n, want := range map[int]string{3: "", 4: "for all", 5: "old", 6: "new", 7: "of the region", 8: "of the zone"} {
		i, ok := wants.find(prices[:n])
		if ok != (want != "") || ok && prices[i].Source != want {
			t.Errorf("of %d: %d, %v", n, i, ok)
		}
	}
}

func TestPricesOfPools(t *testing.T) {
	of := func(p netapp.StoragePool) []wantedPrice { return pricesOf(&pool{StoragePool: &p, key: key{"l", "p"}}) }
	for _, row := range []struct {
		pool netapp.StoragePool
		want []wantedPrice
	}{
		{netapp.StoragePool{ServiceLevel: "STANDARD"}, []wantedPrice{{capacityItem, "standard", "l"}}},
		{netapp.StoragePool{ServiceLevel: "EXTREME"}, []wantedPrice{{capacityItem, "extreme", "l"}, {capacityItem, "premium", "l"}}},
		{netapp.StoragePool{ServiceLevel: "FLEX"}, nil},
		{netapp.StoragePool{ServiceLevel: "FLEX", CustomPerformanceEnabled: true}, []wantedPrice{{throughputItem, "flex", "l"}, {iopsItem, "flex", "l"}}},
		{netapp.StoragePool{ServiceLevel: "FLEX", CustomPerformanceEnabled: true, Mode: "ONTAP"}, nil},
		{netapp.StoragePool{ServiceLevel: "ULTRA"}, nil},
	} {
		got := of(row.pool)
		if fmt.Sprint(got) != fmt.Sprint(row.want) {
			t.Errorf("%s: %v, want %v", row.pool.ServiceLevel, got, row.want)
		}
	}
	if got := pricesAnswer([]*visit{{inv: newInventory(epoch)}}, DefaultConfig(), nil); got.Known {
		t.Errorf("%+v", got)
	}
}

func TestStrangers(t *testing.T) {
	counts := map[string]int{}
	strangers(object{
		"serviceLevel": []byte(`"ULTRA"`), "qosType": []byte(`"QOS_TYPE_UNSPECIFIED"`), "state": []byte(`7`), "mode": []byte(`null`),
	}, poolEnums(), counts)
	strangers(object{"protocols": []byte(`["NFSV3", "NFSV5", "NFSV5"]`)}, volumeEnums(), counts)
	if want := map[string]int{"serviceLevel=ULTRA": 1, "protocols=NFSV5": 2}; !cmp.Equal(want, counts) {
		t.Error(cmp.Diff(want, counts))
	}
	if got := connect.Few([]string{"a", "b", "c"}, 2); got != "a, b and 1 more" {
		t.Error(got)
	}
}
