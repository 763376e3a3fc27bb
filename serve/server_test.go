package serve

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

func idleHost(t *testing.T) *recorded {
	t.Helper()
	host := &recorded{directory: capture(t, saturated)}
	host.show(t, "t0")
	return host
}

func TestServerAnswers(t *testing.T) {
	t.Parallel()
	server := start(t, Options{Config: testConfig(t, idleHost(t).host("app1")), Build: testBuild})
	server.awaitPage(t, "/", "10.10.2.2", patience)
	server.awaitPage(t, "/-/ready", "ready\n", patience)
	for path, want := range map[string]struct {
		code int
		text string
	}{
		"/-/healthy":                     {http.StatusOK, "healthy"},
		"/metrics":                       {http.StatusOK, `nasight_collector_success{collector="nfs",host="app1"} 1`},
		"/metrics?collect[]=nfs":         {http.StatusOK, "nasight_nfs_read_bytes_total"},
		"/metrics?collect[]=nothing":     {http.StatusBadRequest, "nothing"},
		"/":                              {http.StatusOK, "10.10.2.2"},
		"/page.css":                      {http.StatusOK, "--critical"},
		"/nowhere":                       {http.StatusNotFound, ""},
		"/api/v1/findings":               {http.StatusOK, `"findings":[`},
		"/api/v1/findings?severity=info": {http.StatusOK, `"evaluated_at":"20`},
		"/api/v1/findings?sevrity=info":  {http.StatusBadRequest, `unknown parameter \"sevrity\"; there are detector, host, severity, state`},
		"/api/v1/findings?a=%zz":         {http.StatusBadRequest, "cannot be read"},
		"/api/v1/fleet":                  {http.StatusOK, `"window_seconds":20`},
		"/api/v1/fleet?x=1":              {http.StatusBadRequest, "there are none"},
		"/api/v1/labels":                 {http.StatusOK, `"device"`},
		"/api/v1/query?query=up(":        {http.StatusBadRequest, "bad_data"},
	} {
		code, body := server.get(t, path)
		if code != want.code || !strings.Contains(body, want.text) {
			t.Errorf("%s: status %d, want %d with %q: %.300s", path, code, want.code, want.text, body)
		}
	}
	for path, test := range map[string]struct{ method, allow string }{
		"/api/v1/write":    {http.MethodGet, "POST"},
		"/api/v1/findings": {http.MethodDelete, "GET, HEAD"},
		"/api/v1/fleet":    {http.MethodPost, "GET, HEAD"},
		"/api/v1/query":    {http.MethodDelete, "GET, HEAD, POST"},
	} {
		recorder := httptest.NewRecorder()
		server.handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), test.method, path, nil))
		if recorder.Code != http.StatusMethodNotAllowed || recorder.Header().Get("Allow") != test.allow {
			t.Errorf("%s %s: status %d, Allow %q, want 405 and %q", test.method, path, recorder.Code, recorder.Header().Get("Allow"), test.allow)
		}
	}
	for path, method := range map[string]string{"/-/reload": http.MethodGet, "/api/v1/findings": http.MethodPost, "/": http.MethodDelete} {
		if code, _ := request(t, method, server.base+path); code != http.StatusMethodNotAllowed && code != http.StatusNotFound {
			t.Errorf("%s %s: status %d", method, path, code)
		}
	}
}

func TestWhatIsRememberedSurvives(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t, idleHost(t).host("app1"))
	server := start(t, Options{Config: cfg})
	server.awaitPage(t, "/metrics", "nasight_endpoint_lowest_rtt_seconds{", patience)
	server.stop()
	var kept struct{ Values map[string]float64 }
	data, err := os.ReadFile(filepath.Join(cfg.History.Path, "memory.json"))
	if err == nil {
		err = json.Unmarshal(data, &kept)
	}
	if err != nil || len(kept.Values) == 0 {
		t.Errorf("kept %v, error %v", kept.Values, err)
	}
}

