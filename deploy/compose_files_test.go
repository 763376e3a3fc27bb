package deploy_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/alerts"
	"github.com/nasight/nasight/internal/compose"
	"github.com/nasight/nasight/internal/strictyaml"
)

// strict reads a file that compose mounts. A key that the type has not is a failure.
func strict[T any](t *testing.T, name string) T {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var into T
	if err := strictyaml.Unmarshal(name, text, &into); err != nil {
		t.Fatal(err)
	}
	return into
}

type datasources struct {
	APIVersion  int          `yaml:"apiVersion"`
	Datasources []datasource `yaml:"datasources"`
}

type datasource struct {
	Name      string `yaml:"name"`
	UID       string `yaml:"uid"`
	Type      string `yaml:"type"`
	Access    string `yaml:"access"`
	URL       string `yaml:"url"`
	IsDefault bool   `yaml:"isDefault"`
	Editable  bool   `yaml:"editable"`
	JSONData  struct {
		HTTPMethod   string `yaml:"httpMethod"`
		TimeInterval string `yaml:"timeInterval"`
	} `yaml:"jsonData"`
}

// Grafana asks Prometheus, and nasight as if it were one, by uids that dashboards and links can rely on.
func TestGrafanaHasItsDataSources(t *testing.T) {
	file := strict[datasources](t, "compose/grafana/datasources.yml")
	got := map[string]string{}
	defaults := 0
	for _, source := range file.Datasources {
		got[source.UID] = source.Type + " " + source.Access + " " + source.URL
		if source.IsDefault {
			defaults++
		}
		if source.JSONData.HTTPMethod != "POST" || source.JSONData.TimeInterval != scrapeInterval(t) {
			t.Errorf("%s: %+v, want POST, as queries are long, and the interval of the scrapes", source.Name, source.JSONData)
		}
	}
	want := map[string]string{"prometheus": "prometheus proxy http://prometheus:9090", "nasight": "prometheus proxy http://nasight:9877"}
	if diff := cmp.Diff(want, got); diff != "" || file.APIVersion != 1 || defaults != 1 {
		t.Errorf("version %d, %d defaults, sources (-want +got):\n%s", file.APIVersion, defaults, diff)
	}
}

type providers struct {
	APIVersion int `yaml:"apiVersion"`
	Providers  []struct {
		Name            string            `yaml:"name"`
		Folder          string            `yaml:"folder"`
		Type            string            `yaml:"type"`
		AllowUIUpdates  bool              `yaml:"allowUiUpdates"`
		DisableDeletion bool              `yaml:"disableDeletion"`
		UpdateInterval  int               `yaml:"updateIntervalSeconds"`
		Options         map[string]string `yaml:"options"`
	} `yaml:"providers"`
}

// Grafana reads the dashboards from where compose mounts them.
func TestGrafanaReadsTheMountedDashboards(t *testing.T) {
	file := strict[providers](t, "compose/grafana/dashboards.yml")
	if file.APIVersion != 1 || len(file.Providers) != 1 || file.Providers[0].Type != "file" {
		t.Fatalf("%+v: want one provider of files", file)
	}
	services, err := compose.Load(composeFile, nil)
	if err != nil {
		t.Fatal(err)
	}
	mounts, err := services.Services["grafana"].Mounts()
	if err != nil {
		t.Fatal(err)
	}
	want := compose.Mount{Source: "./dashboards", Target: file.Providers[0].Options["path"], ReadOnly: true}
	if !slices.Contains(mounts, want) {
		t.Errorf("mounts %+v: want %+v", mounts, want)
	}
}

type prometheus struct {
	Global  map[string]string `yaml:"global"`
	Storage struct {
		TSDB map[string]string `yaml:"tsdb"`
	} `yaml:"storage"`
	RuleFiles []string `yaml:"rule_files"`
	Alerting  struct {
		Alertmanagers []job `yaml:"alertmanagers"`
	} `yaml:"alerting"`
	Scrapes []job `yaml:"scrape_configs"`
}

type job struct {
	Name        string `yaml:"job_name"`
	HonorLabels bool   `yaml:"honor_labels"`
	Static      []struct {
		Targets []string `yaml:"targets"`
	} `yaml:"static_configs"`
	Relabel []struct {
		Sources []string `yaml:"source_labels"`
		Regex   string   `yaml:"regex"`
		Action  string   `yaml:"action"`
	} `yaml:"metric_relabel_configs"`
}

func scrapeInterval(t *testing.T) string {
	t.Helper()
	return strict[prometheus](t, "compose/prometheus.yml").Global["scrape_interval"]
}

// Prometheus scrapes every service that has metrics (the page of Grafana's asks for a login), and loads what compose mounts.
func TestPrometheusKnowsTheServices(t *testing.T) {
	file := strict[prometheus](t, "compose/prometheus.yml")
	services, err := compose.Load(composeFile, nil)
	if err != nil {
		t.Fatal(err)
	}
	scraped := map[string]bool{}
	for _, job := range append(file.Scrapes, file.Alerting.Alertmanagers...) {
		for _, target := range job.Static[0].Targets {
			name, _, _ := strings.Cut(target, ":")
			if _, ok := services.Services[name]; !ok {
				t.Errorf("%s: there is no service %s", job.Name, name)
			}
			scraped[name] = true
		}
	}
	for name := range services.Services {
		if !scraped[name] && name != "grafana" {
			t.Errorf("%s is not scraped", name)
		}
	}
	mounts, err := services.Services["prometheus"].Mounts()
	if err != nil {
		t.Fatal(err)
	}
	want := compose.Mount{Source: "./alerts/nasight.rules.yml", Target: file.RuleFiles[0], ReadOnly: true}
	if len(file.RuleFiles) != 1 || !slices.Contains(mounts, want) {
		t.Errorf("rules %q, mounts %+v: want %+v", file.RuleFiles, mounts, want)
	}
}

// Alertmanager's file is the example but for the receivers, which tell nobody.
func TestAlertmanagerIsTheExample(t *testing.T) {
	mounted := strict[map[string]any](t, "compose/alertmanager.yml")
	var example map[string]any
	if err := strictyaml.Unmarshal("alertmanager.yml", alerts.Alertmanager, &example); err != nil {
		t.Fatal(err)
	}
	want := []any{map[string]any{"name": "pager"}, map[string]any{"name": "team"}, map[string]any{"name": "digest"}}
	if diff := cmp.Diff(want, mounted["receivers"]); diff != "" {
		t.Errorf("receivers (-want +got):\n%s", diff)
	}
	example["receivers"] = want
	if diff := cmp.Diff(example, mounted); diff != "" {
		t.Errorf("(-example +mounted):\n%s", diff)
	}
}

// A directory for credentials whose content git would take is one that is pushed some day.
func TestCredentialsStayOut(t *testing.T) {
	data, err := os.ReadFile("compose/credentials/.gitignore")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(string(data), "\n"); !slices.Contains(lines, "*") {
		t.Errorf("compose/credentials/.gitignore: %q, want everything ignored", lines)
	}
	ignored, err := os.ReadFile("Dockerfile.dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{".env", filepath.Join("deploy", "compose", "credentials")} {
		if !slices.Contains(strings.Split(string(ignored), "\n"), path) {
			t.Errorf("Dockerfile.dockerignore: %s goes into the build", path)
		}
	}
}
