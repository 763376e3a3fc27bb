package agent

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors"
)

func entries() []collectors.Entry {
	deep := entry("deep", cores)
	deep.Default = false
	return []collectors.Entry{entry("nfs", cores), entry("cpu", cores), deep}
}

// parsed parses arguments that are right.
func parsed(t *testing.T, args ...string) Config {
	t.Helper()
	var out syncBuffer
	cfg, done, err := parse(args, build, entries(), &out, &out)
	if err != nil || done {
		t.Fatalf("%v: done %v, error %v, output %s", args, done, err, out.String())
	}
	return cfg
}

func names(entries []collectors.Entry) string {
	var all []string
	for _, entry := range entries {
		all = append(all, entry.Name)
	}
	return strings.Join(all, " ")
}

func TestParseSelectsCollectors(t *testing.T) {
	for args, want := range map[string]string{
		"":                                    "nfs cpu",
		"--collector.deep --no-collector.nfs": "cpu deep",
		"--collector.disable-defaults --collector.cpu":                  "cpu",
		"--collector.disable-defaults --collector.cpu=true":             "cpu",
		"--collector.nfs=false":                                         "cpu",
		"--collector.disable-defaults --collector.nfs --collector.deep": "nfs deep",
	} {
		if got := names(parsed(t, strings.Fields(args)...).Entries); got != want {
			t.Errorf("%s selects %s, want %s", args, got, want)
		}
	}
}

func TestParseReadsFlagsAndEnvironment(t *testing.T) {
	t.Setenv("NASIGHT_HOST", "client9")
	t.Setenv("NASIGHT_COLLECTOR_DEEP", "true")
	t.Setenv("NASIGHT_REMOTE_WRITE_URL", "https://nasight.example.com/api/v1/write")
	cfg := parsed(t, "--web.listen-address=192.0.2.1:9000", "--interval=1m", "--path.procfs=/host/proc", "--remote-write.protocol=1.0")
	if got := names(cfg.Entries); got != "nfs cpu deep" {
		t.Errorf("selected %s", got)
	}
	got := []string{cfg.Host, cfg.Listen, cfg.Paths.Procfs, cfg.Paths.Sysfs, cfg.Paths.Modprobe, cfg.Paths.Netlink,
		cfg.Push.URL, cfg.Push.Protocol, cfg.Interval.String()}
	want := []string{"client9", "192.0.2.1:9000", "/host/proc", "/sys", "/etc/modprobe.d", "",
		"https://nasight.example.com/api/v1/write", "1.0", "1m0s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
}

func TestParseTakesTheHostsName(t *testing.T) {
	if cfg := parsed(t); cfg.Host == "" || cfg.Listen != ":9878" {
		t.Errorf("host %q, address %q", cfg.Host, cfg.Listen)
	}
}

func TestMainExits(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	paths := "--path.procfs=" + t.TempDir() + " --path.sysfs=" + t.TempDir()
	for name, test := range map[string]struct {
		args string
		code int
		text string
	}{
		"help":             {"--help", 0, "Examples:"},
		"help of switches": {"--help", 0, "--[no-]collector.deep"},
		"help of env":      {"--help", 0, "$NASIGHT_WEB_LISTEN_ADDRESS"},
		"version":          {"--version", 0, "nasight-agent 1.2.3 (abc)"},
		"unknown flag":     {"--colector.nfs", 2, "unknown flag --colector.nfs"},
		"unknown level":    {"--log.level=loud", 2, "--log.level"},
		"bad interval":     {"--interval=1ms " + paths, 2, "--interval=1ms is shorter than 1s"},
		"interval of 0":    {"--interval=0s " + paths, 2, "--interval=0s is shorter than 1s"},
		"negative":         {"--interval=-15s " + paths, 2, "--interval: \"-15s\" is not a duration"},
		"no token": {"--remote-write.url=http://192.0.2.1 --remote-write.bearer-token-file=" + none + " " + paths, 2,
			"bearer token file: open " + none},
		"no password": {"--remote-write.url=http://192.0.2.1 --remote-write.basic-auth-user=a --remote-write.password-file=" + none + " " + paths, 2,
			"password file: open " + none},
		"no address":       {"--web.listen-address= " + paths, 2, "is not HOST:PORT"},
		"address, no port": {"--web.listen-address=foo " + paths, 2, "--web.listen-address=foo is not HOST:PORT"},
		"port too large":   {"--web.listen-address=:99999 " + paths, 2, "--web.listen-address=:99999 is not HOST:PORT"},
		"host of nothing":  {"--web.listen-address=nas..example.com:0 " + paths, 2, "--web.listen-address=nas..example.com:0: "},
		"nothing to run":   {"--no-collector.nfs --no-collector.cpu", 2, "every collector is switched off"},
		"no procfs":        {"--path.procfs=" + none, 2, "open procfs directory"},
		"no web config":    {"--web.config.file=" + none, 2, "web configuration"},
		"bad URL":          {"--remote-write.url=nasight.example.com " + paths, 2, "no http or https URL"},
		"port taken":       {"--web.listen-address=" + taken.Addr().String() + " " + paths, 3, "free the port or set --web.listen-address"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errors syncBuffer
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			code := Main(ctx, strings.Fields(test.args), build, entries(), &out, &errors)
			text := errors.String()
			if test.code == 0 {
				text = out.String()
			}
			if code != test.code || !strings.Contains(text, test.text) {
				t.Errorf("exit code %d, output %q; want %d and %q", code, text, test.code, test.text)
			}
			if test.code != 0 && strings.Count(text, "\n") != 1 {
				t.Errorf("the error is not one line: %q", text)
			}
		})
	}
}

func TestMainEndsWellWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out syncBuffer
	args := []string{"--path.procfs=" + t.TempDir(), "--path.sysfs=" + t.TempDir(), "--web.listen-address=127.0.0.1:0", "--log.format=json"}
	if code := Main(ctx, args, build, entries(), &out, &out); code != 0 {
		t.Errorf("exit code %d: %s", code, out.String())
	}
}
