package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// wire is a fault as the control endpoint writes it: durations are texts such as 2s.
type wire struct {
	Kind       Kind    `json:"kind"`
	Method     string  `json:"method,omitempty"`
	Project    string  `json:"project,omitempty"`
	Location   string  `json:"location,omitempty"`
	Volume     string  `json:"volume,omitempty"`
	Metric     string  `json:"metric,omitempty"`
	Skip       int     `json:"skip,omitempty"`
	Times      int     `json:"times,omitempty"`
	Delay      string  `json:"delay,omitempty"`
	RetryAfter string  `json:"retry_after,omitempty"`
	Share      float64 `json:"share,omitempty"`
}

// MarshalJSON writes the fault as the control endpoint reads it.
func (f Fault) MarshalJSON() ([]byte, error) {
	w := wire{
		Kind: f.Kind, Method: f.Method, Project: f.Project, Location: f.Location, Volume: f.Volume, Metric: f.Metric,
		Skip: f.Skip, Times: f.Times, Share: f.Share,
	}
	if f.Delay != 0 {
		w.Delay = f.Delay.String()
	}
	if f.RetryAfter != 0 {
		w.RetryAfter = f.RetryAfter.String()
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads a fault strictly: an unknown key is an error.
func (f *Fault) UnmarshalJSON(data []byte) error {
	var w wire
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&w); err != nil {
		return fmt.Errorf("read fault: %w", err)
	}
	out := Fault{
		Kind: w.Kind, Method: w.Method, Project: w.Project, Location: w.Location, Volume: w.Volume, Metric: w.Metric,
		Skip: w.Skip, Times: w.Times, Share: w.Share,
	}
	for _, field := range []struct {
		key, text string
		into      *time.Duration
	}{{"delay", w.Delay, &out.Delay}, {"retry_after", w.RetryAfter, &out.RetryAfter}} {
		if field.text == "" {
			continue
		}
		value, err := time.ParseDuration(field.text)
		if err != nil {
			return fmt.Errorf("read fault: %s: %w", field.key, err)
		}
		*field.into = value
	}
	*f = out
	return nil
}
