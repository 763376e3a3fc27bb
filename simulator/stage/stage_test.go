package stage_test

import (
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/model"
	"github.com/nasight/nasight/simulator/stage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var begin = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

const fleet = `projects:
  - id: example
    number: 7
    pools:
      - name: pool
        location: europe-west3
        service_level: EXTREME
        capacity_gib: 8192
        volumes:
          - {name: one, capacity_gib: 4096, protocols: [NFSV3], mount: [{export: /one, address: 192.0.2.10, protocol: NFSV3}], used_gib: 100}
subscriptions:
  - id: 00000000-0000-4000-8000-000000000001
    name: example
    accounts:
      - name: examplessd
        resource_group: storage
        location: westeurope
        kind: FileStorage
        sku: PremiumV2_LRS
        created: 2026-01-01T00:00:00Z
        shares: [{name: home, quota_gib: 1024, iops: 3000, mibps: 200}]
hosts:
  - name: app-1
    address: 198.51.100.1
    mounts:
      - {protocol: nfs3, server: 192.0.2.10, export: /one, path: /mnt/one, load: {threads: 64, block_kib: 64}}
      - {protocol: smb, server: examplessd.file.core.windows.net, address: 192.0.2.20, export: home, path: /mnt/home, sessions: 4, load: {threads: 4, block_kib: 16, metadata_share: 0.3}}
      - {protocol: iscsi, server: 192.0.2.30, export: "iqn.2026-01.com.example:lun1", path: /mnt/lun, sessions: 4, load: {threads: 8}}
  - name: desk-1
    os: windows
    address: 198.51.100.2
    mounts:
      - {protocol: smb, server: examplessd.file.core.windows.net, address: 192.0.2.20, export: home, path: "H:", load: {threads: 2, block_kib: 16}}
`

func open(t *testing.T) *stage.Stage {
	t.Helper()
	described, err := model.Parse("fleet.yml", []byte(fleet))
	if err != nil {
		t.Fatal(err)
	}
	s, err := stage.New(t.Context(), stage.Options{Fleet: described, Seed: 1, Start: begin, Past: 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestEverySourceIsRead: a quarter of an hour on the stage gives what every collector of a host and a cloud reads.
func TestEverySourceIsRead(t *testing.T) {
	s := open(t)
	past, err := s.Past(t.Context(), begin.Add(-24*time.Hour), begin)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	note := func(samples []schema.Sample) {
		for _, sample := range samples {
			seen[sample.Family.Name]++
		}
	}
	note(past)
	for at := begin; !at.After(begin.Add(20 * time.Minute)); at = at.Add(15 * time.Second) {
		s.Advance(at)
		samples, err := s.Collect(t.Context(), at)
		if err != nil {
			t.Fatal(at, err)
		}
		note(samples)
	}
	for _, family := range []*schema.Family{schema.NFSMountAge, schema.VolumeTotalThroughput, schema.CollectorSuccess, schema.EndpointOperationRTT} {
		if seen[family.Name] == 0 {
			t.Errorf("nothing of %s", family.Name)
		}
	}
	var names []string
	for name := range seen {
		names = append(names, name)
	}
	for _, part := range []string{"nasight_nfs_", "nasight_smb_", "nasight_iscsi_", "nasight_session_", "nasight_cpu_", "nasight_share_", "nasight_volume_", "nasight_pool_"} {
		if !strings.Contains(strings.Join(names, " "), part) {
			t.Errorf("nothing of %s*: %v", part, names)
		}
	}
}

// TestPastOfAzure: what Azure Monitor knows of the hours before the first reading is filled in, by the collector's own back-fill.
func TestPastOfAzure(t *testing.T) {
	described, err := azure.Example()
	if err != nil {
		t.Fatal(err)
	}
	described.Subscriptions = described.Subscriptions[1:]
	s, err := stage.New(t.Context(), stage.Options{Fleet: described, Seed: 1, Start: begin, Past: 6 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	past, err := s.Past(t.Context(), begin.Add(-6*time.Hour), begin)
	if err != nil {
		t.Fatal(err)
	}
	early := 0
	for _, sample := range past {
		if sample.Family == schema.ShareThroughput && sample.Time.Before(begin.Add(-5*time.Hour)) {
			early++
		}
		if sample.Time.Before(begin.Add(-6*time.Hour)) && sample.Family == schema.ShareThroughput {
			t.Fatalf("a sample of %s", sample.Time)
		}
	}
	if early == 0 {
		t.Error("nothing is known of the sixth hour before the first reading")
	}
}

// TestMinutesPast: of the days before, Azure's minutes are those that were read then, each once and without a gap.
func TestMinutesPast(t *testing.T) {
	described, err := azure.Example()
	if err != nil {
		t.Fatal(err)
	}
	described.Subscriptions = described.Subscriptions[1:]
	const past = 60 * time.Hour
	s, err := stage.New(t.Context(), stage.Options{Fleet: described, Seed: 1, Start: begin, Past: past, Kept: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	samples, err := s.Past(t.Context(), begin.Add(-past), begin)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]map[time.Time]int{}
	for _, sample := range samples {
		if sample.Family != schema.ShareThroughput {
			continue
		}
		key := strings.Join(sample.Labels, "/")
		if seen[key] == nil {
			seen[key] = map[time.Time]int{}
		}
		seen[key][sample.Time]++
	}
	whole := 0
	for key, times := range seen {
		for at, count := range times {
			if count > 1 || at.Before(begin.Add(-past)) {
				t.Fatalf("%s: %d samples of %s", key, count, at)
			}
		}
		if len(times) >= int((past-10*time.Minute)/time.Minute) {
			whole++
		}
	}
	if whole == 0 || len(seen) == 0 {
		t.Errorf("of %d series %d are whole", len(seen), whole)
	}
}

// TestSilentVolume: the service goes on to list it and measures nothing of it from the change on.
func TestSilentVolume(t *testing.T) {
	s := open(t)
	silent, err := model.Parse("fleet.yml", []byte(strings.Replace(fleet, "used_gib: 100}", "used_gib: 100, silent: true}", 1)))
	if err != nil {
		t.Fatal(err)
	}
	change := begin.Add(time.Hour)
	measured, listed := time.Time{}, time.Time{}
	for at := begin; !at.After(begin.Add(3 * time.Hour)); at = at.Add(5 * time.Minute) {
		s.Advance(at)
		if at.Equal(change) {
			if err := s.Change(silent); err != nil {
				t.Fatal(err)
			}
		}
		samples, err := s.Collect(t.Context(), at)
		if err != nil {
			t.Fatal(at, err)
		}
		for _, sample := range samples {
			switch sample.Family {
			case schema.VolumeTotalThroughput:
				measured = sample.Time
			case schema.VolumeInfo:
				listed = sample.Time
			}
		}
	}
	if !measured.Equal(change) || listed.Before(begin.Add(2*time.Hour)) {
		t.Errorf("measured up to %s, want %s; listed up to %s", measured, change, listed)
	}
}
