package azureapi

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/schema"
)

// One that takes as long as it may keeps no other one from being read, and leaves time to put out what was.
func TestEachReadsAllAtOnce(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	whole, _ := ctx.Deadline()
	second := make(chan struct{})
	errs, err := Each(ctx, []string{"waits", "reads", "fails"}, func(ctx context.Context, what string) error {
		if deadline, ok := ctx.Deadline(); !ok || !deadline.Before(whole) {
			t.Errorf("the deadline is %v, that of the run %v", deadline, whole)
		}
		switch what {
		case "waits":
			<-second // only if they run at once
		case "reads":
			close(second)
		default:
			return errors.New("broken")
		}
		return nil
	})
	if err != nil || errs[0] != nil || errs[1] != nil || errs[2] == nil {
		t.Errorf("got %v, %v", errs, err)
	}
}

func TestTurnsAreTakenOneAtATime(t *testing.T) {
	turn := NewTurn()
	leave, err := turn.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := turn.Take(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a second one is let in: %v", err)
	}
	leave()
	leave, err = turn.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	leave()
}

// counts is a sink that adds up.
type counts struct {
	values  map[string]float64
	skipped map[string]int
}

func (c *counts) Add(family *schema.Family, value float64, _ ...string) {
	c.values[family.Name] = value
}
func (c *counts) Skip(reason string, count int) { c.skipped[reason] += count }

func TestOddIsToldOnce(t *testing.T) {
	odd, sink := Odd{}, &counts{map[string]float64{}, map[string]int{}}
	odd.Note("inventory", map[string]int{"odd_item": 1})
	odd.Note("inventory", map[string]int{"odd_item": 2, "odd_value": 1})
	odd.Note("performance", map[string]int{"odd_point": 9})
	odd.Tell(sink, "inventory")
	odd.Tell(sink, "inventory")
	if diff := cmp.Diff(map[string]int{"odd_item": 3, "odd_value": 1}, sink.skipped); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRequestsAloneAreLetThrough(t *testing.T) {
	sink := &counts{map[string]float64{}, map[string]int{}}
	through := RequestsOnly{sink}
	through.Add(schema.CloudRequests, 5)
	through.Add(schema.CloudCost, 0)
	if diff := cmp.Diff(map[string]float64{schema.CloudRequests.Name: 5}, sink.values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
