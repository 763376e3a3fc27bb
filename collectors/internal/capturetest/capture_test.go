package capturetest

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

func TestMomentServesFilesAndLinks(t *testing.T) {
	root := Moment(t, "6.1/nfs-v3-idle", "t0")
	stat, err := collectors.Read(root.Procfs, "stat")
	if err != nil || !strings.HasPrefix(string(stat), "cpu ") {
		t.Errorf("proc/stat = %.20q, error %v", stat, err)
	}
	speed, err := collectors.Read(root.Sysfs, "class/net/eth1/speed")
	if err != nil || string(speed) != "10000\n" {
		t.Errorf("speed behind the link = %q, error %v", speed, err)
	}
	target, err := fs.ReadLink(root.Sysfs, "class/net/eth1")
	if err != nil || target != "../../devices/virtual/net/eth1" {
		t.Errorf("link = %q, error %v", target, err)
	}
	if _, err := collectors.Read(root.Netlink, "sock_diag_tcp4.bin"); err != nil {
		t.Errorf("netlink reply: %v", err)
	}
	if _, err := collectors.Read(root.Procfs, "absent"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent file: error %v", err)
	}
}

func TestScenariosOfThreeKernels(t *testing.T) {
	kernels := map[string]int{}
	for _, scenario := range Scenarios(t) {
		kernel, _, _ := strings.Cut(scenario, "/")
		kernels[kernel]++
	}
	for _, kernel := range []string{"6.1", "6.12", "7.3"} {
		if kernels[kernel] == 0 {
			t.Errorf("no scenario of kernel %s among %v", kernel, kernels)
		}
	}
}

func TestSinkRecords(t *testing.T) {
	var sink Sink
	sink.Add(schema.CPUCores, 2, "h")
	sink.Add(schema.CPUSeconds, 1.5, "h", "busy")
	sink.Skip("odd line", 3)
	want := `nasight_cpu_cores{host="h"} 2
nasight_cpu_seconds_total{host="h",mode="busy"} 1.5
# skipped 3: odd line
`
	if got := sink.Text(); got != want {
		t.Errorf("text:\n%swant:\n%s", got, want)
	}
	if value, ok := sink.Value(schema.CPUCores, "h"); !ok || value != 2 {
		t.Errorf("value = %v, %v", value, ok)
	}
	if got := sink.Series(schema.CPUSeconds); got != 1 {
		t.Errorf("series = %d", got)
	}
	if len(sink.faults) != 0 {
		t.Errorf("faults %q", sink.faults)
	}
}

func TestSinkFindsFaults(t *testing.T) {
	var sink Sink
	sink.Add(schema.CPUCores, 1, "h")
	sink.Add(schema.CPUCores, 2, "h")
	sink.Add(schema.CPUSeconds, 1, "h")
	if len(sink.faults) != 2 {
		t.Errorf("faults %q, want a double series and a wrong label count", sink.faults)
	}
}
