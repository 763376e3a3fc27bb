package main

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// azureSettings are the keys that the printed configuration has.
type azureSettings struct {
	AzureFiles struct {
		Subscriptions []string              `yaml:"subscriptions"`
		Identity      struct{ Kind string } `yaml:"identity"`
		Endpoints     map[string]string     `yaml:"endpoints"`
		Logs          map[string][]string   `yaml:"logs"`
	} `yaml:"azurefiles"`
	AzureNetApp struct {
		Subscriptions []string              `yaml:"subscriptions"`
		Identity      struct{ Kind string } `yaml:"identity"`
		Endpoints     map[string]string     `yaml:"endpoints"`
	} `yaml:"azurenetapp"`
}

// The configuration that is printed names addresses that answer to a client with the printed CA.
func TestEmulatorOfAzureAnswers(t *testing.T) {
	ca := filepath.Join(t.TempDir(), "ca.pem")
	out := startEmulator(t, "ca_file: \""+ca+"\"\n", "--example=azure", "--azure=127.0.0.1:0", "--azure-ca="+ca)
	if strings.Contains(out, "Cloud Monitoring") {
		t.Errorf("a fleet of Azure alone serves Google: %q", out)
	}
	_, block, _ := strings.Cut(out, "nasight serve:\n\n")
	var settings azureSettings
	if err := yaml.UnmarshalWithOptions([]byte(block), &settings, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	got := settings.AzureFiles
	if len(got.Subscriptions) != 2 || got.Identity.Kind != "none" || got.Endpoints["ca_file"] != ca || !strings.HasSuffix(got.Endpoints["logs"], "/v1") || len(got.Logs["workspaces"]) != 2 {
		t.Errorf("settings %+v", got)
	}
	if netapp := settings.AzureNetApp; len(netapp.Subscriptions) != 2 || netapp.Identity.Kind != "none" || netapp.Endpoints["ca_file"] != ca {
		t.Errorf("settings of Azure NetApp Files %+v", netapp)
	}
	pem, err := os.ReadFile(ca)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}}
	for path, want := range map[string]int{
		"/subscriptions/" + got.Subscriptions[0] + "/providers/Microsoft.Storage/storageAccounts?api-version=2025-01-01": http.StatusOK,
		"/subscriptions/" + got.Subscriptions[0] + "/providers/Microsoft.Storage/storageAccounts":                        http.StatusBadRequest,
		"/subscriptions/" + got.Subscriptions[0] + "/providers/Microsoft.NetApp/netAppAccounts?api-version=2025-09-01":   http.StatusOK,
		"/nothing": http.StatusNotFound,
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, got.Endpoints["resource_manager"]+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %s", path, response.Status)
		}
	}
}

func TestEmulatorServesBothClouds(t *testing.T) {
	out := startEmulator(t, "ca_file: ", "--example=all", "--azure=127.0.0.1:0")
	if !strings.Contains(out, "gcnv:\n") || !strings.Contains(out, "azurefiles:\n") {
		t.Errorf("printed %q", out)
	}
}

func TestEmulatorOfAzureRefuses(t *testing.T) {
	for _, row := range []struct {
		args []string
		says string
	}{
		{[]string{"--example=azure", "--azure=127.0.0.1:99999"}, "127.0.0.1:99999"},
		{[]string{"--example=azure", "--azure=127.0.0.1:0", "--azure-ca=/no/such/dir/ca.pem"}, "/no/such/dir"},
	} {
		got := nasight(t, append([]string{"emulator"}, row.args...)...)
		if got.code != exitUncollect || !strings.Contains(got.err, row.says) || strings.Count(got.err, "\n") != 1 || got.out != "" {
			t.Errorf("emulator %v: exit code %d, said %q, printed %q", row.args, got.code, got.err, got.out)
		}
	}
}
