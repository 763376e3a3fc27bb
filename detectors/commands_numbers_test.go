package detectors

import (
	"regexp"
	"strings"
	"testing"

	"github.com/nasight/nasight/fleet"
)

// Commands have numbers: a fifth over what is used up, and room in the pool before a volume grows.
func TestCommandsHaveNumbers(t *testing.T) {
	pool := &fleet.Pool{
		Identity: fleet.Resource{Cloud: "gcp", Service: "gcnv", Project: "example", Location: "here", Pool: "p"}, ServiceLevel: "standard",
		Capacity: 17408 * gibibyte, Allocated: 17408 * gibibyte, Total: 64 * mebibyte, IOPS: 1000, Custom: true,
	}
	volume := &fleet.Volume{Identity: pool.Identity, Capacity: 4096 * gibibyte, Used: 3500 * gibibyte, InodeUsed: 200e6, InodeLimit: 210e6, Of: pool}
	volume.Identity.Volume = "full"
	pool.Volumes = []*fleet.Volume{volume}
	p := &pass{settings: DefaultSettings()}
	if got := p.enlarge(volume, 4375); !strings.Contains(got.Command, "storage-pools update p --project=example --location=here --capacity=20942\n") || !strings.HasSuffix(got.Command, "--capacity=4375") || !strings.Contains(got.Caveat, "3534 GiB first") {
		t.Errorf("its inodes ask for 7630 GiB: %s: %s", got.Command, got.Caveat)
	}
	pool.Allocated = 10000 * gibibyte
	if got := p.enlarge(volume, 4375); strings.Contains(got.Command, "storage-pools") {
		t.Error(got.Command)
	}
	if got := p.inodesGiB(volume); got != 7630 { // 200e6 / 0.8 × 32 KiB
		t.Errorf("%g GiB for 200 million inodes", got)
	}
	for variant, want := range map[string]string{VariantIOPS: "--total-iops=1200", VariantThroughput: "--total-throughput=77"} {
		if got := p.moreForPool(pool, variant)[0].Command; !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s", variant, got)
		}
	}
	if got := p.largerPool(pool, "", "").Command; !strings.HasSuffix(got, "--capacity=20890") {
		t.Error(got)
	}
	if got := p.largerVolume(volume).Command; !strings.HasSuffix(got, "--capacity=7630") {
		t.Error(got)
	}
	volume.InodeUsed, volume.Used = 0, 0
	if got := p.largerVolume(volume).Command; !strings.HasSuffix(got, "--capacity=4916") {
		t.Error(got)
	}
}

// What has no number has no command that wants one: the command that shows it stands in its place.
func TestCommandsWithoutNumbers(t *testing.T) {
	u, p := fleet.Unknown, &pass{settings: DefaultSettings()}
	for service, show := range map[string]string{"gcnv": "describe", "azurenetapp": "show"} {
		pool := &fleet.Pool{
			Identity: fleet.Resource{Service: service, Project: "example", Location: "here", Pool: "account/p"}, ResourceGroup: "group", ServiceLevel: "flexible", QoS: "manual",
			Capacity: u, Allocated: u, Total: u, IOPS: u, Available: u, Custom: true,
		}
		volume := &fleet.Volume{Identity: pool.Identity, Capacity: u, Used: u, Of: pool}
		volume.Identity.Volume = "v"
		remedies := []Remedy{p.largerPool(pool, "", ""), p.largerVolume(volume), moreThroughput(pool), moreOperations(pool)}
		remedies = append(remedies, p.moreForPool(pool, VariantIOPS)...)
		remedies = append(remedies, p.moreForPool(pool, VariantThroughput)...)
		remedies = append(remedies, p.smallerVolume(volume, u)...)
		remedies = append(remedies, p.moreForVolume(volume)[1:]...)
		for _, remedy := range remedies {
			if !strings.Contains(remedy.Command, " "+show+" ") || !strings.Contains(remedy.Caveat, "not known here") {
				t.Errorf("%s: %+v", service, remedy)
			}
			if placeholder.MatchString(remedy.Command) {
				t.Errorf("%s: a placeholder in %s", service, remedy.Command)
			}
		}
	}
}

var placeholder = regexp.MustCompile(`\b(GIB|TIB|MIBPS|IOPS)\b`)

// A volume is made no smaller than its data, its need and the service allow, and not at all where that is no smaller.
func TestSmallerVolumes(t *testing.T) {
	pool := &fleet.Pool{Identity: fleet.Resource{Service: "gcnv", Project: "example", Location: "here", Pool: "p"}, ServiceLevel: "premium"}
	for name, row := range map[string]struct {
		used, need fleet.Value // GiB, MiB/s
		want       string
	}{
		"by its data":  {1000, 10, "--capacity=1200"},
		"by its need":  {100, 100, "--capacity=1600"},
		"by the least": {1, 1, "--capacity=100"},
		"no smaller":   {1000, 200, ""},
		"data unknown": {fleet.Unknown, 10, "'value(capacityGib)'"},
	} {
		volume := &fleet.Volume{Identity: pool.Identity, Of: pool, Capacity: 2048 * gibibyte, Used: row.used * gibibyte}
		got := (&pass{settings: DefaultSettings()}).smallerVolume(volume, row.need*mebibyte)
		if (len(got) > 0) != (row.want != "") || len(got) > 0 && !strings.HasSuffix(got[0].Command, row.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A pool of another level is made on the same network, its volumes follow, and the old one goes last and by hand.
func TestMoveToALevel(t *testing.T) {
	pool := &fleet.Pool{
		Identity: fleet.Resource{Cloud: "gcp", Service: "gcnv", Project: "example", Location: "here", Pool: "fast"}, ServiceLevel: "extreme", QoS: "manual", Capacity: 10240 * gibibyte,
	}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		volume := &fleet.Volume{Identity: pool.Identity, Of: pool}
		volume.Identity.Volume = name
		pool.Volumes = append(pool.Volumes, volume)
	}
	lines := strings.Split((&pass{settings: DefaultSettings()}).moveRemedy(pool, "premium").Command, "\n")
	want := map[int]string{
		0: "gcloud netapp storage-pools create fast-premium --project=example --location=here --service-level=premium --capacity=10240 --qos-type=manual " +
			"--network=name=\"$(gcloud netapp storage-pools describe fast --project=example --location=here --format='value(network)')\"",
		1: "gcloud netapp volumes update a --project=example --location=here --storage-pool=fast-premium",
		6: "# and 2 volumes more in the same way",
		7: "# and when it has no volume left: gcloud netapp storage-pools delete fast --project=example --location=here",
	}
	for i, line := range want {
		if len(lines) != 8 || lines[i] != line {
			t.Errorf("line %d of %d: %q, want %q", i, len(lines), lines[min(i, len(lines)-1)], line)
		}
	}
}
