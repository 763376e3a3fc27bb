package alerts

import (
	"fmt"
	"time"

	"github.com/nasight/nasight/schema"
)

// telling: does serve, where it evaluates rules itself, do that, and is anybody told? What no Alertmanager takes, none tells
// of: the alert about it comes from the other one, or from a Prometheus.
func telling(interval time.Duration) []health {
	window := duration(10 * interval)
	failing := func(family *schema.Family, by string) string {
		return fmt.Sprintf("sum by (%s) (increase(%s[%s])) > 0", by, family.Name, window)
	}
	return []health{
		{
			alert: "NasightNotificationsFailing", severity: Warning, wait: 5 * interval,
			expr:    failing(schema.AlertingFailed, schema.Alertmanager),
			summary: "{{ $labels.alertmanager }} does not take nasight's alerts",
			words:   `{{ printf "%.0f" $value }} failed in ` + window + ". What still fires is sent again; what resolved long ago is not.",
		},
		{
			alert: "NasightRulesFailing", severity: Warning, wait: 5 * interval,
			expr:    failing(schema.AlertingEvaluationFailures, schema.RuleGroup),
			summary: "Rules of {{ $labels.rule_group }} cannot be evaluated",
			words:   "Their alerts stay as they are, or cannot come. /api/v1/rules has the reason.",
		},
		{
			alert: "NasightRulesReloadFailed", severity: Warning, wait: 2 * interval,
			expr:    fmt.Sprintf("%s == 0", schema.AlertingReloadSuccess.Name),
			summary: "The rule files of {{ $labels.instance }} are not in order",
			words:   "nasight goes on with the rules that it had. A restart would not start.",
		},
	}
}
