package export

import (
	"context"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// pushing is a pusher that runs until stop is called or the test ends.
type pushing struct {
	*Pusher
	stop func()
}

func startPusher(t *testing.T, cfg PusherConfig) pushing {
	t.Helper()
	if cfg.FirstRetry == 0 {
		cfg.FirstRetry = time.Millisecond
	}
	p, err := NewPusher(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	stopped := false
	stop := func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return pushing{p, stop}
}

// health reads the pusher's own families as "family/reason" and value.
func health(t *testing.T, p *Pusher) map[string]float64 {
	t.Helper()
	collector, err := p.Entry().New(collectors.Root{Host: "client1"}, collectors.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	result := collectors.Once(t.Context(), collector, noon)
	if result.Err != nil || len(result.Skipped) > 0 {
		t.Fatalf("health: %v, skipped %v", result.Err, result.Skipped)
	}
	values := make(map[string]float64)
	for _, sample := range result.Samples {
		name := strings.TrimPrefix(sample.Family.Name, "nasight_remote_write_")
		if name == "behind_seconds" {
			continue // by the clock
		}
		values[strings.Join(append([]string{name}, sample.Labels[2:]...), "/")] = sample.Value
	}
	return values
}

func expectPending(t *testing.T, p *Pusher, want float64) {
	t.Helper()
	if got := health(t, p)["pending_samples"]; got != want {
		t.Errorf("%v samples wait, want %v", got, want)
	}
}

// await looks until a condition holds.
func await(t *testing.T, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatal("not within a minute")
		case <-poll.C:
		}
	}
}

// syncBuffer is a log that several goroutines may write to.
type syncBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *syncBuffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(line)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func expectHealth(t *testing.T, p *Pusher, want map[string]float64) {
	t.Helper()
	all := map[string]float64{
		"samples_total": 0, "retries_total": 0, "pending_samples": 0,
		"dropped_samples_total/queue_full": 0, "dropped_samples_total/rejected": 0, "dropped_samples_total/shutdown": 0,
	}
	for name, value := range want {
		all[name] = value
	}
	if diff := cmp.Diff(all, health(t, p)); diff != "" {
		t.Errorf("health (-want +got):\n%s", diff)
	}
}

func TestPusherSendsEverySampleWithItsTime(t *testing.T) {
	for _, protocol := range []string{ProtocolV2, ProtocolV1} {
		t.Run(protocol, func(t *testing.T) {
			r := newReceiver(t)
			p := startPusher(t, PusherConfig{URL: r.server.URL + "/api/v1/write", Protocol: protocol})
			mount := []string{"client1", "192.0.2.1", "", "nfs", "caf\xe9"} // unsorted, one empty, one no UTF-8
			publish(t, p, batch("client1", "nfs", sample(schema.NFSReadBytes, 1.5, mount...), sample(schema.CPUCores, -4, "client1")))
			request := <-r.requests
			p.stop()
			want := []string{
				`{__name__="nasight_nfs_read_bytes_total", device="caf�", host="client1", protocol="nfs", server="192.0.2.1"} 1.5@1796040000000`,
				`{__name__="nasight_cpu_cores", host="client1"} -4@1796040000000`,
			}
			if diff := cmp.Diff(want, r.received()); diff != "" || request.URL.Path != "/api/v1/write" {
				t.Errorf("at %s received (-want +got):\n%s", request.URL.Path, diff)
			}
			expectHealth(t, p.Pusher, map[string]float64{"samples_total": 2})
		})
	}
}

// The bytes were made with the generated type of the Prometheus server.
func TestEncodeV1MakesTheBytesOfPrometheus(t *testing.T) {
	const want = "\nX\n%\n\b__name__\x12\x19nasight_cpu_seconds_total\n\x0f\n\x04host\x12\aclient1\n\f\n\x04mode\x12\x04busy" +
		"\x12\x10\t\x00\x00\x00\x00\x00\x00\xf8?\x10\x80\x84\xce\xe2\xa24" +
		"\nB\n\x1d\n\b__name__\x12\x11nasight_cpu_cores\n\x0f\n\x04host\x12\aclient1" +
		"\x12\x10\t\x00\x00\x00\x00\x00\x00\x10\xc0\x10\x80\x84\xce\xe2\xa24"
	_, got := (&encoder{}).encode(ProtocolV1, []schema.Sample{sample(schema.CPUSeconds, 1.5, "client1", "busy"), sample(schema.CPUCores, -4, "client1")})
	if string(got.series) != want || len(got.symbols) > 0 {
		t.Errorf("got %q", got)
	}
}

func TestPusherTriesAgainWhereItMayHelp(t *testing.T) {
	for _, status := range []int{http.StatusInternalServerError, http.StatusServiceUnavailable,
		http.StatusTooManyRequests, http.StatusUnauthorized, http.StatusForbidden} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			r := newReceiver(t, answer{status: status}, answer{status: status})
			p := startPusher(t, PusherConfig{URL: r.server.URL})
			publish(t, p, batch("client1", "cpu", sample(schema.CPUCores, 4, "client1")))
			for range 3 {
				<-r.requests
			}
			p.stop()
			expectHealth(t, p.Pusher, map[string]float64{"samples_total": 1, "retries_total": 2})
		})
	}
}

