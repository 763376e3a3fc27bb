package fleet

import (
	"encoding/json"
	"time"

	"github.com/nasight/nasight/baseline"
)

// MarshalJSON tells what an anomaly is, its root first, without what baselines need for themselves.
func (a Anomaly) MarshalJSON() ([]byte, error) {
	told := anomalyJSON{
		Scope: a.Scope, Since: a.Start, Resource: a.Resource(), Expected: append([]string{}, a.Expected...), Changes: append([]string{}, a.Changes...), Query: a.Query,
		Band: a.Band,
	}
	for _, member := range a.Members() {
		told.Series = append(told.Series, memberOf(member))
	}
	return json.Marshal(told)
}

type anomalyJSON struct {
	Scope    baseline.Scope `json:"scope"` // empty: one path
	Since    time.Time      `json:"since"`
	Resource Resource       `json:"resource"`
	Expected []string       `json:"expected"`
	Changes  []string       `json:"changes"`
	Query    string         `json:"query"`
	Band     *Band          `json:"band"` // of the first of the series
	Series   []memberJSON   `json:"series"`
}

// memberJSON is one series; of a flatline and a silence there is no usual value.
type memberJSON struct {
	Signal   string        `json:"signal"`
	Unit     string        `json:"unit"`
	Resource Resource      `json:"resource"`
	Kind     baseline.Kind `json:"kind"`
	Since    time.Time     `json:"since"`
	Ended    *time.Time    `json:"ended"`
	Value    Value         `json:"value"`
	Usual    Value         `json:"usual"`
	Rarity   Value         `json:"rarity"`
}

func memberOf(m baseline.Member) memberJSON {
	incident := m.Incident
	told := memberJSON{
		Signal: m.Signal.Name, Unit: m.Signal.Unit, Resource: ResourceAt(m.Place), Kind: incident.Kind, Since: incident.Start,
		Value: Value(incident.Value), Usual: Value(incident.Base), Rarity: Value(incident.Rarity),
	}
	if !incident.Open() {
		told.Ended = &incident.End
	}
	switch incident.Kind {
	case baseline.Stale:
		told.Value, told.Usual, told.Rarity = Unknown, Unknown, Unknown
	case baseline.Flatline:
		told.Usual, told.Rarity = Unknown, Unknown
	}
	return told
}
