package alerts

import (
	"fmt"
	"strings"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/schema"
)

// resourceWords name what an alert is about, from its labels, with a space before each part: a part may lack.
const resourceWords = `{{ with $labels.project }} {{ . }}{{ end }}{{ with $labels.location }}/{{ . }}{{ end }}{{ with $labels.pool }}/{{ . }}{{ end }}` +
	`{{ with $labels.volume }}/{{ . }}{{ end }}{{ with $labels.host }} host {{ . }}{{ end }}{{ with $labels.server }} server {{ . }}{{ end }}` +
	`{{ with $labels.export }} export {{ . }}{{ end }}{{ with $labels.protocol }} ({{ . }}){{ end }}`

// numbers are the words with the finding's numbers. One that is not known has no words; money is a matter of what is
// provisioned alone.
func (f Finding) numbers() string {
	words := ` Confidence {{ printf "%.2f" $value }}.` + f.number(schema.FindingGain, ` Expected gain: {{ . | first | value | humanize1024 }}B/s.`)
	if f.Detector == detectors.PoolThroughputUnused || f.Detector == detectors.BeyondEnvelope {
		words += f.number(schema.FindingWaste, ` Saves {{ . | first | value | printf "%.0f" }} USD a month.`)
	}
	return words + ` Evidence and commands: nasight's page, or /api/v1/findings.`
}

// number is words with another number of the same finding in them.
func (f Finding) number(family *schema.Family, words string) string {
	matchers := []string{fmt.Sprintf("detector=%q,variant=%q", f.Detector, f.Variant)}
	var values []string
	for _, label := range schema.IdentityLabels {
		matchers = append(matchers, label+"=%q")
		values = append(values, "$labels."+label)
	}
	return fmt.Sprintf("{{ with printf `max(%s{%s})` %s | query }}%s{{ end }}", family.Name, strings.Join(matchers, ","), strings.Join(values, " "), words)
}