// A host whose directories are missing at the start is collected once they are there.
func TestHostThatAppearsLater(t *testing.T) {
	t.Parallel()
	host := &recorded{directory: capture(t, saturated)}
	server := start(t, Options{Config: testConfig(t, host.host("app1"))})
	server.awaitPage(t, "/metrics", `nasight_collector_errors_total{collector="nfs",host="app1",reason="not_found"} 1`, patience)
	// Failed with a known reason, which is noted.
	body := server.awaitPage(t, "/-/ready", "ready\nnote: ", patience)
	if !strings.Contains(body, "\nnote: nfs on app1 fails: ") || !strings.Contains(body, "no such file") {
		t.Errorf("ready says %q", body)
	}
	server.awaitPage(t, "/", "no such file", patience)
	host.show(t, "t0")
	server.awaitPage(t, "/metrics", `nasight_collector_success{collector="nfs",host="app1"} 1`, patience)
	await(t, "ready without a note of nfs", patience, func() bool {
		code, body := server.get(t, "/-/ready")
		return code == http.StatusOK && !strings.Contains(body, "note: nfs")
	})
}

func TestReload(t *testing.T) {
	t.Parallel()
	host := idleHost(t)
	cfg := testConfig(t, host.host("app1"))
	file := filepath.Join(t.TempDir(), "nasight.yml")
	server := start(t, Options{Config: cfg, ConfigFile: file})
	server.awaitPage(t, "/metrics", "nasight_cpu_cores{", patience)
	started := reloadedAt(t, server, 1)

	write(t, file, "detection: {thresholds: {session: {busiest: 7}}}\n")
	code, body := request(t, http.MethodPost, server.base+"/-/reload")
	if code != http.StatusBadRequest || !strings.Contains(body, file+":1:45: detection.thresholds.session.busiest") {
		t.Errorf("bad file: status %d: %s", code, body)
	}
	if again := reloadedAt(t, server, 0); again != started {
		t.Errorf("the last good reading moved from %s to %s", started, again)
	}
	if got := server.current(); !reflect.DeepEqual(got.Detection, cfg.Detection) {
		t.Error("a bad file changed the configuration")
	}

	now := filepath.Join(host.directory, "now")
	write(t, file, fmt.Sprintf(`
web: {listen_address: ":1"}
hosts: [{name: renamed, procfs: %[1]s/proc, sysfs: %[1]s/sys, netlink: %[1]s/netlink}]
collectors: {cpu: {enabled: false}, nfs: {interval: 1s}, tcp: {interval: 1s, timeout: 900ms}}
providers: [{match: "10.10.*", provider: gcnv}]
detection: {interval: 1s, window: 4s, thresholds: {session: {rtt_ratio: 99}}}
`, now))
	code, body = request(t, http.MethodPost, server.base+"/-/reload")
	for _, want := range []string{"reloaded\n", "web changed in the file; it takes a restart", "history changed"} {
		if code != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("status %d without %q: %s", code, want, body)
		}
	}
	if again := reloadedAt(t, server, 1); again == started {
		t.Errorf("the last good reading is still of %s", started)
	}
	server.awaitPage(t, "/metrics", `nasight_collector_success{collector="nfs",host="renamed"} 1`, patience)
	_, metrics := server.get(t, "/metrics")
	for _, gone := range []string{"nasight_cpu_cores{", `collector="nfs",host="app1"`} {
		if strings.Contains(metrics, gone) {
			t.Errorf("%s is still exposed", gone)
		}
	}
	await(t, "a view by the new configuration", patience, func() bool {
		latest := server.evaluator.latest.Load()
		if latest == nil || latest.Settings.Session.RTTRatio != 99 || latest.Fleet.Window != 4*time.Second {
			return false
		}
		_, body := server.get(t, "/api/v1/fleet")
		return strings.Contains(body, `"provider":"gcnv"`)
	})
}

// reloadedAt expects an outcome of the last reading and returns when the last good one was, as /metrics has it.
func reloadedAt(t *testing.T, server *running, success int) string {
	t.Helper()
	_, metrics := server.get(t, "/metrics")
	if want := fmt.Sprintf("\nnasight_config_reload_success %d\n", success); !strings.Contains(metrics, want) {
		t.Errorf("/metrics lacks %q", want)
	}
	_, rest, found := strings.Cut(metrics, "\nnasight_config_last_reload_success_timestamp_seconds ")
	if !found {
		t.Fatal("/metrics lacks the time of the last reading")
	}
	at, _, _ := strings.Cut(rest, "\n")
	return at
}

