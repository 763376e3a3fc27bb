package model_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/simulator/model"
)

const small = `projects:
  - id: example
    number: 7
    pools:
      - name: pool
        location: europe-west3
        service_level: PREMIUM
        capacity_gib: 2048
        volumes:
          - name: one
            capacity_gib: 1024
            protocols: [NFSV3]
            mount: [{export: /one, address: 192.0.2.1, protocol: NFSV3}]
            used_gib: 512
            load: {pattern: bursty, read_mibps: 5, every: 12h}
`

func TestParseFillsDefaultsIn(t *testing.T) {
	fleet, err := model.Parse("fleet.yml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	pool := fleet.Projects[0].Pools[0]
	load := pool.Volumes[0].Load
	if pool.QoS != model.Auto || pool.Mode != model.Default || load.BlockKiB != 64 || load.Every != model.Span(12*time.Hour) || load.Length != model.Span(15*time.Minute) || load.Noise != 0.02 {
		t.Errorf("pool %+v, load %+v", pool, load)
	}
	path := filepath.Join(t.TempDir(), "fleet.yml")
	if err := os.WriteFile(path, []byte(small), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := model.ReadFile(path); err != nil {
		t.Error(err)
	}
	for _, none := range []string{filepath.Dir(path), path + ".none"} {
		if _, err := model.ReadFile(none); err == nil || !strings.Contains(err.Error(), none) {
			t.Errorf("%s: %v", none, err)
		}
	}
}

// Every mistake is one line that names the file, the line and what is wrong.
func TestParseRefuses(t *testing.T) {
	for _, row := range []struct{ old, new, want string }{
		{"service_level: PREMIUM", "service_level: GOLD", "fleet.yml:7: projects[0].pools[0].service_level: \"GOLD\" is none of"},
		{"capacity_gib: 2048", "capacity_gib: 2048\n        colour: red", "fleet.yml:9: "},
		{"capacity_gib: 2048", "capacity_gib: many", "fleet.yml:8: "},
		{"capacity_gib: 2048", "capacity_gib: 1000", "fleet.yml:8: projects[0].pools[0].capacity_gib: the volumes hold 1024 GiB"},
		{"used_gib: 512", "used_gib: 2000", "fleet.yml:14: "},
		{"used_gib: 512", "used_gib: .nan", "fleet.yml:14: "},
		{"used_gib: 512", "used_gib: 512\n            used_gib: 3", "fleet.yml:15: "},
		{"192.0.2.1", "192.0.2", "fleet.yml:13: "},
		{"protocol: NFSV3}", "protocol: SMB}", "fleet.yml:13: "},
		{"every: 12h", "every: 7s", "fleet.yml:15: projects[0].pools[0].volumes[0].load.every"},
		{"every: 12h", "every: soon", "fleet.yml:15: "},
		{"pattern: bursty", "pattern: odd", "fleet.yml:15: "},
		{"number: 7", "number: 0", "fleet.yml:3: "},
		{"number: 7", "number: 7\n    pools: []", "fleet.yml:"},
		{"id: example", "id: Example!", "fleet.yml:2: "},
		{"location: europe-west3", "location: home", "fleet.yml:6: "},
		{"service_level: PREMIUM", "service_level: PREMIUM\n        total_iops: 4", "needs custom performance"},
		{"service_level: PREMIUM", "service_level: PREMIUM\n        custom_performance: true", "FLEX has"},
		{"service_level: PREMIUM", "service_level: FLEX\n        custom_performance: true", "custom performance needs it"},
		{"service_level: PREMIUM", "service_level: FLEX\n        qos: MANUAL", "share its throughput"},
		{"service_level: PREMIUM", "service_level: PREMIUM\n        qos: MANUAL", "volumes of MANUAL pools need it"},
		{"projects:", "truth: {findings: [{detector: a, variant: b, project: example, location: europe-west3, pool: none}]}\nprojects:", "there is no pool or volume"},
		{"projects:", "instances: [{name: a, project: none, zone: us-central1-a, machine_type: e2, address: 192.0.2.9}]\nprojects:", "there is no project"},
		{small, "", "0 projects"},
		{small, "projects: [null]", "is empty"},
		{small, "projects: [{id: a, number: 1, pools: [null]}]", "is empty"},
		{small, "projects: [{id: a, number: 1, pools: [{volumes: [null]}]}]", "is empty"},
		{small, "{projects: [{id: a, number: 1}], instances: [null]}", "is empty"},
		{small, "projects: [", "fleet.yml:1: "},
		{small, "projects: &a [*a]", "fleet.yml"},
	} {
		text := strings.Replace(small, row.old, row.new, 1)
		_, err := model.Parse("fleet.yml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "fleet.yml:") {
			t.Errorf("%.50q: %v, want %s", row.new, err, row.want)
		}
	}
	twice := strings.Replace(small, "        volumes:", "        volumes:\n          - {name: one, capacity_gib: 1, protocols: [SMB]}", 1)
	if _, err := model.Parse("fleet.yml", []byte(twice)); err == nil || !strings.Contains(err.Error(), "is there twice") {
		t.Errorf("a volume twice: %v", err)
	}
}

// Odd descriptions are refused, not crashed on.
func FuzzParse(f *testing.F) {
	f.Add(small)
	f.Add("projects: [null]")
	f.Fuzz(func(t *testing.T, text string) {
		fleet, err := model.Parse("fleet.yml", []byte(text))
		if (fleet == nil) != (err != nil) {
			t.Fatalf("%v and %v", fleet, err)
		}
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("error of several lines: %q", err)
			}
			return
		}
		m := model.New(fleet, 1, epoch)
		for _, p := range m.Volumes() {
			if got := m.Traffic(p, model.Read, epoch, epoch.Add(time.Hour)); !(got.Bytes >= 0) {
				t.Fatalf("%s: %+v", p.Path, got)
			}
		}
	})
}
