package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors/connect"
)

// emulated starts the emulator's example fleet of Google and gives a configuration that reads it, and the emulator's URL.
func emulated(t *testing.T) (file, url string) {
	t.Helper()
	file, out := emulatedExample(t, "google")
	return file, regexp.MustCompile(`http://[^/\s]+`).FindString(out)
}

// emulatedExample starts an example fleet and gives a configuration that reads it, and what the emulator printed.
func emulatedExample(t *testing.T, example string) (file, out string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "emulated.yml")
	return file, startEmulator(t, "--config.file="+file, "--config="+file, "--example="+example)
}

// inject makes something go wrong at the emulator.
func inject(t *testing.T, url, fault string) {
	t.Helper()
	injectBy(t, http.DefaultClient, url, fault)
}

func injectBy(t *testing.T, client *http.Client, url, fault string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/emulator/faults", strings.NewReader(fault))
	if err != nil {
		t.Fatal(err)
	}
	request.Close = true
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		body, _ := io.ReadAll(response.Body)
		t.Fatalf("%s: %s", response.Status, body)
	}
}

// injectAzure makes something go wrong at the emulator of Azure, whose CA a configuration names.
func injectAzure(t *testing.T, out, fault string) {
	t.Helper()
	url := regexp.MustCompile(`https://[^/\s]+`).FindString(out)
	pem, err := os.ReadFile(regexp.MustCompile(`CA in PEM\s+(\S+)`).FindStringSubmatch(out)[1])
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}}
	injectBy(t, client, url, fault)
}

// connectExcerpt finds what a page of the documentation shows of the command's output.
var connectExcerpt = regexp.MustCompile("(?s)(<!-- connect -->\n```\n)(.*?)(```\n)")

// The excerpts of the documentation are what the command prints about the emulator.
func TestConnectOfTheDocumentation(t *testing.T) {
	for page, example := range map[string]string{"../../docs/google-cloud.md": "google", "../../docs/azure.md": "azure"} {
		t.Run(example, func(t *testing.T) { compareConnect(t, page, example) })
	}
}

