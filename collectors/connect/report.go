// Package connect is what a trial of the way to the clouds found: which permissions work, what those that do not work
// lack, and what the clouds answer to questions that their documentation leaves open. It holds results and prints them;
// each cloud's collector makes its own.
package connect

import (
	"encoding/json"
	"fmt"
	"io"
)

// Report is all clouds of one configuration file.
type Report struct {
	File   string     `json:"file"`
	Notes  []string   `json:"notes,omitempty"` // about the file
	Clouds []*Section `json:"clouds"`
}

// Section is one service of one cloud.
type Section struct {
	Title   string   `json:"title"`
	Cloud   string   `json:"cloud"`   // as in the metrics' labels
	Service string   `json:"service"` // as in the metrics' labels
	As      string   `json:"as"`      // the account that was used, as far as it is known
	Notes   []string `json:"notes,omitempty"`
	Checks  []Check  `json:"checks"`
	Answers []Answer `json:"answers"`
	Cost    Cost     `json:"cost"`
}

// Status is how a check ended.
type Status string

// The statuses.
const (
	OK      Status = "ok"
	Warning Status = "warning" // it works, and something about the answer has to be known
	Skipped Status = "skipped" // there was nothing to try it on, or no need
	Failed  Status = "failed"  // something that the collector needs does not work, or was not reached
)

// Check is one thing that was tried on one resource. Every text is one line.
type Check struct {
	Name   string `json:"check"`           // a permission, or credentials and impersonation
	On     string `json:"on,omitempty"`    // such as project example-prod
	Status Status `json:"status"`          //
	Cause  string `json:"cause,omitempty"` // of a failure, in one word, such as permission or service_disabled
	Says   string `json:"says,omitempty"`  // what was found, or what is wrong
	Lacks  string `json:"lacks,omitempty"` // the role or the API that would help
	Do     string `json:"do,omitempty"`    // what to do about a failure: a command where there is one
	Heard  string `json:"heard,omitempty"` // what the service said, cut to a line
}

// Answer is what the cloud says to an open question.
type Answer struct {
	Name    string   `json:"name"`     // in one word
	Asks    string   `json:"question"` //
	Known   bool     `json:"answered"` // false: Says is the reason why it cannot be told
	Says    string   `json:"says"`
	Details []string `json:"details,omitempty"`
	Table   *Table   `json:"table,omitempty"`
}

// Table is details in columns. Every row has as many cells as there are columns.
type Table struct {
	Columns []string
	Rows    [][]string
}

// MarshalJSON writes an object for each row, with the columns as keys.
func (t *Table) MarshalJSON() ([]byte, error) {
	rows := make([]map[string]string, 0, len(t.Rows))
	for _, row := range t.Rows {
		object := map[string]string{}
		for i, column := range t.Columns {
			object[column] = row[i]
		}
		rows = append(rows, object)
	}
	return json.Marshal(rows)
}

// Cost is what the trial itself took.
type Cost struct {
	Calls  int `json:"calls"`  // requests to the cloud's APIs, repetitions included; those for tokens are not
	Failed int `json:"failed"` // of them
	*Bill      // nil where no price is known
}

// Bill is what the cloud asks for a trial.
type Bill struct {
	Series int     `json:"series"` // time series that the cloud bills
	USD    float64 `json:"usd"`    // at the list price, whatever is free
}

// Tally counts the failed checks, and all that were tried.
func (r *Report) Tally() (failed, tried int) {
	for _, section := range r.Clouds {
		for _, check := range section.Checks {
			if check.Status != Skipped {
				tried++
			}
			if check.Status == Failed {
				failed++
			}
		}
	}
	return failed, tried
}

// WriteJSON prints one object.
func (r *Report) WriteJSON(w io.Writer) error {
	failed, _ := r.Tally()
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(struct {
		OK bool `json:"ok"`
		*Report
	}{failed == 0, r})
	if err != nil {
		return fmt.Errorf("write the report on %s: %w", r.File, err)
	}
	return nil
}