// A log line with line breaks inside is several in a journal.
func TestBadReloadIsLoggedOnOneLine(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "nasight.yml")
	write(t, file, "web: {listen_addr: x}\nmetrics: {}\n")
	lines := make(chan string, 100)
	server := start(t, Options{
		Config: testConfig(t), ConfigFile: file,
		Logger: slog.New(slog.NewTextHandler(lineWriter(lines), &slog.HandlerOptions{Level: slog.LevelError})),
	})
	hangups := make(chan os.Signal, 1)
	ctx, cancel := contextOf(t)
	ended := make(chan error, 1)
	go func() { ended <- server.reloadOn(ctx, hangups) }()
	hangups <- syscall.SIGHUP
	line := <-lines
	for _, want := range []string{"after SIGHUP", file + ":1:7: web.listen_addr: no such setting", "; " + file + ":2:1: metrics: no such setting"} {
		if !strings.Contains(line, want) {
			t.Errorf("lacks %q: %s", want, line)
		}
	}
	if strings.Contains(line, `\n`) || strings.Count(line, "\n") != 1 {
		t.Errorf("not one line: %s", line)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got := inOneLine(errors.New("a\nb")); got != "a; b" {
		t.Errorf("got %q", got)
	}
}

// lineWriter hands on what a log writes.
type lineWriter chan string

func (w lineWriter) Write(line []byte) (int, error) {
	w <- string(line)
	return len(line), nil
}

func TestReloadBySignal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "nasight.yml")
	flags := func(cfg *config.Config) { cfg.Hosts = nil }
	server := start(t, Options{Config: testConfig(t), ConfigFile: file, Override: flags})
	server.awaitPage(t, "/-/ready", "ready\n", patience)
	write(t, file, "cloud: azure\n")
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	await(t, "the new configuration", patience, func() bool {
		if err := self.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		return server.current().Cloud == "azure"
	})
	if hosts := server.current().Hosts; len(hosts) != 0 {
		t.Errorf("a reload forgot the flags: hosts %v", hosts)
	}
}

func TestReloadWithoutAFile(t *testing.T) {
	t.Parallel()
	server := start(t, Options{Config: testConfig(t)})
	if code, body := request(t, http.MethodPost, server.base+"/-/reload"); code != http.StatusBadRequest || !strings.Contains(body, "--config.file") {
		t.Errorf("status %d: %s", code, body)
	}
	if _, metrics := server.get(t, "/metrics"); strings.Contains(metrics, "nasight_config_") {
		t.Error("/metrics tells of reloads where there is no file")
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	held := testConfig(t)
	start(t, Options{Config: held})
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "x")
	unwritable := testConfig(t)
	unwritable.History.Path = filepath.Join(file, "data")
	badWeb := testConfig(t)
	badWeb.Web.ConfigFile = file
	taken := testConfig(t)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	taken.Web.ListenAddress = listener.Addr().String()
	nothing := testConfig(t, config.Host{Name: "a"})
	off := false
	for name := range nothing.Collectors {
		nothing.Collectors[name] = config.Collector{Enabled: &off}
	}
	listening := func(address string) config.Config {
		cfg := testConfig(t)
		cfg.Web.ListenAddress = address
		return cfg
	}
	for name, test := range map[string]struct {
		cfg   config.Config
		blame bool
		want  string
	}{
		"locked history":     {held, false, "another process holds"},
		"unwritable history": {unwritable, false, "give a directory"},
		"web configuration":  {badWeb, true, "web.config_file " + file},
		"port in use":        {taken, false, "free the port or set web.listen_address"},
		"no port":            {listening("foo"), true, `web.listen_address: "foo" is not HOST:PORT`},
		"port out of range":  {listening(":99999"), true, `":99999" is not HOST:PORT`},
		"no name of a host":  {listening("nas..example.com:0"), true, "web.listen_address nas..example.com:0: "},
		"no collector":       {nothing, true, "every collector is switched off"},
	} {
		_, err := New(t.Context(), Options{Config: test.cfg})
		var blamed *ConfigError
		if err == nil || !strings.Contains(err.Error(), test.want) || errors.As(err, &blamed) != test.blame {
			t.Errorf("%s: error %v (configuration to blame: %v), want %q (%v)", name, err, errors.As(err, &blamed), test.want, test.blame)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than one line: %v", name, err)
		}
	}
}