func compareConnect(t *testing.T, page, example string) {
	t.Helper()
	file, _ := emulatedExample(t, example)
	got := nasight(t, "config", "check", "--config.file="+file, "--connect")
	if got.code != exitOK || got.err != "" {
		t.Fatalf("exit code %d, said %q", got.code, got.err)
	}
	first, report, _ := strings.Cut(got.out, "\n\n")
	if !strings.HasPrefix(first, file+": right: ") || strings.Count(first, "\n") != strings.Count(first, "\nnote: ") {
		t.Errorf("the page says that a line about the file comes first, and notes; it is %q", first)
	}
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	shown := connectExcerpt.FindStringSubmatch(string(data))
	if shown == nil {
		t.Fatalf("%s has no excerpt", page)
	}
	if *update {
		whole := strings.Replace(string(data), shown[0], shown[1]+report+shown[3], 1)
		if err := os.WriteFile(page, []byte(whole), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(shown[2], "\n"), strings.Split(report, "\n")); diff != "" {
		t.Errorf("the output changed (-docs +now), go test ./cmd/nasight -update:\n%s", diff)
	}
}

// A refusal is exit code 3, one line with project, role and command, and the same in JSON.
func TestConnectRefused(t *testing.T) {
	file, url := emulated(t)
	inject(t, url, `{"kind": "forbidden", "method": "volumes.list", "project": "example-files"}`)
	inject(t, url, `{"kind": "service_disabled", "method": "ListTimeSeries", "project": "example-files"}`)
	got := nasight(t, "config", "check", file, "--connect")
	if got.code != exitUncollect || strings.Count(got.err, "\n") != 1 || !strings.Contains(got.err, "2 of 9 checks failed") {
		t.Errorf("exit code %d, said %q", got.code, got.err)
	}
	for _, line := range []string{
		"  failed   netapp.volumes.list on project example-files: permission denied; lacks roles/netapp.viewer; to do: gcloud projects add-iam-policy-binding example-files --member=MEMBER --role=roles/netapp.viewer",
		"  failed   monitoring.timeSeries.list on project example-files: the API is not enabled; lacks the API monitoring.googleapis.com; to do: gcloud services enable monitoring.googleapis.com --project=100000000002",
	} {
		if !strings.Contains(got.out, line) {
			t.Errorf("%q is not in\n%s", line, got.out)
		}
	}
	got = nasight(t, "config", "check", file, "--connect", "--format=json")
	var report struct {
		OK bool `json:"ok"`
		connect.Report
	}
	// Tables are objects in JSON and columns in Go: they are looked at elsewhere.
	text := regexp.MustCompile(`(?s),\s*"table": \[.*?\n\s*\]`).ReplaceAllString(got.out, "")
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if failed, _ := report.Tally(); report.OK || failed != 2 || got.code != exitUncollect || report.File != file {
		t.Errorf("exit code %d, %+v", got.code, report)
	}
}

// All services are tried that a file names; a refusal of one is no refusal of the other.
func TestConnectBothClouds(t *testing.T) {
	file, out := emulatedExample(t, "all")
	got := nasight(t, "config", "check", file, "--connect")
	if got.code != exitOK || got.err != "" {
		t.Errorf("exit code %d, said %q", got.code, got.err)
	}
	for _, line := range []string{"\nGoogle Cloud NetApp Volumes, as nobody\n", "\nAzure Files, as nobody\n", "\nAzure NetApp Files, as nobody\n", "\nAll 39 checks passed.\n"} {
		if !strings.Contains(got.out, line) {
			t.Errorf("%q is not in\n%s", line, got.out)
		}
	}
	const subscription = "00000000-0000-4000-8000-000000000002"
	injectAzure(t, out, `{"kind": "forbidden", "method": "metrics.query", "project": "`+subscription+`"}`)
	got = nasight(t, "config", "check", file, "--connect")
	if got.code != exitUncollect || strings.Count(got.err, "\n") != 1 || !strings.Contains(got.err, "1 of 39 checks failed") {
		t.Errorf("exit code %d, said %q", got.code, got.err)
	}
	const line = "  failed   Microsoft.Insights/metrics/read on account examplehddv2 of subscription " + subscription +
		`: permission denied; lacks the role Monitoring Reader; to do: az role assignment create --assignee ASSIGNEE --role "Monitoring Reader" --scope /subscriptions/` + subscription
	if !strings.Contains(got.out, line) {
		t.Errorf("%q is not in\n%s", line, got.out)
	}
	got = nasight(t, "config", "check", file, "--connect", "--format=json")
	var report struct {
		OK     bool `json:"ok"`
		Clouds []struct {
			Cloud  string          `json:"cloud"`
			Checks []connect.Check `json:"checks"`
			Cost   map[string]any  `json:"cost"`
		} `json:"clouds"`
	}
	if err := json.Unmarshal([]byte(got.out), &report); err != nil {
		t.Fatalf("%v in\n%s", err, got.out)
	}
	if report.OK || len(report.Clouds) != 3 || report.Clouds[0].Cloud != "gcp" || report.Clouds[1].Cloud != "azure" || report.Clouds[2].Cloud != "azure" {
		t.Fatalf("%+v", report)
	}
	if _, priced := report.Clouds[1].Cost["usd"]; priced || report.Clouds[0].Cost["usd"] == nil {
		t.Errorf("the costs are %v and %v", report.Clouds[0].Cost, report.Clouds[1].Cost)
	}
}

func TestConnectUsage(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none.yml")
	priced := filepath.Join(t.TempDir(), "bad.yml")
	for file, text := range map[string]string{none: "hosts: []\n", priced: "gcnv: {projects: [No Project]}\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		args []string
		says string
	}{
		{[]string{none, "--connect"}, "no cloud to connect to"},
		{[]string{priced, "--connect"}, "no project id"},
		{[]string{none, "--format=json"}, "only --connect"},
		{[]string{none, "--connect", "--timeout=1ms"}, "--timeout=1ms"},
		{[]string{none, "--connect", "--format=xml"}, "xml"},
	} {
		got := nasight(t, append([]string{"config", "check"}, row.args...)...)
		if got.code != exitUsage || !strings.Contains(got.err, row.says) || got.out != "" && !strings.HasPrefix(got.out, "Usage") {
			t.Errorf("%v: exit code %d, said %q, printed %q", row.args, got.code, got.err, got.out)
		}
	}
}

// Prices of the configuration are found, those of other services are not; an interruption leaves a report.
func TestConnectPricesAndInterruption(t *testing.T) {
	file, _ := emulated(t)
	settings, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	const rows = `detection:
  prices:
    - {cloud: gcp, service: gcnv, item: capacity, level: premium, usd: 0.25, unit: GiB-month, date: "2026-09-21", source: a contract}
    - {cloud: azure, service: azurefiles, item: capacity, usd: 0.16, unit: GiB-month, date: "2026-09-21"}
`
	if _, err := settings.WriteString(rows); err != nil {
		t.Fatal(err)
	}
	if err := settings.Close(); err != nil {
		t.Fatal(err)
	}
	got := nasight(t, "config", "check", file, "--connect")
	if !strings.Contains(got.out, "Of 8 that the pools need, 2 are configured and 6 lack") || strings.Contains(got.out, "0.16") {
		t.Errorf("printed %s\nsaid %s", got.out, got.err)
	}
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs strings.Builder
	if code := run(interrupted, []string{"config", "check", file, "--connect"}, streams{&out, &errs}); code != exitUncollect || !strings.Contains(out.String(), "not tried: interrupted") {
		t.Errorf("exit code %d, printed %s", code, out.String())
	}
}

// The line about a file that is right names all that is read.
func TestConfigCheckNamesTheSources(t *testing.T) {
	directory := t.TempDir()
	for text, want := range map[string]string{
		"cloud: gce\n": "right: 1 host, history in data",
		"hosts: []\ngcnv: {projects: [example-prod]}\n":                         "right: 0 hosts, Google Cloud NetApp Volumes of 1 project, history in",
		"gcnv: {projects: [example-prod, example-test], folders: [\"123\"]}\n":  "1 host, Google Cloud NetApp Volumes of 2 projects and 1 folder, history",
		"azurefiles: {subscriptions: [00000000-0000-4000-8000-000000000001]}\n": "1 host, Azure Files of 1 subscription, history",
		"promhost: [{url: \"http://example.com\"}]\n":                           "1 host, exporters of 1 Prometheus, history",
		"windows: {directory: " + directory + "}\n":                             "1 host, Windows recordings in " + directory + ", history",
	} {
		file := filepath.Join(directory, "nasight.yml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := nasight(t, "config", "check", file); got.code != exitOK || !strings.Contains(got.out, want) {
			t.Errorf("%s%+v, want %q", text, got, want)
		}
	}
}
