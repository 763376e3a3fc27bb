package evaluate

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

const page = "../docs/evaluation.md"

// sample is a report with something of everything.
func sample() *Report {
	limit := 2 * time.Hour
	truth := holds(flow, "web-1", 10, 60)
	truth.Limit, truth.Achieved = &limit, &Achieved{Factor: 2}
	good := minutes(flow, onWeb, 15, 60, 0.8)
	good.Gain = &detectors.Gain{Low: 1, High: 3, Unit: "factor"}
	part := &Part{}
	part.count([]Case{
		{Name: "positive", Truths: []Truth{truth, holds(stall, "data-1", 0, 60)}, Episodes: []Episode{good}},
		{Name: "negative", Episodes: []Episode{minutes(slots, onWeb, 3, 9, 0.4)}},
	})
	part.Cost = 0.0125
	return &Report{Simulated: part}
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	if err := sample().Text(&b); err != nil {
		t.Fatal(err)
	}
	want := `Simulated: 2 scenarios, 1 of them without anything to find, of which 1 were disturbed; 12.5 ms of the processor for 1,000 series and evaluation.

  detector             variant  truths  found  false  precision  recall  F1    detect p50  detect p90  lead   flapping  duplicates  gain error  gain inside  Brier
  server_unresponsive  all      1       0      0      –          0.00    0.00  –           –           –      –         –           –           –            –
  server_unresponsive  stalled  1       0      0      –          0.00    0.00  –           –           –      –         –           –           –            –
  session_saturated    all      1       1      1      0.50       1.00    0.67  5m          5m          1h45m  2.00      0.00        0.00        1.00         0.10
  session_saturated    flow     1       1      0      1.00       1.00    1.00  5m          5m          1h45m  2.00      0.00        0.00        1.00         0.04
  session_saturated    slots    0       0      1      0.00       –       0.00  –           –           –      –         –           –           –            0.16
  all                  all      2       1      1      0.50       0.50    0.50  5m          5m          1h45m  2.00      0.00        0.00        1.00         0.10

  confidence  findings  mean confidence  right
  0.0 to 0.2  0         –                –
  0.2 to 0.4  0         –                –
  0.4 to 0.6  1         0.40             0.00
  0.6 to 0.8  0         –                –
  0.8 to 1.0  1         0.80             1.00

  true                         found                    times
  nothing                      session_saturated/slots  1
  server_unresponsive/stalled  nothing                  1

  missed  positive: server_unresponsive/stalled of data-1, at 0s
  false   negative: session_saturated/slots of web-1 192.0.2.10 nfs, at 3m

`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestMarkdown(t *testing.T) {
	var b bytes.Buffer
	if err := sample().Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"## Simulated\n\n2 scenarios, ", "| detector | variant | truths |",
		"| session_saturated | flow | 1 | 1 | 0 | 1.00 | 1.00 | 1.00 | 5m | 5m | 1h45m | 2.00 | 0.00 | 0.00 | 1.00 | 0.04 |\n",
		"| 0.4 to 0.6 | 1 | 0.40 | 0.00 |\n", "| server_unresponsive/stalled | nothing | 1 |\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "Real") {
		t.Error("a part that was not run is there")
	}
}

// The page of the documentation names every key that JSON has.
func TestJSONIsDocumented(t *testing.T) {
	var b bytes.Buffer
	if err := sample().WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var read map[string]any
	if err := json.Unmarshal(b.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	if value, there := read["real"]; !there || value != nil {
		t.Errorf("real is %v, want null", value)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	collect(read, keys)
	if len(keys) < 40 {
		t.Errorf("only %d keys", len(keys))
	}
	for key := range keys {
		if !strings.Contains(string(text), "`"+key+"`") {
			t.Errorf("%s does not name %s", page, key)
		}
	}
	rows := read["simulated"].(map[string]any)["detectors"].([]any)
	first := rows[0].(map[string]any)
	if first["detector"] != "server_unresponsive" || first["variant"] != "" || first["precision"] != nil || first["recall"] != 0.0 {
		t.Errorf("first row %v", first)
	}
}

func collect(value any, keys map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			keys[key] = true
			collect(below, keys)
		}
	case []any:
		for _, below := range v {
			collect(below, keys)
		}
	}
}

func TestPage(t *testing.T) {
	const text = "head\n<!-- begin simulated -->\nold\n<!-- end simulated -->\nmiddle\n<!-- begin real -->\nstays\n<!-- end real -->\n"
	written, err := sample().Page(text)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(written, "old") || !strings.Contains(written, "stays") || !strings.Contains(written, "| all | all | 2 |") || strings.Contains(written, "processor") {
		t.Errorf("%s", written)
	}
	again, err := sample().Page(written)
	if err != nil || again != written {
		t.Errorf("the second time gives another page: %v\n%s", err, again)
	}
	for _, odd := range []string{"", "<!-- begin simulated -->\n", "<!-- end simulated -->"} {
		if _, err := sample().Page(odd); err == nil {
			t.Errorf("%q has the markers", odd)
		}
	}
}

// The scenario in the documentation is one.
func TestDocumentedScenario(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```yaml\n")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("there is no example")
	}
	s := parsed(t, example)
	if len(s.Truths) != 1 || len(s.Changes) != 1 || !s.Start.Equal(defaultStart()) || s.Noise != defaultNoise {
		t.Errorf("%+v", s)
	}
}

func TestDuration(t *testing.T) {
	for value, want := range map[fleet.Value]string{0: "0s", 15: "15s", 60: "1m", 90: "1m30s", 3600: "1h", 5400: "1h30m", -300: "-5m", 36000: "10h"} {
		if got := duration(value); got != want {
			t.Errorf("%v seconds are %q, want %q", value, got, want)
		}
	}
	if duration(fleet.Unknown) != absent {
		t.Error("no duration is one")
	}
}