// fullDisk is a history that can be told to store nothing.
type fullDisk struct {
	database
	history.Querier
	full atomic.Bool
}

var errFull = errors.New("disk has 3 MiB left\nand more lines")

func (d *fullDisk) Append(ctx context.Context, samples []schema.Sample) error {
	if d.full.Load() {
		return errFull
	}
	return d.database.Append(ctx, samples)
}

func (d *fullDisk) AppendSeries(ctx context.Context, samples []history.SeriesSample) (history.Written, error) {
	if d.full.Load() {
		return history.Written{}, errFull
	}
	return d.database.AppendSeries(ctx, samples)
}

func (d *fullDisk) Degraded() error {
	if d.full.Load() {
		return errFull
	}
	return d.database.Degraded()
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	disk := &fullDisk{}
	host := idleHost(t)
	server := start(t, Options{
		Config: testConfig(t, host.host("app1")), Logger: slog.New(slog.DiscardHandler),
		openHistory: func(ctx context.Context, cfg config.History, log *slog.Logger) (database, error) {
			opened, err := newVia("nasight/1.2").openHistory(ctx, cfg, log)
			if err == nil {
				disk.database, disk.Querier = opened, opened.(history.Querier)
			}
			return disk, err
		},
	})
	server.awaitPage(t, "/-/ready", "ready\n", patience)
	disk.full.Store(true)
	body := server.awaitPage(t, "/-/ready", "history degraded: disk has 3 MiB left\n", patience)
	if strings.Contains(body, "more lines") {
		t.Errorf("a reason has more than one line: %q", body)
	}
	host.show(t, "t1") // the counters of another moment still reach /metrics
	before := evaluatedAt(t, server)
	_, old := server.get(t, "/metrics?collect[]=nfs")
	await(t, "fresh metrics", patience, func() bool {
		_, now := server.get(t, "/metrics?collect[]=nfs")
		return readBytes(now) != readBytes(old)
	})
	await(t, "a further evaluation", patience, func() bool { return evaluatedAt(t, server) != before })
	if code, _ := server.get(t, "/api/v1/query?query=nasight_nfs_read_bytes_total"); code != http.StatusOK {
		t.Errorf("what is stored cannot be read: status %d", code)
	}
	disk.full.Store(false)
	server.awaitPage(t, "/-/ready", "ready\n", patience)
}

func readBytes(metrics string) string {
	_, rest, _ := strings.Cut(metrics, "nasight_nfs_read_bytes_total{")
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

func evaluatedAt(t *testing.T, server *running) string {
	t.Helper()
	_, body := server.get(t, "/api/v1/findings")
	var answer findingsAnswer
	if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.EvaluatedAt == nil {
		t.Fatalf("error %v: %s", err, body)
	}
	return answer.EvaluatedAt.String()
}

func TestTLSAndPassword(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	pool := certificate(t, directory)
	webConfig := filepath.Join(directory, "web.yml")
	// The password is "secret".
	write(t, webConfig, `
tls_server_config: {cert_file: cert.pem, key_file: key.pem}
basic_auth_users: {alice: "$2a$04$VWgCMpIuXG9NVFWqPosl1emHLAY/d/MIgp.y//Tq3qonMzxS7nZei"}
`)
	cfg := testConfig(t)
	cfg.Web.ConfigFile = webConfig
	server := start(t, Options{Config: cfg})
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true,
	}}
	for password, want := range map[string]int{"secret": http.StatusOK, "guess": http.StatusUnauthorized, "": http.StatusUnauthorized} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.Replace(server.base, "http:", "https:", 1)+"/-/healthy", nil)
		if err != nil {
			t.Fatal(err)
		}
		if password != "" {
			r.SetBasicAuth("alice", password)
		}
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("password %q: status %d, want %d", password, response.StatusCode, want)
		}
	}
	if code, _ := server.get(t, "/-/healthy"); code != http.StatusBadRequest {
		t.Errorf("without TLS: status %d, want %d", code, http.StatusBadRequest)
	}
}

// certificate writes a certificate for 127.0.0.1 and its key, and returns who has to be trusted.
func certificate(t *testing.T, directory string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "nasight.example.com"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
	write(t, filepath.Join(directory, "cert.pem"), string(cert))
	write(t, filepath.Join(directory, "key.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	return pool
}
