package alerts

import (
	"fmt"
	"time"

	"github.com/nasight/nasight/schema"
)

// learning: do the statistical baselines keep up, is there room for all series, and is their state kept?
func learning(interval time.Duration) []health {
	window := duration(max(30*time.Minute, 10*interval))
	return []health{
		{
			alert: "NasightBaselineLate", severity: Warning, wait: interval,
			expr:    fmt.Sprintf("time() - max by (host) (%s) > %.0f", schema.BaselineFed.Name, (3*schema.BaselineGrain + 5*interval).Seconds()),
			summary: "The baselines of {{ $labels.host }} have learnt nothing for {{ $value | humanizeDuration }}",
			words:   "They cannot read history. No anomaly begins or ends; those that fire stay.",
		},
		{
			alert: "NasightBaselineRefusing", severity: Info, wait: interval,
			expr:    fmt.Sprintf(`sum by (host) (increase(%s{reason="no_room"}[%s])) > 0`, schema.BaselineRefused.Name, window),
			summary: "The baselines of {{ $labels.host }} refuse series beyond their limit",
			words:   `{{ printf "%.0f" $value }} samples in ` + window + " were of series that have no baseline. Of these no anomaly is seen.",
		},
		{
			alert: "NasightBaselineStateDamaged", severity: Warning, wait: interval,
			expr:    fmt.Sprintf("max by (host) (%s) == 0", schema.BaselineStateHealthy.Name),
			summary: "The state of the baselines of {{ $labels.host }} is damaged or cannot be written",
			words:   "What was damaged is set aside, and the baselines learn from history anew. What cannot be written is gone after a restart.",
		},
	}
}
