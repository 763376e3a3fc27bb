package promhost

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// momentsOf lists the scrapes that a series was told of, with its values.
func momentsOf(p *prometheus, result collectors.Result, family *schema.Family, labels string) map[int]float64 {
	found := map[int]float64{}
	for _, sample := range slices.Concat(result.Past, result.Samples) {
		if sample.Family == family && strings.Join(sample.Labels, ",") == labels {
			found[int(sample.Time.Sub(p.at(0))/scrapeInterval)] = sample.Value
		}
	}
	return found
}

const twoCores = `node_cpu_seconds_total{cpu="0",mode="idle"} 1000
node_cpu_seconds_total{cpu="1",mode="idle"} 2000
`

// A moment at which a core is missing, or shows what cannot be, has neither a sum nor a number of cores: the core would
// count as an increase when it is there again.
func TestSumsWithoutAPart(t *testing.T) {
	first := strings.SplitAfter(twoCores, "\n")[0]
	for name, middle := range map[string]string{
		"missing": first,
		"wrapped": first + `node_cpu_seconds_total{cpu="1",mode="idle"} 1.8e16` + "\n",
	} {
		p := newPrometheus(t)
		p.scrape(twoCores, "app1:9100", []int{0})
		p.scrape(middle, "app1:9100", []int{1})
		p.scrape(twoCores, "app1:9100", []int{2})
		result := good(t, p.source())
		idle := momentsOf(p, result, schema.CPUSeconds, "app1,idle")
		if len(idle) != 2 || idle[0] != 3000 || idle[2] != 3060 {
			t.Errorf("%s: sums %v, want those of scrapes 0 and 2", name, idle)
		}
		if cores := momentsOf(p, result, schema.CPUCores, "app1"); len(cores) != 2 || cores[0] != 2 || cores[2] != 2 {
			t.Errorf("%s: cores %v", name, cores)
		}
	}
}

// A part that is odd all the while leaves no sum at all, and the rest of the host as it is.
func TestSumsOfAPartThatStaysOdd(t *testing.T) {
	p := newPrometheus(t)
	p.scrape(twoCores+`node_cpu_seconds_total{cpu="2",mode="idle"} 1.8e16
node_cpu_seconds_total{cpu="2",mode="user"} 5
`, "app1:9100", []int{0, 1})
	result := good(t, p.source())
	if idle := momentsOf(p, result, schema.CPUSeconds, "app1,idle"); len(idle) != 0 || result.Skipped["wrapped_counter"] != 1 {
		t.Errorf("sums %v, skipped %v", idle, result.Skipped)
	}
	if busy := momentsOf(p, result, schema.CPUSeconds, "app1,busy"); len(busy) != 2 {
		t.Errorf("busy %v", busy)
	}
}

// Operations of a class, their resends and the transports of a server are sums, too.
func TestSumsOfMounts(t *testing.T) {
	var kept []string
	for line := range strings.Lines(read(t, "node.prom")) {
		if !strings.Contains(line, `operation="GETATTR"`) && !strings.Contains(line, `operation="NULL"`) && !strings.Contains(line, `transport="1"`) {
			kept = append(kept, line)
		}
	}
	p := newPrometheus(t)
	p.scrape(read(t, "node.prom"), "app1:9100", []int{0, 2})
	p.scrape(strings.Join(kept, ""), "app1:9100", []int{1})
	result := good(t, p.source())
	moments := map[*schema.Family]map[string][]time.Time{}
	for _, sample := range slices.Concat(result.Past, result.Samples) {
		if moments[sample.Family] == nil {
			moments[sample.Family] = map[string][]time.Time{}
		}
		labels := strings.Join(sample.Labels, ",")
		moments[sample.Family][labels] = append(moments[sample.Family][labels], sample.Time)
	}
	for _, family := range []*schema.Family{schema.NFSOperations, schema.NFSSends, schema.NFSTransports, schema.NFSTimeouts, schema.NFSRetransmissions} {
		lacking := 0
		for _, times := range moments[family] {
			if !slices.ContainsFunc(times, p.at(1).Equal) {
				lacking++
			}
		}
		if lacking == 0 {
			t.Errorf("%s: every series has a sum without a part: %v", family.Name, moments[family])
		}
	}
}
