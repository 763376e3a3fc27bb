//go:build servers

package servers

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

// waitFor asks promtool until its answer holds the text.
func waitFor(t *testing.T, want string, arguments ...string) {
	t.Helper()
	output := ""
	eventually(t, startLimit, func() bool {
		var err error
		if output, err = promtool(t, "", arguments...); err != nil {
			t.Fatalf("promtool %q: %v\n%s", arguments, err, output)
		}
		return strings.Contains(output, want)
	}, func() string { return "no " + want + " in: " + output })
}

// A client that nasight's authors did not write understands what the query API answers.
func TestPromtoolQueriesTheHistory(t *testing.T) {
	url := serve(t)
	now := time.Now()
	tests := map[string][]string{
		"instant": {"query", "instant", url, "nasight_nfs_mount_info"},
		"range": {
			"query", "range", "--start=" + now.Add(-time.Minute).Format(time.RFC3339),
			"--end=" + now.Add(startLimit).Format(time.RFC3339), "--step=5s", url, "nasight_nfs_mount_info",
		},
		"series": {"query", "series", "--match=nasight_nfs_mount_info", url},
		"labels": {"query", "labels", url, "server"},
	}
	for name, arguments := range tests {
		t.Run(name, func(t *testing.T) { waitFor(t, captureServer, arguments...) })
	}
	if output, err := promtool(t, "", "query", "instant", url, "sum("); err == nil {
		t.Errorf("a wrong expression: got %q, want an error", output)
	}
}

// What a foreign sender writes is stored as sent. This is version 1 of the protocol: asked for version 2, promtool
// announces it and sends a message of version 1 all the same. The agent below writes version 2.
func TestPromtoolWritesToTheHistory(t *testing.T) {
	url := serve(t)
	exposition := "# TYPE nasight_cpu_cores gauge\nnasight_cpu_cores{host=\"foreign\"} 48\n"
	if output, err := promtool(t, exposition, "push", "metrics", url); err != nil {
		t.Fatalf("promtool push metrics: %v\n%s", err, output)
	}
	waitFor(t, "=> 48 @", "query", "instant", url, `nasight_cpu_cores{host="foreign"}`)
}

// Quotes, backslashes and letters of other alphabets come back as they were sent, by every way to ask.
func TestPromtoolReadsOddValues(t *testing.T) {
	url := serve(t)
	const value = `say "ünïcode" \\share`
	exposition := "# TYPE nasight_cpu_cores gauge\nnasight_cpu_cores{host=" + strconv.Quote(value) + "} 7\n"
	if output, err := promtool(t, exposition, "push", "metrics", url); err != nil {
		t.Fatalf("promtool push metrics: %v\n%s", err, output)
	}
	selector := "nasight_cpu_cores{host=" + strconv.Quote(value) + "}"
	waitFor(t, "=> 7 @", "query", "instant", url, selector)
	waitFor(t, value, "query", "labels", "--match=nasight_cpu_cores", url, "host")
	waitFor(t, strconv.Quote(value), "query", "series", "--match="+selector, url)
}

// An agent on another host writes to a central instance, which then knows its mounts.
func TestAgentWritesToServe(t *testing.T) {
	url := serve(t)
	agentNamed(t, "elsewhere", "--interval=1s", "--remote-write.url="+url+"/api/v1/write")
	waitFor(t, captureServer, "query", "instant", url, `nasight_nfs_mount_info{host="elsewhere"}`)
}
