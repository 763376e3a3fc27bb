package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/evaluate"
	"github.com/nasight/nasight/schema"
)

// still is a world in which nothing happens.
type still struct{ now time.Time }

func (s *still) Now() time.Time       { return s.now }
func (s *still) Advance(to time.Time) { s.now = to }
func (s *still) Collect(context.Context, time.Time) ([]schema.Sample, error) {
	return nil, nil
}

const quietScenario = `name: quiet
about: Nothing happens.
duration: 2m
fleet:
  projects:
  - id: example-project
    number: 1
truth:
- {detector: limit_reached, variant: throughput, resource: {project: example-project}, from: 1m}
`

func scenarioIn(t *testing.T, text string) string {
	t.Helper()
	directory := t.TempDir()
	if err := os.WriteFile(filepath.Join(directory, "one.yml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return directory
}

// evaluated runs the command on scenarios in worlds of its own.
func evaluated(t *testing.T, command evaluateCommand, open evaluate.Opening) (string, int) {
	t.Helper()
	command.open = open
	var out, errs bytes.Buffer
	to := streams{&out, &errs}
	code := codeOf(to, command.Run(t.Context(), to))
	return out.String() + errs.String(), code
}

func motionless(_ context.Context, setting evaluate.Setting) (evaluate.World, error) {
	return &still{setting.Start}, nil
}

func TestEvaluateScenarios(t *testing.T) {
	directory := scenarioIn(t, quietScenario)
	out, code := evaluated(t, evaluateCommand{Scenarios: directory, Format: "json"}, motionless)
	var read evaluate.Report
	if err := json.Unmarshal([]byte(out), &read); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v: %s", code, err, out)
	}
	if read.Real != nil || read.Simulated == nil || read.Simulated.Total.Missed != 1 || read.Simulated.Total.Precision.Known() {
		t.Errorf("%s", out)
	}
	for format, want := range map[string]string{"text": "missed  quiet: limit_reached/throughput of example-project, at 1m", "markdown": "| limit_reached | throughput | 1 | 0 | 0 | – | 0.00 |"} {
		if out, code := evaluated(t, evaluateCommand{Scenarios: directory, Format: format}, motionless); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: exit code %d, no %q in\n%s", format, code, want, out)
		}
	}
}

func TestEvaluateFails(t *testing.T) {
	good := scenarioIn(t, quietScenario)
	bad := scenarioIn(t, strings.Replace(quietScenario, "duration", "durations", 1))
	impossible := func(context.Context, evaluate.Setting) (evaluate.World, error) {
		return nil, errors.New("no such network")
	}
	for _, row := range []struct {
		name    string
		command evaluateCommand
		open    evaluate.Opening
		code    int
		says    string
	}{
		{"an unknown key", evaluateCommand{Scenarios: bad}, motionless, 2, filepath.Join(bad, "one.yml") + `:3: durations: no such setting; did you mean duration?`},
		{"an impossible network", evaluateCommand{Scenarios: good}, impossible, 2, filepath.Join(good, "one.yml") + ":5: fleet: no such network"},
		{"no such directory", evaluateCommand{Scenarios: "/no/such"}, motionless, 2, "--scenarios=/no/such: there is no such directory"},
		{"no scenarios in it", evaluateCommand{Scenarios: t.TempDir()}, motionless, 2, "holds no file"},
		{"no captures in it", evaluateCommand{Captures: t.TempDir()}, motionless, 3, "holds no KERNEL/SCENARIO"},
		{"no such name", evaluateCommand{Scenarios: good, Only: "loud"}, motionless, 2, "--only=loud: no scenario"},
		{"no expression", evaluateCommand{Scenarios: good, Only: "("}, motionless, 2, "--only=("},
		{"too many workers", evaluateCommand{Scenarios: good, Workers: -1}, motionless, 2, "--workers=-1"},
		{"nothing to evaluate", evaluateCommand{}, motionless, 2, "there is neither testdata/scenarios"},
	} {
		out, code := evaluated(t, row.command, row.open)
		if code != row.code || !strings.Contains(out, row.says) || strings.Count(out, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q, want %d and %q", row.name, code, out, row.code, row.says)
		}
	}
}

// From the repository's root the command needs no flags. Recordings are no part of somebody else's scenarios.
func TestEvaluateOwnRecordings(t *testing.T) {
	t.Chdir("../..")
	out, code := evaluated(t, evaluateCommand{Captures: ownCaptures, Only: "^nfs-v3-idle$", Format: "json"}, motionless)
	var read evaluate.Report
	if err := json.Unmarshal([]byte(out), &read); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v: %s", code, err, out)
	}
	if read.Simulated != nil || read.Real == nil || read.Real.Cases < 1 || read.Real.Cases != read.Real.Negatives {
		t.Errorf("%s", out)
	}
	for _, row := range []struct{ scenarios, captures string }{{"", ownCaptures}, {t.TempDir(), ""}} {
		command := evaluateCommand{Scenarios: row.scenarios}
		if err := command.directories(); err != nil || command.Captures != row.captures {
			t.Errorf("scenarios %q: captures %q, want %q; %v", row.scenarios, command.Captures, row.captures, err)
		}
	}
}
