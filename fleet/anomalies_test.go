package fleet

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/nasight/nasight/baseline"
)

func TestAnomalyResource(t *testing.T) {
	at := func(pool, volume, host string) baseline.Member {
		return baseline.Member{Place: baseline.Place{Cloud: "gcp", Service: "gcnv", Project: "p", Location: "l", Pool: pool, Volume: volume, Host: host}}
	}
	rows := []struct {
		name    string
		members []baseline.Member
		want    Resource
	}{
		{"one volume", []baseline.Member{at("a", "v", "")}, Resource{Cloud: "gcp", Service: "gcnv", Project: "p", Location: "l", Pool: "a", Volume: "v"}},
		{"a volume and a client of it", []baseline.Member{at("a", "v", ""), at("a", "v", "h")}, Resource{Cloud: "gcp", Service: "gcnv", Project: "p", Location: "l", Pool: "a", Volume: "v"}},
		{"two volumes of a pool", []baseline.Member{at("a", "v", ""), at("a", "w", "")}, Resource{Cloud: "gcp", Service: "gcnv", Project: "p", Location: "l", Pool: "a"}},
		{"volumes of one name in two pools", []baseline.Member{at("a", "v", ""), at("b", "v", "")}, Resource{Cloud: "gcp", Service: "gcnv", Project: "p", Location: "l"}},
		{"two mounts of one host", []baseline.Member{at("a", "v", "h"), at("b", "w", "h")}, Resource{Cloud: "gcp", Service: "gcnv", Project: "p", Location: "l", Host: "h"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			anomaly := Anomaly{Merged: baseline.Merged{Root: row.members[0], Others: row.members[1:]}}
			if got := anomaly.Resource(); got != row.want {
				t.Errorf("%+v, want %+v", got, row.want)
			}
			if got := len(anomaly.Members()); got != len(row.members) {
				t.Errorf("%d members, want %d", got, len(row.members))
			}
		})
	}
}

// TestAnomalyJSON: what is missing is null, and what baselines need for themselves is not told.
func TestAnomalyJSON(t *testing.T) {
	signal := baseline.Latency()
	begun := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	band := &Band{At: begun.Add(30 * time.Minute), Signal: "latency", Unit: "seconds", Value: 0.5, Lower: Unknown, Usual: 0.25, Upper: 0.3}
	anomaly := Anomaly{Query: "x", Band: band, Merged: baseline.Merged{Start: begun, Root: baseline.Member{
		Signal: &signal, Place: baseline.Place{Pool: "a", Volume: "v"},
		Incident: baseline.Incident{Kind: baseline.Level, Start: begun, Value: 0.5, Base: 0.25, Rarity: 4},
	}, Others: []baseline.Member{{
		Signal: &signal, Place: baseline.Place{Pool: "a", Volume: "w"},
		Incident: baseline.Incident{Kind: baseline.Stale, Start: begun, End: begun.Add(time.Hour)},
	}}}}
	got, err := json.Marshal(anomaly)
	want := `{"scope":"","since":"2026-11-30T12:00:00Z","resource":{"pool":"a"},"expected":[],"changes":[],"query":"x","band":{"at":"2026-11-30T12:30:00Z","signal":"latency","unit":"seconds","value":0.5,"lower":null,"usual":0.25,"upper":0.3},"series":[` +
		`{"signal":"latency","unit":"seconds","resource":{"pool":"a","volume":"v"},"kind":"level","since":"2026-11-30T12:00:00Z","ended":null,"value":0.5,"usual":0.25,"rarity":4},` +
		`{"signal":"latency","unit":"seconds","resource":{"pool":"a","volume":"w"},"kind":"stale","since":"2026-11-30T12:00:00Z","ended":"2026-11-30T13:00:00Z","value":null,"usual":null,"rarity":null}]}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
}
