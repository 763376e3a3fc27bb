package detectors

import (
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
	p := &pass{settings: DefaultSettings()}
	command, caveat := p.enlarge(volume, 4375)
	if !strings.Contains(command, "storage-pools update p --project=example --location=here --capacity=17687\n") || !strings.HasSuffix(command, "--capacity=4375") || !strings.Contains(caveat, "279 GiB first") {
		t.Errorf("%s: %s", command, caveat)
	}
	pool.Allocated = 10000 * gibibyte
	if command, _ := p.enlarge(volume, 4375); strings.Contains(command, "storage-pools") {
		t.Error(command)
	}
	if got := p.inodesGiB(volume); got != 7630 { // 200e6 / 0.8 × 32 KiB
		t.Errorf("%g GiB for 200 million inodes", got)
	}
	for variant, want := range map[string]string{VariantIOPS: "--total-iops=1200", VariantThroughput: "--total-throughput=77"} {
		if got := moreForPool(pool, variant)[0].Command; !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s", variant, got)
		}
	}
	if got := growPool(pool); !strings.HasSuffix(got, "--capacity=20890") {
		t.Error(got)
	}
}
