package schema

// The labels of what serve tells of its own rules.
const (
	Alertmanager = "alertmanager"
	RuleGroup    = "rule_group"
)

// What serve tells of the rules that it evaluates itself; absent where it evaluates none.
var (
	AlertingSent = &Family{
		Name: "nasight_alerting_notifications_sent_total", Type: Counter, Labels: []string{Alertmanager},
		Help: "Alerts that an Alertmanager has taken; one that goes on is sent again and again.", Source: self, Grain: HostGrain,
	}
	AlertingFailed = &Family{
		Name: "nasight_alerting_notifications_failed_total", Type: Counter, Labels: []string{Alertmanager},
		Help: "Alerts that an Alertmanager did not take: it was not reached, was too slow or answered with an error.", Source: self, Grain: HostGrain,
	}
	AlertingDropped = &Family{
		Name: "nasight_alerting_notifications_dropped_total", Type: Counter, Labels: []string{Alertmanager},
		Help:   "Alerts that left the queue without being taken: those that failed, and the oldest where the queue was full. What still fires is sent again.",
		Source: self, Grain: HostGrain,
	}
	AlertingQueue = &Family{
		Name: "nasight_alerting_notifications_queue_length", Type: Gauge, Labels: []string{Alertmanager},
		Help: "Alerts that wait to be sent.", Source: self, Grain: HostGrain,
	}
	AlertingAlertmanagers = &Family{
		Name: "nasight_alerting_alertmanagers", Type: Gauge,
		Help: "Alertmanagers that are told of alerts.", Source: self, Grain: HostGrain,
	}
	AlertingEvaluations = &Family{
		Name: "nasight_alerting_rule_evaluations_total", Type: Counter, Labels: []string{RuleGroup},
		Help: "Evaluations of rules, by the file and the name of their group.", Source: self, Grain: HostGrain,
	}
	AlertingEvaluationFailures = &Family{
		Name: "nasight_alerting_rule_evaluation_failures_total", Type: Counter, Labels: []string{RuleGroup},
		Help: "Evaluations of rules that failed; /api/v1/rules has the reason of each.", Source: self, Grain: HostGrain,
	}
	AlertingReloadSuccess = &Family{
		Name: "nasight_alerting_rules_reload_success", Type: Gauge,
		Help: "1 if the rule files were in order when they were last read, else 0; the rules of before stay in force.", Source: self, Grain: HostGrain,
	}
)
