package deploy_test

import (
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

func strictly(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalWithOptions(data, into, yaml.Strict()); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// What Grafana is given fits together: the data source that the dashboards are exported for is the one that is provisioned,
// at the address where nasight listens, and the files lie where they are looked for.
func TestGrafanaIsProvisioned(t *testing.T) {
	var sources struct {
		APIVersion  int `yaml:"apiVersion"`
		Datasources []struct {
			Name, UID, Type, Access, URL string
			JSONData                     struct {
				HTTPMethod     string `yaml:"httpMethod"`
				TimeInterval   string `yaml:"timeInterval"`
				PrometheusType string `yaml:"prometheusType"`
			} `yaml:"jsonData"`
		}
	}
	strictly(t, "grafana/provisioning/datasources/nasight.yml", &sources)
	if len(sources.Datasources) != 1 || sources.APIVersion != 1 {
		t.Fatalf("%+v", sources)
	}
	source := sources.Datasources[0]
	if source.Type != "prometheus" || source.Access != "proxy" || !strings.HasSuffix(source.URL, ":9877") || source.JSONData.TimeInterval != "15s" {
		t.Errorf("%+v", source)
	}
	const boards = "grafana/provisioning/dashboards/nasight.yml"
	var providers struct {
		APIVersion int `yaml:"apiVersion"`
		Providers  []struct {
			Name, Type, Folder    string
			UpdateIntervalSeconds int  `yaml:"updateIntervalSeconds"`
			AllowUIUpdates        bool `yaml:"allowUiUpdates"`
			Options               struct{ Path string }
		}
	}
	strictly(t, boards, &providers)
	text, err := os.ReadFile(boards)
	if err != nil || len(providers.Providers) != 1 || providers.Providers[0].Type != "file" {
		t.Fatalf("%v, %+v", err, providers)
	}
	if want := "nasight dashboards export --datasource=" + source.Name + " --out=" + providers.Providers[0].Options.Path; !strings.Contains(string(text), want) {
		t.Errorf("%s does not tell to run %q", boards, want)
	}
}
