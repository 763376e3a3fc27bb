//go:build servers

package servers

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/simulator"
)

// somePools are enough: findings of minutes and of days, and healthy twins.
var somePools = []string{"manual-unallocated", "manual-throttled", "extreme-idle", "extreme-busy"}

const judgesACloud = `
detection: {interval: 5s}
gcnv:
  projects: [%q]
  include: [".*/.*/(%s)(/.*)?"]
  backfill_days: 9
  endpoints: {monitoring: %q, netapp: %q, insecure: true}
  pacing: {calls_per_second: 500}
history:
  path: %q
`

// With its history in a real server, serve finds what it finds with its own: the same findings of the same resources, and the
// numbers that they rest on differ by a tenth at most.
func TestRealServersGiveTheSameFindings(t *testing.T) {
	t.Parallel() // it waits for the clock
	planted, err := simulator.Example()
	if err != nil {
		t.Fatal(err)
	}
	emulator, err := simulator.Start(t.Context(), simulator.Options{Fleet: planted, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = emulator.Close() })
	project := planted.Projects[0].ID
	judging := func(t *testing.T, where string) string {
		t.Helper()
		text := fmt.Sprintf(judgesACloud, project, strings.Join(somePools, "|"), emulator.GRPCAddress(), emulator.URL(), filepath.Join(t.TempDir(), "history"))
		return runServer(t, filepath.Join(programs, "nasight"), "/-/ready", "serve", "--config.file="+recorded(t).configurationWith(t, text+where), "--web.listen-address=ADDRESS").url
	}
	embedded := judging(t, "")
	remote := map[string]string{}
	for name, c := range remoteServers() {
		server := c.start(t)
		where := fmt.Sprintf("  url: %q\n  write_url: %q\n  write_protocol: %q\n", server.url, server.url+"/api/v1/write", c.protocol)
		if c.params != nil {
			where += `  query_params: {nocache: "1", latency_offset: 1ms}` + "\n"
		}
		remote[name] = judging(t, where)
	}
	var want map[string]map[string]float64
	var missing []string
	eventually(t, startLimit, func() bool {
		want, missing = evidence(t, embedded), nil
		for _, finding := range planted.Truth.Findings {
			name := strings.Join([]string{finding.Detector, finding.Variant, finding.Project, finding.Location, finding.Pool, finding.Volume}, " ")
			if finding.Project == project && slices.Contains(somePools, finding.Pool) && want[name] == nil {
				missing = append(missing, name)
			}
		}
		return len(want) > 0 && len(missing) == 0
	}, func() string { return fmt.Sprintf("not found on the embedded history: %q", missing) })
	for name, url := range remote {
		t.Run(name, func(t *testing.T) {
			var odd []string
			eventually(t, startLimit, func() bool {
				odd = unlike(evidence(t, embedded), evidence(t, url))
				return len(odd) == 0
			}, func() string { return strings.Join(odd, "\n") })
		})
	}
}

// evidence are the numbers that the findings which fire rest on.
func evidence(t *testing.T, nasight string) map[string]map[string]float64 {
	t.Helper()
	var answer struct{ Findings []detectors.Finding }
	if err := fetchFrom(t.Context(), nasight+"/api/v1/findings", &answer); err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]float64{}
	for _, finding := range answer.Findings {
		if finding.State != detectors.Firing {
			continue
		}
		r, rows := finding.Resource, map[string]float64{}
		for _, row := range finding.Evidence {
			rows[row.Name] = float64(row.Value)
		}
		found[strings.Join([]string{finding.Detector, finding.Variant, r.Project, r.Location, r.Pool, r.Volume}, " ")] = rows
	}
	return found
}

// unlike tells where two sets of findings differ. A number that is looked up now and then may be there on one side alone.
func unlike(own, remote map[string]map[string]float64) (odd []string) {
	compared := 0
	for name, rows := range own {
		others, ok := remote[name]
		if !ok {
			odd = append(odd, "on the embedded history alone: "+name)
		}
		for row, value := range rows {
			other, ok := others[row]
			if !ok {
				continue
			}
			compared++
			if math.Abs(other-value) > 0.1*max(math.Abs(value), math.Abs(other)) {
				odd = append(odd, fmt.Sprintf("%s: %s is %v, on the remote history %v", name, row, value, other))
			}
		}
	}
	for name := range remote {
		if _, ok := own[name]; !ok {
			odd = append(odd, "on the remote history alone: "+name)
		}
	}
	if len(odd) == 0 && compared < 8 {
		odd = append(odd, fmt.Sprintf("only %d numbers were compared", compared))
	}
	return odd
}
