package alerts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/alerts"
	"github.com/nasight/nasight/history"
)

// What the rules and the runbooks ask is PromQL, as history answers it.
func TestExpressionsAreAnswered(t *testing.T) {
	memory := history.NewMemory(history.MemoryOptions{})
	t.Cleanup(func() { _ = memory.Close() })
	ask := func(where, expr string) {
		if _, err := memory.Instant(t.Context(), expr, time.Unix(1e9, 0)); err != nil {
			t.Errorf("%s: %s: %v", where, expr, err)
		}
	}
	if _, err := memory.Instant(t.Context(), "sum(", time.Unix(1e9, 0)); err == nil {
		t.Fatal("history answers what is no PromQL")
	}
	for _, interval := range []time.Duration{alerts.ShortestInterval, 90 * time.Second, alerts.LongestInterval} {
		for _, rule := range rules(t, interval) {
			ask(rule.Alert+rule.Record, rule.Expr)
		}
	}
	pages, err := filepath.Glob(filepath.Join(runbooks, "*.md"))
	if err != nil || pages == nil {
		t.Fatalf("runbooks: %q, %v", pages, err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range queries.FindAllStringSubmatch(string(text), -1) {
			for line := range strings.Lines(block[1]) {
				ask(page, strings.TrimSpace(line))
			}
		}
	}
}
