package fleet

import (
	"testing"

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