// Whatever keeps samples from a receiver is told in one line, which says where and why, and costs none of them.
func TestPusherSaysWhatKeepsSamplesBack(t *testing.T) {
	unknown := httptest.NewUnstartedServer(http.NotFoundHandler())
	unknown.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	unknown.StartTLS()
	t.Cleanup(unknown.Close)
	for name, test := range map[string]struct {
		answer answer
		url    string // empty for one that answers
		says   string
	}{
		"too many":          {answer{status: 429, header: map[string]string{"Retry-After": "1"}}, "", "429"},
		"failing":           {answer{status: 500}, "", "500"},
		"wrong token":       {answer{status: 401}, "", "look at basic_auth, bearer_token_file and headers"},
		"not allowed":       {answer{status: 403}, "", "look at basic_auth, bearer_token_file and headers"},
		"no such path":      {answer{status: 404}, "", "there is no remote-write receiver at this address"},
		"unknown authority": {answer{}, unknown.URL, "unknown authority; name its authority's certificate in ca_file"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReceiver(t, test.answer, test.answer)
			var log strings.Builder // read after the stop
			cfg := PusherConfig{Name: "store", URL: r.server.URL, Logger: slog.New(slog.NewTextHandler(&log, nil))}
			if test.url != "" {
				cfg.URL = test.url
			}
			p := startPusher(t, cfg)
			publish(t, p, batch("client1", "cpu", sample(schema.CPUCores, 4, "client1")))
			if test.url == "" {
				for range 3 {
					<-r.requests
				}
			} else {
				await(t, func() bool { return p.retries.Load() >= 2 })
			}
			p.stop()
			text := log.String()
			if strings.Count(text, "remote write failed") != 1 || !strings.Contains(text, test.says) || !strings.Contains(text, "receiver=store") || !strings.Contains(text, cfg.URL) {
				t.Errorf("logged %s", text)
			}
			if accepted, rejected, dropped := p.Counts(); rejected+dropped > 0 || (accepted == 1) != (test.url == "") {
				t.Errorf("%d accepted, %d rejected, %d dropped", accepted, rejected, dropped)
			}
		})
	}
}

func TestPusherWaitsAsLongAsItIsTold(t *testing.T) {
	r := newReceiver(t, answer{status: http.StatusTooManyRequests, header: map[string]string{"Retry-After": "1"}})
	p := startPusher(t, PusherConfig{URL: r.server.URL})
	publish(t, p, batch("client1", "cpu", sample(schema.CPUCores, 4, "client1")))
	<-r.requests
	begin := time.Now()
	<-r.requests
	if waited := time.Since(begin); waited < 900*time.Millisecond {
		t.Errorf("tried again after %s, told to wait 1 s", waited)
	}
}

