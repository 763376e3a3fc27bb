package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	rounds         = 20
	ticksPerSecond = 100 // of utime and stime; the same on all architectures that Go runs on
)

// BenchmarkHost is the agent as a process of its own on a host with 100 NFS mounts of 16 transports each, and on one with 100
// SMB shares: every round is one run of all collectors and one scrape. It reports the process's own processor time and
// memory; the time per operation only says how long the test waits.
func BenchmarkHost(b *testing.B) {
	b.Run("nfs", func(b *testing.B) { benchmarkHost(b, manyMounts(b, 100, 16)) })
	b.Run("smb", func(b *testing.B) { benchmarkHost(b, manyShares(b, 100)) })
}

func benchmarkHost(b *testing.B, dir string) {
	binary := filepath.Join(b.TempDir(), "nasight-agent")
	if output, err := exec.CommandContext(b.Context(), "go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, output)
	}
	process, url := startAgent(b, binary, dir)
	defer http.DefaultClient.CloseIdleConnections()
	scrape(b, url)
	var cpu float64
	var size int
	for b.Loop() {
		clock := time.NewTicker(time.Second) // the interval of the collectors
		begin := processorSeconds(b, process)
		for range rounds {
			<-clock.C
			size = scrape(b, url)
		}
		cpu += processorSeconds(b, process) - begin
		clock.Stop()
	}
	b.ReportMetric(cpu*1e3/float64(rounds*b.N), "cpu-ms/round")
	b.ReportMetric(memory(b, process, "VmRSS"), "rss-MB")
	b.ReportMetric(memory(b, process, "RssAnon"), "anon-MB")
	b.ReportMetric(float64(size)/1e3, "exposition-kB")
}

// startAgent starts the program and waits until every collector has run.
func startAgent(b *testing.B, binary, dir string) (process int, url string) {
	b.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.Context()))
	command := exec.CommandContext(ctx, binary, "--web.listen-address=127.0.0.1:0", "--interval=1s", "--host=client1",
		"--path.procfs="+filepath.Join(dir, "proc"), "--path.sysfs="+filepath.Join(dir, "sys"),
		"--path.netlink="+filepath.Join(dir, "netlink"))
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	logs, err := command.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	drained := make(chan struct{})
	b.Cleanup(func() {
		cancel()
		<-drained
		_ = command.Wait() // ends by the signal that it was sent
	})
	lines := bufio.NewScanner(logs)
	address := regexp.MustCompile(`msg="Listening on" address=(\S+)`)
	for url == "" && lines.Scan() {
		if found := address.FindStringSubmatch(lines.Text()); found != nil {
			url = "http://" + found[1]
		}
	}
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, logs)
	}()
	if url == "" {
		b.Fatal("the agent does not listen")
	}
	awaitReady(b, url)
	return command.Process.Pid, url
}

func scrape(b *testing.B, url string) int {
	b.Helper()
	code, body := get(b, url+"/metrics")
	if code != http.StatusOK || !strings.Contains(body, "_read_bytes_total{") {
		b.Fatalf("status %d: %s", code, body)
	}
	return len(body)
}

// processorSeconds reads fields 14 and 15 of a process's stat: user and system time.
func processorSeconds(b *testing.B, process int) float64 {
	b.Helper()
	stat := read(b, filepath.Join("/proc", strconv.Itoa(process), "stat"))
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	user, err := strconv.ParseFloat(fields[11], 64)
	if err != nil {
		b.Fatal(err)
	}
	system, err := strconv.ParseFloat(fields[12], 64)
	if err != nil {
		b.Fatal(err)
	}
	return (user + system) / ticksPerSecond
}

// memory reads one of the kB values of a process's status, in MB.
func memory(b *testing.B, process int, name string) float64 {
	b.Helper()
	for line := range strings.Lines(read(b, filepath.Join("/proc", strconv.Itoa(process), "status"))) {
		if value, found := strings.CutPrefix(line, name+":"); found {
			kilobytes, err := strconv.ParseFloat(strings.Fields(value)[0], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kilobytes * 1024 / 1e6
		}
	}
	b.Fatalf("no %s", name)
	return 0
}
