package docs_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/internal/docs"
	"github.com/nasight/nasight/schema"
)

func TestReferenceIsUpToDate(t *testing.T) {
	written, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(docs.Page(), string(written)); diff != "" {
		t.Errorf("docs/metrics.md differs from the rows of the schema; run \"make generate\" (-want +got):\n%s", diff)
	}
}

// The section about the process has to be true of what the process tells.
func TestTheProcessIsDocumented(t *testing.T) {
	registry, err := export.NewRegistry(export.Build{Version: "1", Revision: "a"})
	if err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	page, prefixes := docs.Page(), map[string]bool{}
	for _, family := range families {
		prefix, _, _ := strings.Cut(family.GetName(), "_")
		prefixes[prefix] = true
		if prefix == "nasight" && !strings.Contains(page, "| `"+family.GetName()+"` | info |  | `version`, `revision`, `goversion` |") {
			t.Errorf("no row for %s with labels %v", family.GetName(), family.GetMetric()[0].GetLabel())
		}
		if prefix == "nasight" && len(family.GetMetric()[0].GetLabel()) != len(export.BuildInfo.Labels) {
			t.Errorf("labels %v, documented %v", family.GetMetric()[0].GetLabel(), export.BuildInfo.Labels)
		}
	}
	for prefix := range prefixes {
		if prefix != "nasight" && !strings.Contains(page, "begin with `"+prefix+"_`") && !strings.Contains(page, "and `"+prefix+"_`") {
			t.Errorf("the page does not say that there are families %s_*", prefix)
		}
	}
	if len(prefixes) < 2 {
		t.Errorf("the registry has only %v", prefixes)
	}
}

func TestEveryFamilyIsInOneTable(t *testing.T) {
	page := docs.Metrics(schema.All())
	for _, family := range schema.All() {
		if n := strings.Count(page, "| `"+family.Name+"` |"); n != 1 {
			t.Errorf("%s has %d rows, want 1", family.Name, n)
		}
	}
}

func TestRow(t *testing.T) {
	tests := map[string]struct {
		family schema.Family
		want   string
	}{
		"counter": {
			schema.Family{
				Name: "nasight_nfs_read_bytes_total", Type: schema.Counter, Unit: schema.Bytes,
				Labels: []string{"host", "device"}, Help: "Bytes read.", Source: "/proc/self/mountstats", Grain: 15 * time.Second,
			},
			"| `nasight_nfs_read_bytes_total` | counter | bytes | `host`, `device` | Bytes read. | /proc/self/mountstats | 15s |",
		},
		"no unit, no labels": {
			schema.Family{Name: "nasight_up", Type: schema.Gauge, Help: "1 if up.", Source: "nasight", Grain: time.Minute},
			"| `nasight_up` | gauge |  |  | 1 if up. | nasight | 1m |",
		},
		"characters that Markdown would take": {
			schema.Family{Name: "nasight_x", Type: schema.Info, Help: "a|b <c> d_e.", Source: "/sys/*/x", Grain: time.Hour},
			`| ` + "`nasight_x`" + ` | info |  |  | a\|b \<c> d\_e. | /sys/\*/x | 1h |`,
		},
		"a source that is late": {
			schema.Family{Name: "nasight_y", Type: schema.Gauge, Help: "Y.", Source: "s", Grain: 300 * time.Second, Delay: 90 * time.Minute},
			"| `nasight_y` | gauge |  |  | Y. | s | 5m, settled after 1h30m |",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			page := docs.Metrics([]*schema.Family{&test.family})
			lines := strings.Split(strings.TrimSpace(page), "\n")
			if diff := cmp.Diff(test.want, lines[len(lines)-1]); diff != "" {
				t.Errorf("last row (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAreas(t *testing.T) {
	families := []*schema.Family{
		{Name: "nasight_collector_success"}, {Name: "nasight_nfs_b"}, {Name: "nasight_unheard_of"}, {Name: "nasight_nfs_a"},
	}
	var got []string
	for line := range strings.Lines(docs.Metrics(families)) {
		if strings.HasPrefix(line, "## ") || strings.HasPrefix(line, "| `") {
			got = append(got, strings.TrimSpace(strings.SplitN(strings.Trim(line, "| \n"), " | ", 2)[0]))
		}
	}
	want := []string{
		"## NFS: mounts, transports, settings", "`nasight_nfs_b`", "`nasight_nfs_a`",
		"## nasight's own health", "`nasight_collector_success`", "`nasight_unheard_of`",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headings and rows (-want +got):\n%s", diff)
	}
}
