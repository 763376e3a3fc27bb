package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/plan"
	"github.com/nasight/nasight/serve"
	"github.com/nasight/nasight/simulator"
)

// planConfig writes a configuration that reads the example fleet's pools with manual QoS from an emulator.
func planConfig(t *testing.T, emulator *simulator.Server, directory, listen string) string {
	t.Helper()
	file := filepath.Join(directory, strings.ReplaceAll(listen, ":", "-")+".yml")
	text := fmt.Sprintf(`web: {listen_address: %q}
hosts: []
gcnv:
  projects: [example-prod]
  include: ["example-prod/[^/]*/(manual-(idle|throttled)|extreme-idle)"]
  endpoints: {monitoring: %q, netapp: %q, insecure: true}
  pacing: {calls_per_second: 500}
history: {path: %q}
detection: {interval: 5s, thresholds: {pool: {headroom: 1.3}}}
`, listen, emulator.GRPCAddress(), emulator.URL(), filepath.Join(directory, "data"))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// startServe runs a server of a configuration and returns its address and what stops it.
func startServe(t *testing.T, file string) (address string, stop func()) {
	t.Helper()
	cfg, err := config.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	listening := make(chan net.Addr, 1)
	server, err := serve.New(t.Context(), serve.Options{Config: cfg, Build: build(), Listening: func(a net.Addr) { listening <- a }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	return (<-listening).String(), func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// awaitPlans polls the API until the pools are planned on a week of data: the back-fill has ended by then.
func awaitPlans(t *testing.T, address string) plan.Answer {
	t.Helper()
	poll := time.NewTicker(200 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(4 * time.Minute); time.Now().Before(deadline); <-poll.C {
		code, body := get(t, "http://"+address+"/api/v1/plan")
		if code == http.StatusServiceUnavailable {
			continue
		}
		var answer plan.Answer
		if err := json.Unmarshal([]byte(body), &answer); err != nil || code != http.StatusOK {
			t.Fatalf("%d: %v in %s", code, err, body)
		}
		if len(answer.Pools) == 2 && answer.Pools[0].Days == 7 && answer.Pools[1].Days == 7 {
			return answer
		}
	}
	t.Fatal("no plan on a week of data in time")
	return plan.Answer{}
}

// A real serve reads the emulated cloud through the real clients. Its API, the command beside it and the command on the
// files that it leaves say the same.
func TestPlanOfARealServe(t *testing.T) {
	emulator, err := simulator.Start(t.Context(), simulator.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer emulator.Close()
	directory := t.TempDir()
	address, stop := startServe(t, planConfig(t, emulator, directory, "127.0.0.1:0"))
	defer func() { stop() }()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	flag := "--config.file=" + planConfig(t, emulator, directory, ":"+port)
	served := awaitPlans(t, address)

	beside := nasight(t, "plan", flag, "--format=json")
	samePlans(t, "beside it", served, beside)
	if text := nasight(t, "plan", flag); !strings.HasPrefix(text.out, "From http://localhost:"+port+", as of ") || !strings.Contains(text.out, "at least 7 days") {
		t.Errorf("beside it: %+v", text)
	}
	if code, body := get(t, "http://"+address+"/api/v1/plan?pool=none"); code != http.StatusNotFound || !strings.Contains(body, "pool=none: no such pool among 3") {
		t.Errorf("unknown pool: %d %s", code, body)
	}
	if got := nasight(t, "plan", flag, "--pool=none"); got.code != exitUsage || !strings.Contains(got.err, "--pool=none: no such pool among 3") {
		t.Errorf("unknown pool: %+v", got)
	}
	stop()
	stop = func() {}
	samePlans(t, "on its files", served, nasight(t, "plan", flag, "--format=json"))
	if text := nasight(t, "plan", flag); !strings.HasPrefix(text.out, "From "+filepath.Join(directory, "data")+", as of ") {
		t.Errorf("on its files: %+v", text)
	}
}

// samePlans compares figures of looks that may be minutes apart.
func samePlans(t *testing.T, where string, served plan.Answer, printed result) {
	t.Helper()
	var answer plan.Answer
	if err := json.Unmarshal([]byte(printed.out), &answer); err != nil || printed.code != 0 {
		t.Fatalf("%s: %v, %+v", where, err, printed)
	}
	if len(answer.Pools) != len(served.Pools) {
		t.Fatalf("%s: %d pools, want %d", where, len(answer.Pools), len(served.Pools))
	}
	for i, one := range answer.Pools {
		other := served.Pools[i]
		if one.Pool != other.Pool || one.Status != other.Status || one.Days != other.Days || !one.PeakDays.AtLeast(14) || one.PeakDays != other.PeakDays || one.Options != other.Options || one.Options.Headroom != 1.3 {
			t.Errorf("%s: %s is %s on %g days with %+v, want %s is %s", where, one.Pool, one.Status, float64(one.Days), one.Options, other.Pool, other.Status)
		}
		for j, a := range one.Volumes {
			b := other.Volumes[j]
			if a.Name != b.Name || math.Abs(float64(a.Need-b.Need)) > 0.1*float64(b.Need) || math.Abs(float64(a.Propose-b.Propose)) > 0.1*float64(b.Propose) {
				t.Errorf("%s: %s needs %g and gets %g, want %s: %g and %g", where, a.Name, float64(a.Need), float64(a.Propose), b.Name, float64(b.Need), float64(b.Propose))
			}
		}
	}
}

// Without a serve and without files, one line says what was tried and what to name.
func TestPlanFindsNoHistory(t *testing.T) {
	const nobody = "127.0.0.1:1"
	file := filepath.Join(t.TempDir(), "nasight.yml")
	if err := os.WriteFile(file, fmt.Appendf(nil, "web: {listen_address: %q}\nhistory: {path: /no/such/dir}\n", nobody), 0o600); err != nil {
		t.Fatal(err)
	}
	got := nasight(t, "plan", "--config.file="+file)
	for _, want := range []string{"http://" + nobody, " history.path=/no/such/dir: holds no history", "--server"} {
		if got.code != exitUncollect || !strings.Contains(got.err, want) || strings.Count(got.err, "\n") != 1 {
			t.Errorf("%+v, want exit code %d and %q", got, exitUncollect, want)
		}
	}
	if strings.Contains(got.err, "--history.path=/no/such/dir") {
		t.Errorf("%q tells of a flag that nobody gave", got.err)
	}
	if got := nasight(t, "plan", "--config.file=/no/such/file.yml"); got.code != exitUsage || !strings.Contains(got.err, "/no/such/file.yml") {
		t.Errorf("%+v", got)
	}
}
