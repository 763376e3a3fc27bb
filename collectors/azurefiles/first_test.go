package azurefiles

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/faults"
)

// eventually waits until a condition holds, which another goroutine brings about.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for !holds() {
		select {
		case <-poll.C:
		case <-ctx.Done():
			t.Fatalf("%s: not in time", what)
		}
	}
}

// At the start all collectors begin within a second. The one of space may come when the accounts are listed and their shares
// are not yet: it waits for them, as its next turn is far away.
func TestSpaceOfTheFirstRunIsThatOfAllShares(t *testing.T) {
	l := newLab(t, nil, nil)
	l.inject(faults.Fault{Kind: faults.Latency, Method: "shares.list", Delay: 300 * time.Millisecond})
	ended := make(chan collectors.Result, 1)
	go func() { ended <- once(t, l.source, "inventory", l.clock.Now()) }()
	for _, sub := range l.source.subscriptions {
		eventually(t, "the accounts are listed", sub.known)
	}
	result := l.good("capacity")
	if inventory := <-ended; inventory.Err != nil {
		t.Fatal(inventory.Err)
	}
	used := of(slices.Concat(result.Past, result.Samples), schema.ShareUsed)
	for _, p := range l.server.Model().Shares() {
		name := p.Account.Name + "," + p.Share.Name
		if _, known := used[name]; !known && !p.Share.Deleted && p.Provision().IOPS > 0 {
			t.Errorf("the used space of %s is not known", name)
		}
	}
}

// What the inventory leaves over at first is read a few minutes after it is known, and nothing is asked for twice meanwhile.
func TestSpaceFollowsTheInventory(t *testing.T) {
	l := newLab(t, fleetOf(2, 1), nil)
	for _, entry := range l.source.Entries() {
		if entry.Name == "azurefiles_capacity" && entry.Interval > 5*time.Minute {
			t.Errorf("the next turn is after %s", entry.Interval)
		}
	}
	remove := l.inject(faults.Fault{Kind: faults.Forbidden, Method: "shares.list", Skip: 1})
	if result := l.run("inventory"); result.Err == nil {
		t.Error("nothing was refused")
	}
	known := func() int {
		result := l.good("capacity")
		return len(of(slices.Concat(result.Past, result.Samples), schema.ShareUsed))
	}
	if n := known(); n != 1 {
		t.Errorf("the space of %d shares is known, want 1", n)
	}
	remove()
	l.clock.add(time.Hour)
	l.good("inventory")
	asked := l.server.Usage().Of("metrics.query")
	if n := known(); n != 2 {
		t.Errorf("the space of %d shares is known, want 2", n)
	}
	if l.clock.add(5 * time.Minute); known() != 2 || l.server.Usage().Of("metrics.query") != asked+2 {
		t.Errorf("%d requests, want one for each account", l.server.Usage().Of("metrics.query")-asked)
	}
}

// Space is read as often as is configured, however often its collector runs; what failed in part is read again at once.
func TestTurns(t *testing.T) {
	capacity, minutes := groupNamed(t, "space"), groupNamed(t, "operations")
	cursor := noon.Add(-schema.AzureCapacityDelay)
	for _, row := range []struct {
		group   *group
		every   time.Duration
		cursor  time.Time
		partial bool
		after   time.Duration
		want    bool
	}{
		{capacity, time.Hour, time.Time{}, false, 0, true},
		{capacity, time.Hour, cursor, false, 59 * time.Minute, false},
		{capacity, time.Hour, cursor, false, time.Hour, true},
		{capacity, 10 * time.Minute, cursor, false, 59 * time.Minute, true}, // the window says that there is nothing
		{capacity, 3 * time.Hour, cursor, false, 2*time.Hour + 59*time.Minute, false},
		{capacity, 3 * time.Hour, cursor, false, 3 * time.Hour, true},
		{capacity, 3 * time.Hour, cursor, true, time.Minute, true},
		{minutes, 3 * time.Hour, cursor, false, time.Minute, true},
	} {
		s := &Source{cfg: DefaultConfig()}
		s.cfg.Tiers.Capacity = row.every
		if got := s.turn(row.group, row.cursor, row.partial, noon.Add(row.after)); got != row.want {
			t.Errorf("%+v: %v", row, got)
		}
	}
}
