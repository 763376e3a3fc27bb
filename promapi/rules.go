package promapi

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/rules"
)

// Rules is what evaluates rules.
type Rules interface {
	// RuleGroups are the groups as they stand, ordered by file and name.
	RuleGroups() []*rules.Group
}

// The answers have the fields that Prometheus gives them.
type (
	groupData struct {
		Name           string    `json:"name"`
		File           string    `json:"file"`
		Rules          []any     `json:"rules"` // alertingData and recordingData, in the order of evaluation
		Interval       float64   `json:"interval"`
		Limit          int       `json:"limit"`
		EvaluationTime float64   `json:"evaluationTime"`
		LastEvaluation time.Time `json:"lastEvaluation"`
	}
	alertingData struct {
		State         string        `json:"state"`
		Duration      float64       `json:"duration"`
		KeepFiringFor float64       `json:"keepFiringFor"`
		Annotations   labels.Labels `json:"annotations"`
		Alerts        []alertData   `json:"alerts"`
		ruleData
	}
	ruleData struct {
		Name           string        `json:"name"`
		Query          string        `json:"query"`
		Labels         labels.Labels `json:"labels"`
		Health         string        `json:"health"`
		LastError      string        `json:"lastError,omitempty"`
		EvaluationTime float64       `json:"evaluationTime"`
		LastEvaluation time.Time     `json:"lastEvaluation"`
		Type           string        `json:"type"`
	}
	alertData struct {
		Labels          labels.Labels `json:"labels"`
		Annotations     labels.Labels `json:"annotations"`
		State           string        `json:"state"`
		ActiveAt        *time.Time    `json:"activeAt,omitempty"`
		KeepFiringSince *time.Time    `json:"keepFiringSince,omitempty"`
		Value           string        `json:"value"`
	}
)

// groups are those that the server evaluates.
func (a *api) groups() []*rules.Group {
	if a.opts.Rules == nil {
		return nil
	}
	return a.opts.Rules.RuleGroups()
}

// alerts lists what is pending or firing.
func (a *api) alerts(*http.Request) (answer, error) {
	active := []alertData{}
	for _, group := range a.groups() {
		for _, rule := range group.AlertingRules() {
			active = append(active, alertsOf(rule)...)
		}
	}
	return answer{data: map[string]any{"alerts": active}}, nil
}

// ruleChoice is which rules a request asks for.
type ruleChoice struct {
	names, groups, files []string // empty for all
	kind                 string   // alert, record, or empty for both
	withoutAlerts        bool
	matchers             [][]*labels.Matcher
}

func ruleChoiceOf(r *http.Request) (ruleChoice, error) {
	choice := ruleChoice{names: r.Form["rule_name[]"], groups: r.Form["rule_group[]"], files: r.Form["file[]"], kind: r.Form.Get("type")}
	if !slices.Contains([]string{"", "alert", "record"}, choice.kind) {
		return choice, badParameter("type", fmt.Errorf("not supported value %q", choice.kind))
	}
	if text := r.Form.Get("exclude_alerts"); text != "" {
		var err error
		if choice.withoutAlerts, err = strconv.ParseBool(text); err != nil {
			return choice, badParameter("exclude_alerts", fmt.Errorf("error converting exclude_alerts: %w", err))
		}
	}
	var err error
	choice.matchers, err = matchersOf(r.Form["match[]"])
	return choice, err
}

// rules lists the groups with their rules.
func (a *api) rules(r *http.Request) (answer, error) {
	choice, err := ruleChoiceOf(r)
	if err != nil {
		return answer{}, err
	}
	chosen := func(list []string, name string) bool { return len(list) == 0 || slices.Contains(list, name) }
	found := []groupData{}
	for _, group := range a.groups() {
		if !chosen(choice.groups, group.Name()) || !chosen(choice.files, group.File()) {
			continue
		}
		data := groupData{
			Name: group.Name(), File: group.File(), Interval: group.Interval().Seconds(), Limit: group.Limit(),
			EvaluationTime: group.GetEvaluationTime().Seconds(), LastEvaluation: group.GetLastEvaluation(),
		}
		for _, rule := range group.Rules(choice.matchers...) {
			if one := choice.data(rule); one != nil && chosen(choice.names, rule.Name()) {
				data.Rules = append(data.Rules, one)
			}
		}
		if len(data.Rules) > 0 {
			found = append(found, data)
		}
	}
	return answer{data: map[string]any{"groups": found}}, nil
}

// data is what is told of a rule; nil where its kind was not asked for.
func (c ruleChoice) data(rule rules.Rule) any {
	common := ruleData{
		Name: rule.Name(), Query: rule.Query().String(), Labels: rule.Labels(), Health: string(rule.Health()), Type: "recording",
		EvaluationTime: rule.GetEvaluationDuration().Seconds(), LastEvaluation: rule.GetEvaluationTimestamp(),
	}
	if err := rule.LastError(); err != nil {
		common.LastError = err.Error()
	}
	alerting, ok := rule.(*rules.AlertingRule)
	switch {
	case ok && c.kind != "record":
		common.Type = "alerting"
		data := alertingData{
			ruleData: common, State: alerting.State().String(), Duration: alerting.HoldDuration().Seconds(),
			KeepFiringFor: alerting.KeepFiringFor().Seconds(), Annotations: alerting.Annotations(), Alerts: []alertData{},
		}
		if !c.withoutAlerts {
			data.Alerts = alertsOf(alerting)
		}
		return data
	case !ok && c.kind != "alert":
		return common
	}
	return nil
}

func alertsOf(rule *rules.AlertingRule) []alertData {
	active := rule.ActiveAlerts()
	list := make([]alertData, len(active))
	for i, alert := range active {
		list[i] = alertData{
			Labels: alert.Labels, Annotations: alert.Annotations, State: alert.State.String(), ActiveAt: &alert.ActiveAt,
			Value: strconv.FormatFloat(alert.Value, 'e', -1, 64),
		}
		if !alert.KeepFiringSince.IsZero() {
			list[i].KeepFiringSince = &alert.KeepFiringSince
		}
	}
	slices.SortFunc(list, func(a, b alertData) int { return labels.Compare(a.Labels, b.Labels) })
	return list
}