func TestPusherDropsWhatIsRejected(t *testing.T) {
	r := newReceiver(t, answer{status: http.StatusBadRequest, accept: 1}, answer{status: http.StatusConflict})
	var log syncBuffer
	p := startPusher(t, PusherConfig{URL: r.server.URL, Name: "store", Logger: slog.New(slog.NewTextHandler(&log, nil))})
	two := []schema.Sample{sample(schema.CPUCores, 4, "client1"), sample(schema.CPUSeconds, 1, "client1", "busy")}
	for range 3 {
		publish(t, p, batch("client1", "cpu", two...))
		<-r.requests
	}
	p.stop()
	expectHealth(t, p.Pusher, map[string]float64{"samples_total": 3, "dropped_samples_total/rejected": 3})
	if text := log.String(); strings.Count(text, "rejected samples") != 1 || !strings.Contains(text, "receiver=store url="+r.server.URL+" samples=1") || !strings.Contains(text, "400") {
		t.Errorf("logged %s", text)
	}
}

// A receiver that answers well and confirms a part says no reason; the log says that, and not that there was no error.
func TestPusherTellsOfWhatIsNotConfirmed(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Prometheus-Remote-Write-Samples-Written", "1")
	}))
	t.Cleanup(server.Close)
	var log syncBuffer
	p := startPusher(t, PusherConfig{URL: server.URL, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	publish(t, p, batch("client1", "cpu", sample(schema.CPUCores, 4, "client1"), sample(schema.CPUSeconds, 1, "client1", "busy")))
	await(t, func() bool { return p.rejected.Load() == 1 })
	p.stop()
	if text := log.String(); !strings.Contains(text, "confirms fewer samples than were sent") || strings.Contains(text, "nil") {
		t.Errorf("logged %s", text)
	}
}

// A receiver that refuses a whole request for one sample of it gets the others, in either protocol.
func TestPusherFindsTheBadSample(t *testing.T) {
	for _, protocol := range []string{ProtocolV2, ProtocolV1} {
		for _, status := range []int{http.StatusBadRequest, http.StatusUnprocessableEntity} {
			r := newReceiver(t)
			r.refuse = func(lines []string) int {
				if slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, "bad") }) {
					return status
				}
				return 0
			}
			p := startPusher(t, PusherConfig{URL: r.server.URL, Protocol: protocol})
			samples := mountSamples("client1", 100)
			samples[123] = sample(schema.CPUCores, 1, "bad")
			publish(t, p, batch("client1", "nfs", samples...))
			await(t, func() bool { return p.sent.Load() == int64(len(samples)-1) && p.rejected.Load() == 1 })
			p.stop()
			if got := r.received(); len(got) != len(samples)-1 {
				t.Errorf("%s, %d: received %d of %d samples", protocol, status, len(got), len(samples)-1)
			}
		}
	}
}

// A receiver that refuses everything is not asked for ever.
func TestPusherGivesUpTheSearchForBadSamples(t *testing.T) {
	r := newReceiver(t)
	r.refuse = func([]string) int { return http.StatusBadRequest }
	p := startPusher(t, PusherConfig{URL: r.server.URL})
	samples := mountSamples("client1", 100)
	publish(t, p, batch("client1", "nfs", samples...))
	await(t, func() bool { return p.rejected.Load() == int64(len(samples)) })
	p.stop()
	if asked := len(r.requests); asked > 2*mostRefusals+1 {
		t.Errorf("%d requests for one batch", asked)
	}
}

