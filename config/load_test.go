package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/fleet"
)

func parse(t *testing.T, text string) Config {
	t.Helper()
	config, err := Parse([]byte(text), "nasight.yml")
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func TestNothingIsTheDefault(t *testing.T) {
	for name, text := range map[string]string{
		"empty file": "", "blank": " \n\n", "comment only": "# nothing\n", "empty sections": "web:\nhistory:\ndetection:\n  thresholds:\n",
		"empty mapping": "{}",
	} {
		if diff := cmp.Diff(Default(), parse(t, text)); diff != "" {
			t.Errorf("%s (-default +got):\n%s", name, diff)
		}
	}
}

func TestKeysOverDefaults(t *testing.T) {
	got := parse(t, `
web: {listen_address: "127.0.0.1:9877"}
collectors:
  nfs: {interval: 1s, timeout: 500ms}
  tcp: {enabled: false}
session: {ports: {2049: nfs}, cap: 8}
network_cap: {receive: 32Gbit/s, transmit: 4GB/s}
providers:
  - {match: "192.0.2.*", provider: gcnv}
  - {match: "*.file.core.windows.net", provider: azurefiles}
cloud: gce
history: {path: /var/lib/nasight, retention: 30d, max_bytes: 10GiB}
detection: {window: 20s, for: 1, thresholds: {session: {rtt_ratio: 30}}}
log: {format: json}
`)
	off := false
	want := Default()
	want.Web.ListenAddress = "127.0.0.1:9877"
	want.Collectors = map[string]Collector{
		"nfs": {Interval: Duration(time.Second), Timeout: Duration(500 * time.Millisecond)}, "tcp": {Enabled: &off},
	}
	want.Session = Session{Ports: map[uint16]string{2049: "nfs"}, Cap: 8}
	want.NetworkCap = NetworkCap{Receive: 4e9, Transmit: 4e9}
	want.Providers = []Provider{
		{Match: "192.0.2.*", Provider: fleet.ProviderGCNV}, {Match: "*.file.core.windows.net", Provider: fleet.ProviderAzure},
	}
	want.Cloud = "gce"
	want.History.Path, want.History.Retention, want.History.MaxBytes = "/var/lib/nasight", Duration(30*24*time.Hour), 10<<30
	want.Detection.Window, want.Detection.For = Duration(20*time.Second), 1
	want.Detection.Thresholds.Session.RTTRatio = 30
	want.Log.Format = "json"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHosts(t *testing.T) {
	got := parse(t, `
hosts:
  - {name: here}
  - {name: there, procfs: /srv/there/proc, sysfs: /srv/there/sys, netlink: /srv/there/netlink}
`)
	want := []Host{
		{Name: "here", Procfs: "/proc", Sysfs: "/sys", Modprobe: "/etc/modprobe.d"},
		{Name: "there", Procfs: "/srv/there/proc", Sysfs: "/srv/there/sys", Netlink: "/srv/there/netlink"},
	}
	if diff := cmp.Diff(want, got.Hosts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if none := parse(t, "hosts: []"); len(none.Hosts) != 0 {
		t.Errorf("hosts: [] gives %v, want none: a central nasight has only agents", none.Hosts)
	}
}

// advises is a message that says what to do.
var advises = regexp.MustCompile(`([;:,] |\()(write|leave|give|make|keep|let|set|switch|look|correct|take|has to lie|there are|expected|did you mean|name the|only one)`)

// Every error names the file, the line, the column and what to do.
func TestErrors(t *testing.T) {
	for name, test := range map[string]struct {
		text  string
		wants []string
	}{
		"unknown key":           {"web:\n  listen_addr: x\n", []string{"nasight.yml:2:3: ", "web.listen_addr: no such setting; did you mean listen_address?"}},
		"unknown section":       {"log: {}\nmetrics: {}\n", []string{"nasight.yml:2:1: metrics: no such setting; there are web, hosts, "}},
		"duplicate key":         {"cloud: gce\ncloud: azure\n", []string{"nasight.yml:2:1: ", "already defined"}},
		"wrong type":            {"session:\n  cap: [1]\n", []string{"nasight.yml:2:8: session.cap: expected a whole number, found a list"}},
		"text for a number":     {"session:\n  cap: many\n", []string{"nasight.yml:2:8: session.cap: \"many\" is no whole number; write one in digits, such as 10"}},
		"text for a list":       {"hosts: all\n", []string{"nasight.yml:1:8: "}},
		"broken YAML":           {"web: {\n", []string{"nasight.yml:1:"}},
		"two documents":         {"cloud: gce\n---\ncloud: azure\n", []string{"nasight.yml:2:1: a second document begins"}},
		"duration without unit": {"history:\n  retention: 15\n", []string{"nasight.yml:2:14: ", `"15" is not a duration`, "15d"}},
		"duration as a list":    {"history:\n  retention: [15d]\n", []string{"nasight.yml:2:14: ", "expected one value"}},
		"unknown threshold":     {"detection:\n  thresholds:\n    session: {rtt: 3}\n", []string{"nasight.yml:3:15: detection.thresholds.session.rtt: no such setting; did you mean rtt_ratio?"}},
		"threshold out of range": {"detection:\n  thresholds:\n    session:\n      busiest: 80\n",
			[]string{"nasight.yml:4:16: detection.thresholds.session.busiest: has to lie between 0 and 1: got 80"}},
		"unknown collector": {"collectors:\n  nsf: {enabled: true}\n", []string{"nasight.yml:2:8: collectors.nsf: no such collector; there are nfs, "}},
		"too fast":          {"collectors:\n  nfs: {interval: 10ms}\n", []string{"nasight.yml:2:19: collectors.nfs.interval: 10ms is out of range"}},
		"unknown provider":  {"providers:\n  - {match: x, provider: aws}\n", []string{"nasight.yml:2:26: providers[0].provider: \"aws\" is not known; write gcnv, azurefiles, azurenetapp"}},
		"bad pattern":       {"providers:\n  - {match: \"[\", provider: gcnv}\n", []string{"providers[0].match"}},
		"cloud":             {"cloud: moon\n", []string{"nasight.yml:1:8: cloud: \"moon\" is not known; write gce, azure"}},
		"listen address":    {"web: {listen_address: 9877}\n", []string{"nasight.yml:1:23: web.listen_address: \"9877\" is not HOST:PORT"}},
		"port too large":    {"web: {listen_address: \":98770\"}\n", []string{"is not HOST:PORT"}},
		"names twice":       {"hosts:\n  - {name: a, netlink: x}\n  - {name: a}\n", []string{"nasight.yml:3:12: hosts[1].name: \"a\" is there twice"}},
		"name missing":      {"hosts:\n  - {name: a, netlink: x}\n  - {procfs: /x}\n", []string{"hosts[1].name: missing"}},
		"two live kernels":  {"hosts:\n  - {name: a}\n  - {name: b}\n", []string{"nasight.yml:3:", "hosts[1].netlink: missing; only one host"}},
		"port protocol":     {"session: {ports: {2049: afp}}\n", []string{"session.ports.2049: \"afp\" is not known; write nfs, smb, iscsi"}},
		"no port":           {"session: {ports: {}}\n", []string{"session.ports: empty"}},
		"port out of range": {"session: {ports: {70000: nfs}}\n", []string{"nasight.yml:1:19: session.ports.70000: 70000 is no port; write 1 to 65535"}},
		"port 0":            {"session:\n  ports:\n    0: nfs\n", []string{"nasight.yml:3:5: session.ports.0: 0 is no port; write 1 to 65535"}},
		"port as a name":    {"session: {ports: {smb: 445}}\n", []string{"smb is no port; write 1 to 65535"}},
		"mapping as a list": {"hosts: {name: a}\n", []string{"nasight.yml:1:", "expected a list, found keys with values"}},
		"list as a mapping": {"web: [a]\n", []string{"nasight.yml:1:6: web: expected keys with values, found a list"}},
		"text as a mapping": {"web: a\n", []string{"nasight.yml:1:6: web: expected keys with values, found a text"}},
		"no web configuration": {"web: {config_file: /no/such/web.yml}\n",
			[]string{"nasight.yml:1:20: web.config_file: there is no file /no/such/web.yml"}},
		"directory for it": {"web: {config_file: /}\n", []string{"web.config_file: / is no file"}},
		"all collectors off": {everyCollector("{enabled: false}"),
			[]string{"collectors: every collector is switched off"}},
		"through an alias":           {"web: &w {listen_addr: x}\nlog: *w\n", []string{"nasight.yml:1:10: web.listen_addr: no such setting"}},
		"whole number":               {"detection: {for: 99999999999999999999999}\n", []string{"nasight.yml:1:18: "}},
		"session cap":                {"session: {cap: 0}\n", []string{"session.cap: 0 is out of range"}},
		"rate without unit":          {"network_cap: {receive: 32}\n", []string{"network_cap.receive: 32 bytes per second is less than 1Mbit/s; write a unit"}},
		"retention":                  {"history: {retention: 1m}\n", []string{"history.retention: 1m0s is too short"}},
		"out of order":               {"history: {retention: 2h, out_of_order: 3h}\n", []string{"history.out_of_order: 3h0m0s is longer than the retention"}},
		"space":                      {"history: {max_bytes: 1MB}\n", []string{"history.max_bytes: 1000000 bytes is too little"}},
		"path":                       {"history: {path: \"\"}\n", []string{"history.path: empty"}},
		"evaluations":                {"detection: {for: -1}\n", []string{"nasight.yml:1:", "detection.for: -1 is out of range"}},
		"window":                     {"detection: {window: 1d}\n", []string{"detection.window: 24h0m0s is out of range"}},
		"no Windows directory":       {"windows: {directory: /no/such/dir}\n", []string{"nasight.yml:1:22: windows.directory: there is no directory /no/such/dir; make it"}},
		"a file for it":              {"windows: {directory: load_test.go}\n", []string{"windows.directory: load_test.go is no directory"}},
		"multichannel order":         {"detection:\n  thresholds:\n    multichannel: {single: 4}\n", []string{"nasight.yml:3:19: detection.thresholds.multichannel.several: 4 is not above single, which is 4"}},
		"multichannel, at the end":   {"detection: {thresholds: {multichannel: {many: 3}}}\n", []string{"nasight.yml:1:47: detection.thresholds.multichannel.many: 3 is below several, which is 4"}},
		"a number of a project":      {"gcnv: {projects: [123456789012]}\n", []string{"gcnv.projects[0]: \"123456789012\" is a project's number; write its project id"}},
		"an emulator without one":    {"gcnv: {projects: [example-prod], endpoints: {insecure: true}}\n", []string{"gcnv.endpoints.insecure: Google's own addresses take no"}},
		"no token of a Prometheus":   {"promhost:\n  - url: http://example.com\n    bearer_token_file: /no/such\n", []string{"nasight.yml:3:24: promhost[0].bearer_token_file: there is no file /no/such"}},
		"no password":                {"promhost: [{url: http://example.com, basic_auth: {username: a, password_file: /no/such}}]\n", []string{"promhost[0].basic_auth.password_file: there is no file /no/such"}},
		"no authority":               {"promhost: [{url: https://example.com, tls: {ca_file: /no/such}}]\n", []string{"promhost[0].tls.ca_file: there is no file /no/such"}},
		"a directory for a password": {"promhost: [{url: http://example.com, bearer_token_file: /}]\n", []string{"promhost[0].bearer_token_file: / is a directory"}},
		"name of a header":           {"promhost: [{url: http://example.com, headers: {\"X Scope\": a}}]\n", []string{"promhost[0].headers: \"X Scope\" is no name of a header"}},
		"value of a header":          {"promhost: [{url: http://example.com, headers: {X-Scope: \"a\\nb\"}}]\n", []string{"promhost[0].headers: the value of X-Scope has control characters"}},
		"a Prometheus twice":         {"promhost:\n  - url: http://example.com\n  - url: http://example.com/\n", []string{"nasight.yml:3:10: promhost[1].url: http://example.com/ is read by promhost[0] already"}},
		"a price":                    {"detection:\n  prices:\n    - {cloud: gcp}\n", []string{"nasight.yml:3:", "detection.prices[0].service: missing; write gcnv", `detection.prices[0].item: "" is not known; write capacity`, `detection.prices[0].date: "" is no day`}},
		"log level":                  {"log: {level: loud}\n", []string{"log.level: \"loud\" is not known; write debug, info, warn, error"}},
	} {
		_, err := Parse([]byte(test.text), "nasight.yml")
		var parsed *Error
		if !errors.As(err, &parsed) {
			t.Errorf("%s: error %v, want an *Error", name, err)
			continue
		}
		for _, want := range test.wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error lacks %q:\n%s", name, want, err)
			}
		}
		for _, problem := range parsed.Problems {
			if !advises.MatchString(problem.Message) {
				t.Errorf("%s: no key, or nothing to do: %s", name, problem)
			}
		}
		if strings.Contains(err.Error(), "Go struct") || strings.Contains(err.Error(), "reflect") {
			t.Errorf("%s: error speaks of Go:\n%s", name, err)
		}
	}
}

// Two of one server are right where they read other series or another tenant's.
func TestPrometheusTwiceForAReason(t *testing.T) {
	parse(t, `
promhost:
  - {url: "http://example.com", match: 'job="a"'}
  - {url: "http://example.com", match: 'job="b"'}
  - {url: "http://example.com", match: 'job="b"', headers: {X-Scope-OrgID: team-b}}
`)
}

// All bad thresholds and prices are told at once, those that are bad beside another one too.
func TestEveryThresholdIsTold(t *testing.T) {
	_, err := Parse([]byte(`detection:
  prices:
    - {cloud: gcp, service: gcnv, item: capacity, usd: 0.2, unit: GiB-month, date: "2026-11-30"}
    - {cloud: gcp, service: gcnv, item: disk, usd: 0.2, unit: GiB-month, date: "2026-11-30"}
    - {cloud: gcp, service: gcnv, item: capacity, usd: -1, unit: GiB-month, date: "2026-11-30"}
  thresholds:
    hint_below: 2
    session: {busiest: 80, softirq: -1}
    limit: {near: 0.9, at: 0.5}
    multichannel: {single: -1, several: 9}
`), "nasight.yml")
	var parsed *Error
	if !errors.As(err, &parsed) {
		t.Fatalf("error %v", err)
	}
	var keys []string
	for _, problem := range parsed.Problems {
		key, _, _ := strings.Cut(problem.Message, ": ")
		keys = append(keys, strings.TrimPrefix(key, "detection."))
		if problem.Line < 3 {
			t.Errorf("no line: %s", problem)
		}
	}
	slices.Sort(keys)
	want := []string{
		"prices[1].item", "prices[2].usd", "thresholds.hint_below", "thresholds.limit.at", "thresholds.multichannel.single",
		"thresholds.session.busiest", "thresholds.session.softirq",
	}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// Every threshold that the detectors may complain about can be given its default, or the first would hide the others.
func TestEveryThresholdCanBeMended(t *testing.T) {
	for _, key := range keys(reflect.TypeFor[Thresholds](), "") {
		thresholds := Thresholds{}
		if !mend(&thresholds, key) {
			t.Errorf("%s is not found", key)
		}
	}
	for _, key := range []string{"", "none", "session.none", "session.busiest.none"} {
		if mend(&Thresholds{}, key) {
			t.Errorf("%q is found", key)
		}
	}
}

func TestEveryProblemIsTold(t *testing.T) {
	_, err := Parse([]byte("cloud: moon\nlog:\n  level: loud\n  format: xml\n"), "nasight.yml")
	var parsed *Error
	if !errors.As(err, &parsed) || len(parsed.Problems) != 3 {
		t.Fatalf("error %v, want three problems", err)
	}
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 3 {
		t.Errorf("%d lines, want one a problem:\n%s", len(lines), err)
	}
}

func TestLoad(t *testing.T) {
	directory := t.TempDir()
	name := filepath.Join(directory, "nasight.yml")
	if err := os.WriteFile(name, []byte("cloud: azure\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := Load(name)
	if err != nil || config.Cloud != "azure" {
		t.Fatalf("cloud %q, error %v", config.Cloud, err)
	}
	if _, err := Load(directory); err == nil || !strings.Contains(err.Error(), "is a directory and no configuration file") {
		t.Errorf("a directory: error %v", err)
	}
	if _, err := Load(filepath.Join(directory, "none.yml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: error %v", err)
	}
}

func TestProviderOf(t *testing.T) {
	config := parse(t, `
providers:
  - {match: "192.0.2.*", provider: gcnv}
  - {match: "2001:db8:*", provider: gcnv}
  - {match: "*.file.core.windows.net", provider: azurefiles}
`)
	for _, test := range []struct {
		names []string
		want  fleet.Provider
	}{
		{[]string{"192.0.2.7", "nas.example.com"}, fleet.ProviderGCNV},
		{[]string{"2001:db8::7"}, fleet.ProviderGCNV},
		{[]string{"198.51.100.4", "acct.file.core.windows.net"}, fleet.ProviderAzure},
		{[]string{"198.51.100.4", ""}, fleet.ProviderUnknown},
		{nil, fleet.ProviderUnknown},
	} {
		if got := config.ProviderOf(test.names...); got != test.want {
			t.Errorf("provider of %q is %q, want %q", test.names, got, test.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("web: {listen_address: \":1\"}\nhosts: [{name: a}]\n"))
	f.Add([]byte("session: {ports: {2049: nfs}}\ncollectors: {nfs: {interval: 1s}}\n"))
	f.Add([]byte("a: &x [*x]\n? {b}\n: c\n--- !!binary |\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := Parse(data, "fuzz.yml"); err != nil && err.Error() == "" {
			t.Error("an error without a word")
		}
	})
}

func TestExportOTLP(t *testing.T) {
	got := parse(t, `
export:
  otlp: {endpoint: "http://otel.example.com:4318", protocol: http/protobuf, interval: 15s, headers: {X-Scope-OrgID: a}, traces: true}
`)
	want := Default()
	want.Export.OTLP.Endpoint, want.Export.OTLP.Protocol, want.Export.OTLP.Interval = "http://otel.example.com:4318", "http/protobuf", 15*time.Second
	want.Export.OTLP.Headers, want.Export.OTLP.Traces = map[string]string{"X-Scope-OrgID": "a"}, true
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for text, wants := range map[string]string{
		`export: {otlp: {endpont: x}}`:                                    "export.otlp.endpont: no such setting; did you mean endpoint?",
		`export: {otlp: {endpoint: "otel:4317"}}`:                         "export.otlp.endpoint",
		`export: {otlp: {endpoint: "http://a:1", interval: 2}}`:           `export.otlp.interval: "2" is not a duration: write it with a unit`,
		`export: {otlp: {endpoint: "https://a:1", tls: {ca_file: gone}}}`: "there is no file gone",
		`export: {otlp: {header_files: {Authorization: gone}}}`:           "there is no file gone",
	} {
		_, err := Parse([]byte(text), "nasight.yml")
		if err == nil || !strings.Contains(err.Error(), wants) || !strings.Contains(err.Error(), "nasight.yml:1:") {
			t.Errorf("%s: %v, want %s", text, err, wants)
		}
	}
}
