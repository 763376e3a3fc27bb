package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// mistakes parses a text that is wrong.
func mistakes(t *testing.T, text string) *Error {
	t.Helper()
	_, err := Parse([]byte(text), "nasight.yml")
	var parsed *Error
	if !errors.As(err, &parsed) {
		t.Fatalf("error %v, want an *Error", err)
	}
	return parsed
}

func TestEveryMistakeOfStructureIsTold(t *testing.T) {
	parsed := mistakes(t, `web: {listen_addr: x}
hosts:
  - name: a
    procs: /proc
  - all
session:
  cap: many
  ports: {70000: smb}
detection:
  window: 15
  thresholds: {session: {rtt: 3}}
metrics: {}
`)
	var got []string
	for _, problem := range parsed.Problems {
		got = append(got, fmt.Sprintf("%d:%d %s", problem.Line, problem.Column, problem.Message))
	}
	want := []string{
		"1:7 web.listen_addr: no such setting; did you mean listen_address?",
		"4:5 hosts[0].procs: no such setting; did you mean procfs?",
		"5:5 hosts[1]: expected keys with values, found a text",
		`7:8 session.cap: "many" is no whole number; write one in digits, such as 10`,
		"8:11 session.ports.70000: 70000 is no port; write 1 to 65535",
		`10:11 detection.window: "15" is not a duration: write it with a unit, as 15s, 1m30s, 6h or 15d`,
		"11:26 detection.thresholds.session.rtt: no such setting; did you mean rtt_ratio?",
		"12:1 metrics: no such setting; there are web, hosts, windows, collectors, session, network_cap, providers, cloud, gcnv, azurefiles, " +
			"azurenetapp, promhost, history, export, detection, alerting, report, log",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMergedKeysAreLeftToTheLibrary(t *testing.T) {
	got := parse(t, `
collectors:
  nfs: &often {interval: 5s}
  tcp: *often
  nic:
    <<: *often
    timeout: 2s
`)
	if got.Collectors["nic"].Interval != got.Collectors["nfs"].Interval || got.Collectors["tcp"].Interval != got.Collectors["nfs"].Interval {
		t.Errorf("%+v", got.Collectors)
	}
}

// A key that is merged in is checked, too.
func TestMergedMistakeIsFound(t *testing.T) {
	parsed := mistakes(t, "log: &l {level: info, file: x}\nweb:\n  <<: *l\n")
	if !strings.Contains(parsed.Error(), "web.file: no such setting; ") {
		t.Errorf("%v", parsed)
	}
}

func TestMessagesAreCut(t *testing.T) {
	long := strings.Repeat("é", 50_000)
	for name, text := range map[string]string{
		"value":          "log: {level: " + long + "}\n",
		"unknown key":    long + ": 1\n",
		"duration":       "detection: {window: " + long + "}\n",
		"key at the end": "log: {level: info, format: " + strings.Repeat(" ", 5000) + "logfmt, file: x}\n",
		"line before":    "cloud: " + long + "\nmetrics: {}\n",
		"port":           "session: {ports: {" + long + ": nfs}}\n",
		"no YAML":        "log: [" + long + "\n",
	} {
		for line := range strings.Lines(mistakes(t, text).Error()) {
			if length := utf8.RuneCountInString(line); length > longestMessage+100 {
				t.Errorf("%s: a line of %d characters", name, length)
			}
		}
	}
}

func TestErrorOnOneLine(t *testing.T) {
	got := mistakes(t, "web: {listen_addr: x}\nmetrics: {}\n").Line()
	want := "nasight.yml:1:7: web.listen_addr: no such setting; did you mean listen_address?; nasight.yml:2:1: metrics: no such setting; there are"
	if !strings.HasPrefix(got, want) || strings.Contains(got, "\n") {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestWebConfigurationIsRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "web.yml")
	text := fmt.Sprintf("web: {config_file: %q}\n", file)
	if err := os.WriteFile(file, []byte("basic_auth_users: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := parse(t, text); got.Web.ConfigFile != file {
		t.Errorf("web configuration %q", got.Web.ConfigFile)
	}
	if err := os.WriteFile(file, []byte("tls: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := mistakes(t, text); !strings.Contains(got.Error(), "web.config_file: "+file+": ") {
		t.Errorf("%v", got)
	}
}

func TestNothingRunsWhereNoHostIsListed(t *testing.T) {
	parse(t, "hosts: []\n"+everyCollector("{enabled: false}"))
}

// everyCollector sets the same for all collectors that there are.
func everyCollector(setting string) string {
	text := "collectors:\n"
	for _, name := range collectorNames() {
		text += "  " + name + ": " + setting + "\n"
	}
	return text
}

func TestWarnings(t *testing.T) {
	recordings := t.TempDir()
	for name, test := range map[string]struct {
		text  string
		wants []string // a part of each
	}{
		"default":            {"", nil},
		"short window":       {"detection: {window: 20s}\n", []string{"one every 15s", "collectors.smb", "collectors.iscsi", "collectors.tcp", "collectors.nic", "collectors.cpu", "collectors.windows"}},
		"read often":         {"detection: {window: 20s}\n" + everyCollector("{interval: 5s}"), nil},
		"one slow collector": {"collectors: {tcp: {interval: 1m}}\n", []string{"collectors.tcp, one every 1m0s"}},
		"switched off":       {"collectors: {tcp: {interval: 1m, enabled: false}}\n", nil},
		"slow agents":        {"hosts: []\ndetection: {collection_interval: 1m}\n", []string{"detection.window of 1m0s is shorter than two readings"}},
		"slow nfs":           {"collectors: {nfs: {interval: 1m}}\ndetection: {collection_interval: 15s}\n", []string{"collectors.nfs, one every 1m0s"}},
		"no Windows hosts":   {"windows: {interval: 10m}\n", nil},
		"Windows defaults":   {"windows: {directory: RECORDINGS}\n", []string{"(windows.interval), one every 1m0s"}},
		"Windows window":     {"windows: {directory: RECORDINGS}\ndetection: {window: 5m}\n", []string{"windows.interval of 1m0s is longer than the 15s"}},
		"Windows as told":    {"windows: {directory: RECORDINGS}\ndetection: {window: 5m, collection_interval: 1m}\n", nil},
		"slow promhost":      {"promhost: [{url: 'http://h:1', interval: 30s}, {url: 'http://h:2', interval: 1m}]\n", []string{"promhost[1].interval, one every 1m0s"}},
		"a short past":       {"history: {retention: 1w, out_of_order: 1h}\n", []string{"detection.anomalies.learn of 2w is longer than history.retention of 1w: "}},
		"a past as kept":     {"history: {retention: 14d}\n", nil},
		"nothing learns":     {"history: {retention: 1w}\ndetection: {anomalies: {enabled: false}}\n", nil},
		"a server's past":    {"history: {retention: 1d, url: 'http://h', write_url: 'http://h/w'}\n", nil},
		"promhost as told":   {"promhost: [{url: 'http://h:1'}]\ndetection: {collection_interval: 30s, window: 2m}\n", nil},
	} {
		config := parse(t, strings.Replace(test.text, "RECORDINGS", recordings, 1))
		got := config.Warnings()
		if len(got) != len(test.wants) {
			t.Errorf("%s: warnings %q, want %d", name, got, len(test.wants))
			continue
		}
		for i, want := range test.wants {
			if !strings.Contains(got[i], want) || strings.Contains(got[i], "\n") {
				t.Errorf("%s: warning %q, want %q in one line", name, got[i], want)
			}
		}
	}
}