// A receiver that knows only remote write 1.0 may answer 204 to what it does not understand. What is wrong is said, and the
// samples wait until the protocol is put right.
func TestPusherNoticesAReceiverThatStoresNothing(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	var log syncBuffer
	p := startPusher(t, PusherConfig{
		URL: server.URL, Flush: time.Millisecond, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	publish(t, p, batch("client1", "cpu", sample(schema.CPUCores, 4, "client1")))
	await(t, func() bool { return p.retries.Load() > 2 })
	expectPending(t, p.Pusher, 1)
	p.stop()
	text := log.String()
	if strings.Count(text, "remote write failed") != 1 || !strings.Contains(text, `VictoriaMetrics, needs the protocol \"1.0\"`) {
		t.Errorf("logged %s", text)
	}
}

// What is wrong with the address costs no sample.
func TestPusherWaitsWhereTheAddressIsWrong(t *testing.T) {
	for _, status := range []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnsupportedMediaType} {
		r := newReceiver(t, answer{status: status}, answer{status: status})
		p := startPusher(t, PusherConfig{URL: r.server.URL})
		publish(t, p, batch("client1", "cpu", sample(schema.CPUCores, 4, "client1")))
		await(t, func() bool { return p.sent.Load() == 1 })
		p.stop()
		expectHealth(t, p.Pusher, map[string]float64{"samples_total": 1, "retries_total": 2})
	}
}

// A receiver that leads elsewhere gets the samples later, and nobody else gets them.
func TestPusherDoesNotFollowRedirections(t *testing.T) {
	r := newReceiver(t)
	var strayed, asked atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed.Add(1) }))
	t.Cleanup(other.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if asked.Add(1) < 3 {
			http.Redirect(w, request, other.URL+"/w", http.StatusTemporaryRedirect)
			return
		}
		if request.UserAgent() != "nasight/1.2" {
			t.Errorf("the request is of %q", request.UserAgent())
		}
		r.server.Config.Handler.ServeHTTP(w, request)
	}))
	t.Cleanup(server.Close)
	var log syncBuffer
	p := startPusher(t, PusherConfig{URL: server.URL, Name: "store", UserAgent: "nasight/1.2", Logger: slog.New(slog.NewTextHandler(&log, nil))})
	publish(t, p, batch("client1", "cpu", sample(schema.CPUCores, 4, "client1")))
	await(t, func() bool { return p.sent.Load() == 1 })
	p.stop()
	expectHealth(t, p.Pusher, map[string]float64{"samples_total": 1, "retries_total": 2})
	if text := log.String(); !strings.Contains(text, "which is not followed") || !strings.Contains(text, other.URL+"/w") || strayed.Load() > 0 {
		t.Errorf("%d requests went elsewhere; logged %s", strayed.Load(), text)
	}
}

func TestPusherDropsTheOldestWhenTooManyWait(t *testing.T) {
	r := newReceiver(t)
	p, err := NewPusher(PusherConfig{URL: r.server.URL, MaxPending: 3})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		publish(t, p, batch("client1", "cpu", sample(schema.CPUCores, float64(2*i), "client1"), sample(schema.CPUCores, float64(2*i+1), "client1")))
	}
	expectHealth(t, p, map[string]float64{"pending_samples": 3, "dropped_samples_total/queue_full": 5})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Run(ctx); err != nil { // stops at once and flushes
		t.Fatal(err)
	}
	want := []string{
		`{__name__="nasight_cpu_cores", host="client1"} 5@1796040000000`,
		`{__name__="nasight_cpu_cores", host="client1"} 6@1796040000000`,
		`{__name__="nasight_cpu_cores", host="client1"} 7@1796040000000`,
	}
	if diff := cmp.Diff(want, r.received()); diff != "" {
		t.Errorf("received (-want +got):\n%s", diff)
	}
	expectHealth(t, p, map[string]float64{"samples_total": 3, "dropped_samples_total/queue_full": 5})
}

