package dashboards_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/dashboards/dashtest"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

const (
	resources   = 800 // of each kind: as many pools, volumes, hosts and servers
	mostInChart = 205 // lines or rows: what people still read
)

// special are values that queries choose by; of other labels each resource has a value of its own.
func special(label string) []string {
	return map[string][]string{
		"class": {"read", "write", "attr", "open"}, "mode": {"busy"}, "direction": {"receive", "egress"}, "quantity": {"throughput_bytes_per_second"},
		"step": {"slots", "sessions"}, "type": {"read", "metadata"}, "api": {"Create", "Read"}, "detector": {"smb_multichannel", "metadata_heavy", "limit_reached"},
		"variant": {"single_thread_penalty"}, "media": {"ssd"}, "protocol": {"nfs", "smb"}, "response": {"ClientMetadataThrottling"}, "outcome": {"stored"},
		"feature": {"AzurePremiumFilesMetadataCacheFeature"}, "reason": {"timeout"}, "limit": {"soft"}, "scope": {"server"}, "collector": {"nfs"},
		"service": {"gcnv", "azurefiles"}, "cloud": {"gcp"}, "state": {"normal", "learning"},
	}[label]
}

// estate is a history of every family that dashboards use, of many resources.
func estate(t *testing.T, used func(*schema.Family) bool) *fixture {
	t.Helper()
	kept, err := history.OpenEmbedded(t.Context(), history.EmbeddedOptions{Path: t.TempDir(), Retention: 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	})
	f := &fixture{Embedded: kept, end: start().Add(4 * time.Minute)}
	for _, family := range schema.All() {
		if !used(family) {
			continue
		}
		var samples []schema.Sample
		for i := range resources {
			labels := labelled(family, i)
			for minute := range 5 {
				at := start().Add(time.Duration(minute) * time.Minute)
				samples = append(samples, schema.Sample{Family: family, Labels: labels, Time: at, Value: float64((i + 1) * (minute + 1))})
			}
		}
		if err := f.Append(t.Context(), samples); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func labelled(family *schema.Family, i int) []string {
	values := make([]string, len(family.Labels))
	for k, label := range family.Labels {
		if some := special(label); some != nil {
			values[k] = some[i%len(some)]
		} else {
			values[k] = fmt.Sprintf("%s-%d", label, i)
		}
	}
	return values
}

// Whatever the size of the fleet, a chart has some lines and a table some rows, chosen by what they tell.
func TestLargeFleetsCanBeRead(t *testing.T) {
	boards := walked(t)
	f := estate(t, func(family *schema.Family) bool {
		for _, board := range boards {
			for _, variable := range board.Variables {
				if strings.Contains(variable.Selector, family.Name) {
					return true
				}
			}
			for _, query := range board.Queries {
				if strings.Contains(query.Expr, family.Name+"{") {
					return true
				}
			}
		}
		return false
	})
	client := asked(t, f)
	times := dashtest.Times{End: f.end, Range: 4 * time.Minute, Step: time.Minute, Scrape: 15 * time.Second}
	shown := 0
	for _, board := range boards {
		if board.UID == "nasight-volume" {
			continue // of one volume
		}
		answers, err := board.Run(t.Context(), client, times)
		if err != nil {
			t.Fatal(err)
		}
		for _, answer := range answers {
			if answer.Err != nil || answer.Series > mostInChart {
				t.Errorf("%s: %d series, %v\n%s", answer.Query.Name(), answer.Series, answer.Err, answer.Asked)
			}
			if answer.Series > 9 {
				shown++
			}
		}
	}
	if shown < 60 {
		t.Errorf("%d queries have ten series or more: the estate is too small to tell", shown)
	}
}
