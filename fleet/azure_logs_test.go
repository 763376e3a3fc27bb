package fleet_test

import (
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

// sampled records so many minutes of a family, the newest of which ended some minutes ago.
func (r *recorder) sampled(n int, ago time.Duration, family *schema.Family, value func(i int) float64, labels ...string) {
	now := r.now
	for i := range n {
		r.now = now.Add(-ago - time.Duration(n-1-i)*time.Minute)
		r.add(family, value(i), labels...)
	}
	r.now = now
}

func TestClientsOfAShare(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	provisioned(r)
	const ago = 25 * time.Minute
	one := shareLabels("home", "192.0.2.1")
	r.sampled(1, ago, schema.ShareClientInfo, constant(1), append(one, "smb", "known")...)
	r.sampled(5, ago, schema.ShareClientConcurrency, func(i int) float64 { return float64(10 * i) }, one...)
	r.sampled(5, ago, schema.ShareClientChannels, func(i int) float64 { return float64(1 + i%4) }, one...)
	r.sampled(5, ago, schema.ShareClientFiles, constant(1), one...)
	r.sampled(5, ago, schema.ShareClientOperations, constant(300), append(one, "data")...)
	r.sampled(5, ago, schema.ShareClientOperations, constant(40), append(one, "other")...)
	r.sampled(5, ago, schema.ShareClientThroughput, constant(1e6), append(one, "egress")...)
	r.sampled(5, ago, schema.ShareClientThroughput, constant(2e6), append(one, "ingress")...)
	for address, row := range map[string]struct {
		minutes int
		files   float64
	}{"192.0.2.2": {4, 1}, "192.0.2.3": {4, 2}} { // files of four minutes of five
		labels := shareLabels("home", address)
		r.sampled(1, ago, schema.ShareClientInfo, constant(1), append(labels, "smb", "unknown")...)
		r.sampled(5, ago, schema.ShareClientConcurrency, constant(1), labels...)
		r.sampled(row.minutes, ago, schema.ShareClientFiles, constant(row.files), labels...)
	}
	r.sampled(5, ago, schema.ShareFileOperations, func(i int) float64 { return float64(7000 + i) }, shareLabels("home")...)
	r.sampled(5, ago, schema.ShareFileThroughput, constant(5e6), shareLabels("home")...)
	share := r.build(fleet.Moments(r.times)).Accounts[0].Shares[0]
	if len(share.Clients) != 3 {
		t.Fatalf("clients %+v", share.Clients)
	}
	first := share.Clients[0]
	want := fleet.ShareClient{Address: "192.0.2.1", Protocol: "smb", Channels: 4, Files: 1, Concurrency: 36, Data: 300, Other: 40, Read: 1e6, Write: 2e6}
	if first != want {
		t.Errorf("%+v, want %+v", first, want)
	}
	unknown(t, "channels without ports", share.Clients[1].Channels)
	unknown(t, "files where a minute may have several", share.Clients[1].Files)
	if share.Clients[2].Files != 2 {
		t.Errorf("two files of one session are %v", share.Clients[2].Files)
	}
	n := len(share.BusiestFile)
	if n < 5 || share.BusiestFile[n-1] != (fleet.FileMinute{Operations: 7004, Throughput: 5e6}) || share.BusiestFile[n-5].Operations != 7000 {
		t.Errorf("the busiest file is %+v", share.BusiestFile)
	}
}

// Samples older than the longest period say nothing of now.
func TestOldSamplesOfTheLog(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	provisioned(r)
	r.sampled(1, time.Hour, schema.ShareClientInfo, constant(1), shareLabels("home", "192.0.2.1", "smb", "known")...)
	r.sampled(5, time.Hour, schema.ShareFileOperations, constant(8000), shareLabels("home")...)
	share := r.build(fleet.Moments(r.times)).Accounts[0].Shares[0]
	if len(share.Clients) != 0 || len(share.BusiestFile) != 0 {
		t.Errorf("%+v, %+v", share.Clients, share.BusiestFile)
	}
}