// Batches that come one after the other go in one request, at the latest when the time for that is over, and a full request at once.
func TestPusherGathersBatches(t *testing.T) {
	const short = 10 * time.Millisecond // how many requests that gives is the machine's to say
	for name, c := range map[string]struct {
		gather  time.Duration
		batches []int // samples
	}{
		"the time is over":       {short, []int{1, 1, 1, 1}},
		"the request is full":    {time.Hour, []int{1, 1, maxPerRequest - 2}},
		"the pusher is to end":   {time.Hour, []int{1, 1}},
		"there is no such delay": {0, []int{1}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReceiver(t)
			p := startPusher(t, PusherConfig{URL: r.server.URL, Gather: c.gather})
			sent := 0
			for _, n := range c.batches {
				p.Push(moment(noon, n), false)
				sent += n
			}
			if name == "the pusher is to end" {
				p.stop()
			}
			await(t, func() bool { return len(r.received()) == sent })
			if n := len(r.requests); n != 1 && c.gather != short {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func TestPusherSplitsLargeBatches(t *testing.T) {
	r := newReceiver(t)
	p := startPusher(t, PusherConfig{URL: r.server.URL})
	samples := mountSamples("client1", 1100)
	publish(t, p, batch("client1", "nfs", samples...))
	for range 3 {
		<-r.requests
	}
	p.stop()
	if got := r.received(); len(got) != len(samples) {
		t.Errorf("received %d of %d samples", len(got), len(samples))
	}
	expectHealth(t, p.Pusher, map[string]float64{"samples_total": float64(len(samples))})
}

func TestPusherStopsInTimeWhenTheReceiverIsAway(t *testing.T) {
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer failing.Close()
	p := startPusher(t, PusherConfig{URL: failing.URL, Flush: 50 * time.Millisecond, FirstRetry: time.Minute})
	publish(t, p, batch("client1", "cpu", sample(schema.CPUCores, 4, "client1")))
	begin := time.Now()
	p.stop()
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("stopping took %s", took)
	}
	got := health(t, p.Pusher)
	if got["dropped_samples_total/shutdown"] != 1 || got["pending_samples"] != 0 || got["samples_total"] != 0 {
		t.Errorf("health is %v", got)
	}
}

func TestPusherEndsARequestThatTakesTooLong(t *testing.T) {
	release := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer hanging.Close()
	defer close(release)
	p := startPusher(t, PusherConfig{URL: hanging.URL, Timeout: 20 * time.Millisecond, Flush: 20 * time.Millisecond})
	publish(t, p, batch("client1", "cpu", sample(schema.CPUCores, 4, "client1")))
	await(t, func() bool { return p.retries.Load() > 0 })
	p.stop()
}

func TestPusherShowsItsCredentials(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	write := func(text string) {
		if err := os.WriteFile(secret, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first")
	for want, cfg := range map[string]PusherConfig{
		"Bearer %s":    {BearerTokenFile: secret},
		"agent1 basic": {User: "agent1", PasswordFile: secret},
	} {
		r := newReceiver(t)
		cfg.URL = r.server.URL
		p := startPusher(t, cfg)
		for _, text := range []string{"first", "replaced"} {
			write(text)
			publish(t, p, batch("client1", "cpu", sample(schema.CPUCores, 4, "client1")))
			request := <-r.requests
			got := request.Header.Get("Authorization")
			if user, password, basic := request.BasicAuth(); basic {
				got = user + " basic"
				if password != text {
					got += " " + password
				}
			}
			if want := strings.ReplaceAll(want, "%s", text); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		p.stop()
	}
}

func TestPusherTrustsTheGivenAuthority(t *testing.T) {
	r := newReceiver(t)
	secure := httptest.NewTLSServer(r.server.Config.Handler)
	defer secure.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	if err := os.WriteFile(ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	p := startPusher(t, PusherConfig{URL: secure.URL, CAFile: ca})
	publish(t, p, batch("client1", "cpu", sample(schema.CPUCores, 4, "client1")))
	<-r.requests
	p.stop()
	expectHealth(t, p.Pusher, map[string]float64{"samples_total": 1})
}

func TestNewPusherSaysWhatIsWrong(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	for text, cfg := range map[string]PusherConfig{
		"no http or https URL": {URL: "nasight.example.com/api/v1/write"},
		"user:xxxxx@":          {URL: "ftp://user:secret@nasight.example.com"},
		`no protocol "3.0"`:    {URL: "https://nasight.example.com", Protocol: "3.0"},
		"both a user":          {URL: "https://nasight.example.com", User: "agent1"},
		"bearer token file":    {URL: "https://nasight.example.com", BearerTokenFile: none},
		"password file":        {URL: "https://nasight.example.com", User: "agent1", PasswordFile: none},
		"credentials":          {URL: "https://nasight.example.com", User: "agent1", PasswordFile: none, BearerTokenFile: none},
		"none":                 {URL: "https://nasight.example.com", CAFile: none},
	} {
		_, err := NewPusher(cfg)
		if err == nil || !strings.Contains(err.Error(), text) || strings.Contains(err.Error(), "secret@") {
			t.Errorf("got error %v, want one with %q", err, text)
		}
	}
}
