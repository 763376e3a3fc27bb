package report

import (
	"testing"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

func TestWords(t *testing.T) {
	const mebi = 1 << 20
	for _, row := range [][2]string{
		{rate(0), "0 MiB/s"}, {rate(fleet.Unknown), unknown}, {rate(1234567 * mebi), "1,234,567 MiB/s"}, {rate(1.25 * mebi), "1.2 MiB/s"}, {rate(100), "< 0.01 MiB/s"},
		{mibs(20 * mebi), "20"}, {money(4153.4), "4,153"}, {money(-1200), "-1,200"}, {money(fleet.Unknown), unknown}, {grouped(999), "999"}, {grouped(1000), "1,000"},
		{percent(0), "0 %"}, {percent(0.004), "< 1 %"}, {percent(0.615), "62 %"}, {percent(fleet.Unknown), unknown},
		{change(110, 100), "+10 %"}, {change(90, 100), "-10 %"}, {change(100.1, 100), "±0 %"}, {change(99.9, 100), "±0 %"}, {change(1, 0), unknown}, {change(fleet.Unknown, 1), unknown},
		{daysOf(7), "7"}, {daysOf(6.9965), "7"}, {daysOf(6.94), "6.9"}, {daysOf(0.04), "0"}, {daysOf(fleet.Unknown), unknown},
		{hours(0.75), "45 min"}, {hours(5.25), "5.2 h"}, {hours(168), "7.0 days"}, {count(1, "step"), "1 step"}, {count(0, "step"), "0 steps"}, {count(1500, "volume"), "1,500 volumes"},
		{lead("One. Two."), "One."}, {lead("One"), "One"}, {lead("At 1.5 MiB/s. Two."), "At 1.5 MiB/s."}, {lowered("Set 95"), "set 95"}, {lowered(""), ""}, {lowered("Élan"), "élan"},
		{listed(nil), ""}, {listed([]string{"a"}), "a"}, {listed([]string{"a", "b", "c"}), "a, b and c"}, {bytesOf(1536 * mebi), "1.5 GiB"}, {bytesOf(100), "100 B"},
		{worthOf(nil), ""}, {worthOf(&detectors.Gain{Low: 1, High: 1.04, Unit: "factor"}), "hardly faster"},
		{worthOf(&detectors.Gain{Low: 1.5, High: 2, Unit: "factor"}), "1.5 to 2 times today's throughput"},
		{worthOf(&detectors.Gain{Low: 0, High: 64 * mebi, Unit: "bytes per second"}), "0 MiB/s to 64 MiB/s"},
		{worthOf(&detectors.Gain{Low: 0.3, High: 0.45, Unit: "share of the mean latency saved"}), "30 to 45 % of the mean latency saved"},
	} {
		if row[0] != row[1] {
			t.Errorf("%q, want %q", row[0], row[1])
		}
	}
}

func TestLabel(t *testing.T) {
	for want, of := range map[string]fleet.Resource{
		"pool/home": {Cloud: "gcp", Service: "gcnv", Project: "p", Pool: "pool", Volume: "home"}, "pool": {Project: "p", Pool: "pool"}, "p": {Project: "p"},
		"Azure Files": {Cloud: "azure", Service: "azurefiles"}, "web-1 192.0.2.1 /data": {Host: "web-1", Server: "192.0.2.1", Export: "/data", Pool: "pool"},
	} {
		if got := label(of); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestSelection(t *testing.T) {
	of := fleet.Resource{Project: "p", Location: "l", Pool: "pool-1", Volume: "v"}
	for asked, want := range map[selection]bool{
		{}: true, {named: "pool-1"}: true, {named: "l/pool-1"}: true, {named: "p/l/pool-1"}: true, {named: "ool-1"}: false, {named: "pool"}: false,
		{project: "p"}: true, {project: "q"}: false, {"pool-1", "p"}: true, {"pool-1", "q"}: false, {named: "x/l/pool-1"}: false,
	} {
		if got := asked.pool(of); got != want {
			t.Errorf("%+v: %v", asked, got)
		}
	}
}
