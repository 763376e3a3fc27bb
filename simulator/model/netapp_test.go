package model_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/simulator/model"
)

const netappFleet = `subscriptions:
  - id: 00000000-0000-4000-8000-000000000001
    netapp_accounts:
      - name: account
        resource_group: netapp
        location: westeurope
        pools:
          - name: pool
            service_level: Premium
            size_tib: 2
            volumes:
              - name: data
                quota_gib: 1024
                protocols: [NFSv3]
                addresses: [192.0.2.1]
                used_gib: 100
                load: {read_mibps: 80, write_mibps: 16}
`

func TestParseRefusesOddNetAppVolumes(t *testing.T) {
	for _, row := range []struct{ old, new, want string }{
		{"name: account", "name: -a", "is no name"},
		{"location: westeurope", "location: West Europe", "is no region"},
		{"service_level: Premium", "service_level: PREMIUM", "is none of Standard, Premium, Ultra, Flexible"},
		{"service_level: Premium", "service_level: Premium\n            qos: MANUAL", "is none of Auto, Manual"},
		{"service_level: Premium", "service_level: Premium\n            qos: Manual", "volumes of Manual pools need it"},
		{"service_level: Premium", "service_level: Flexible", "custom_throughput_mibps"},
		{"service_level: Premium", "service_level: Premium\n            custom_throughput_mibps: 200", "is for Flexible pools"},
		{"size_tib: 2", "size_tib: 0", "out of range"},
		{"quota_gib: 1024", "quota_gib: 4096", "more than the pool's 2048"},
		{"quota_gib: 1024", "quota_gib: 1", "out of range"},
		{"used_gib: 100", "used_gib: 2000", "out of range"},
		{"NFSv3", "NFS", "is none of NFSv3, NFSv4.1, CIFS"},
		{"[NFSv3]", "[]", "is empty"},
		{"192.0.2.1", "192.0.2", "is no IP address"},
		{"used_gib: 100", "used_gib: 100\n                zone: a", "is none of"},
		{"            volumes:", "            volumes:\n              - null", "is empty"},
		{"        pools:", "        pools:\n          - null", "is empty"},
		{"      - name: account", "      - null\n      - name: account", "is empty"},
		{"            volumes:", "            volumes:\n              - {name: data, quota_gib: 50, protocols: [NFSv3]}", "is there twice"},
	} {
		text := strings.Replace(netappFleet, row.old, row.new, 1)
		if _, err := model.Parse("fleet.yml", []byte(text)); err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.50q: %v, want %s", row.new, err, row.want)
		}
	}
	over := strings.Replace(netappFleet, "service_level: Premium", "service_level: Premium\n            qos: Manual", 1)
	over = strings.Replace(over, "quota_gib: 1024", "quota_gib: 1024\n                throughput_mibps: 129", 1)
	if _, err := model.Parse("fleet.yml", []byte(over)); err == nil || !strings.Contains(err.Error(), "more than the pool's 128") {
		t.Errorf("more throughput than the pool has: %v", err)
	}
}

// A volume moves no more than its service level and size grant, and is held while more is asked for.
func TestNetAppVolumesAreHeldAtTheirLimits(t *testing.T) {
	fleet, err := model.Parse("fleet.yml", []byte(netappFleet))
	if err != nil {
		t.Fatal(err)
	}
	m := model.New(fleet, 1, epoch)
	p := m.NetAppVolumes()[0]
	if p.Limit() != 64 || p.CapacityPool.Throughput() != 128 || p.CapacityPool.Utilized() != 64 || p.NetAppVolume.Token != "data" {
		t.Errorf("limit %g of %g, %g utilized", p.Limit(), p.CapacityPool.Throughput(), p.CapacityPool.Utilized())
	}
	var bytes float64
	for _, op := range model.Ops() {
		bytes += m.Traffic(p.Placement, op, epoch, epoch.Add(time.Hour)).Bytes
	}
	if rate := bytes / 3600 / (1 << 20); rate < 64 || rate > 64*(1+model.Burst) {
		t.Errorf("it moves %g MiB/s", rate)
	}
	if !m.Held(p.Placement, epoch) {
		t.Error("it is not held")
	}
}
