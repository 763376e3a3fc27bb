package deploy_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/internal/compose"
)

const composeFile = "../docker-compose.yml"

// profiles are the values that the file's variables may have: none for the demo, and those of .env.example.
func profiles(t *testing.T) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile("../.env.example")
	if err != nil {
		t.Fatal(err)
	}
	serving, err := compose.Environment(text)
	if err != nil {
		t.Fatalf(".env.example: %v", err)
	}
	return map[string]map[string]string{"demo": nil, "real": serving}
}

// services runs a test for each service of each profile.
func services(t *testing.T, test func(*testing.T, compose.Service)) {
	t.Helper()
	for profile, values := range profiles(t) {
		file, err := compose.Load(composeFile, values)
		if err != nil {
			t.Fatal(err)
		}
		for name, service := range file.Services {
			t.Run(profile+"/"+name, func(t *testing.T) { test(t, service) })
		}
	}
}

func TestComposeHasTheServices(t *testing.T) {
	file, err := compose.Load(composeFile, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"alertmanager", "grafana", "nasight", "otelcol", "prometheus", "victoriametrics"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(file.Services))); diff != "" {
		t.Errorf("services (-want +got):\n%s", diff)
	}
	if !file.Networks["inner"].Internal {
		t.Error("the inner network reaches the outside")
	}
	if nasight := file.Services["nasight"]; nasight.Build == nil || nasight.Command[0] != "demo" {
		t.Errorf("nasight: %+v, want a build that runs the demo", nasight)
	} else if _, err := os.Stat(filepath.Join("..", nasight.Build.Context, nasight.Build.Dockerfile)); err != nil {
		t.Error(err)
	}
}

// The engine's own tool takes the file, by the schema of its version.
func TestComposeFilePassesDockerCompose(t *testing.T) {
	tool, err := exec.LookPath("docker-compose")
	if err != nil {
		t.Skip("docker-compose is not on this machine")
	}
	none := filepath.Join(t.TempDir(), "none.env")
	if err := os.WriteFile(none, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, environment := range []string{none, "../.env.example"} {
		command := exec.CommandContext(t.Context(), tool, "--file="+composeFile, "--env-file="+environment, "config", "--quiet")
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("%q: %v\n%s", command.Args, err, output)
		}
	}
}

// Every service is confined, bounded and watched.
func TestComposeServicesAreConfined(t *testing.T) {
	services(t, func(t *testing.T, s compose.Service) {
		want := compose.Service{
			ReadOnly: true, CapDrop: []string{"ALL"}, SecurityOpt: []string{"no-new-privileges:true"}, Restart: "unless-stopped", StopGracePeriod: "30s",
			Logging: compose.Logging{Driver: "json-file", Options: map[string]string{"max-size": "10m", "max-file": "3"}},
		}
		got := compose.Service{
			ReadOnly: s.ReadOnly, CapDrop: s.CapDrop, SecurityOpt: s.SecurityOpt, Restart: s.Restart, StopGracePeriod: s.StopGracePeriod, Logging: s.Logging,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if !regexp.MustCompile(`^[1-9]\d*:\d+$`).MatchString(s.User) {
			t.Errorf("user %q, want numbers, and not root", s.User)
		}
		// A tag without a version, or none, is another image each month; the one that is built here is named for that.
		if !regexp.MustCompile(`^[a-z-]+/[a-z-]+:v?\d+\.\d+\.\d+$`).MatchString(s.Image) && (s.Build == nil || s.Image != "nasight:compose") {
			t.Errorf("image %q, want NAME:VERSION", s.Image)
		}
		if !regexp.MustCompile(`^\d+[mg]$`).MatchString(s.MemLimit) || s.CPUs <= 0 || s.CPUs > 2 || s.PidsLimit <= 0 {
			t.Errorf("limits %q, %g cores, %d processes: want all three", s.MemLimit, s.CPUs, s.PidsLimit)
		}
	})
}

func TestComposeServicesHaveHealthChecks(t *testing.T) {
	services(t, func(t *testing.T, s compose.Service) {
		check := s.Healthcheck
		if len(check.Test) < 2 || check.Test[0] != "CMD" || check.Retries < 1 {
			t.Errorf("health check %+v, want a command without a shell, and tries", check)
		}
		for what, text := range map[string]string{"interval": check.Interval, "timeout": check.Timeout, "start period": check.StartPeriod} {
			if every, err := time.ParseDuration(text); err != nil || every <= 0 {
				t.Errorf("%s %q: want a time", what, text)
			}
		}
		for name, condition := range s.DependsOn {
			if condition.Condition != "service_healthy" {
				t.Errorf("depends on %s %q, want it healthy", name, condition.Condition)
			}
		}
	})
}

// What is mounted exists, files read-only; volumes and networks are declared, and those that are declared are used.
func TestComposeMountsExist(t *testing.T) {
	for profile, values := range profiles(t) {
		file, err := compose.Load(composeFile, values)
		if err != nil {
			t.Fatal(err)
		}
		volumes, networks := map[string]compose.Volume{}, map[string]compose.Network{}
		for name, service := range file.Services {
			mounts, err := service.Mounts()
			if err != nil {
				t.Errorf("%s/%s: %v", profile, name, err)
			}
			for _, mount := range mounts {
				if !mount.Bind() {
					volumes[mount.Source] = compose.Volume{}
					continue
				}
				if _, err := os.Stat(filepath.Join("..", mount.Source)); err != nil || !mount.ReadOnly {
					t.Errorf("%s/%s: %+v: error %v, want it to be there and read-only", profile, name, mount, err)
				}
			}
			for _, network := range service.Networks {
				networks[network] = file.Networks[network]
			}
		}
		if diff := cmp.Diff(volumes, file.Volumes); diff != "" {
			t.Errorf("%s: volumes (-used +declared):\n%s", profile, diff)
		}
		if diff := cmp.Diff(networks, file.Networks); diff != "" {
			t.Errorf("%s: networks (-used +declared):\n%s", profile, diff)
		}
	}
}

// Published ports are on this machine's loopback, and only of services in a network from which ports can be published.
func TestComposePublishesOnLoopback(t *testing.T) {
	services(t, func(t *testing.T, s compose.Service) {
		for _, port := range s.Ports {
			parts := strings.Split(port, ":")
			if len(parts) != 3 || parts[0] != "127.0.0.1" || parts[1] != parts[2] {
				t.Errorf("port %q, want 127.0.0.1:PORT:PORT", port)
			}
			if !slices.Contains(s.Networks, "outer") {
				t.Errorf("port %q: networks %q publish nothing", port, s.Networks)
			}
		}
	})
}

// The variables that the example of .env sets, or shows in a comment, are those that the file reads.
func TestComposeVariablesAreInTheExample(t *testing.T) {
	text, err := os.ReadFile(composeFile)
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("../.env.example")
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, match := range regexp.MustCompile(`(?m)^#?([A-Z_]+)=`).FindAllSubmatch(example, -1) {
		shown = append(shown, string(match[1]))
	}
	read := slices.Compact(slices.Sorted(slices.Values(compose.Variables(text))))
	if diff := cmp.Diff(read, shown, cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("(-docker-compose.yml +.env.example):\n%s", diff)
	}
}

// environment is what each program is known to read: Go's runtime, the clouds' libraries, Grafana's documentation of its
// configuration (GF_SECTION_KEY). The other programs are told by flags alone.
var environment = map[string][]string{
	"nasight": {"GOMEMLIMIT", "GOOGLE_APPLICATION_CREDENTIALS", "AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_CERTIFICATE_PATH"},
	"grafana": {
		"GF_SECURITY_ADMIN_PASSWORD", "GF_AUTH_ANONYMOUS_ENABLED", "GF_AUTH_ANONYMOUS_ORG_ROLE", "GF_USERS_ALLOW_SIGN_UP", "GF_ANALYTICS_REPORTING_ENABLED",
		"GF_ANALYTICS_CHECK_FOR_UPDATES", "GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES", "GF_PLUGINS_PREINSTALL_DISABLED", "GF_LOG_MODE",
	},
}

func TestComposeEnvironmentIsKnown(t *testing.T) {
	services(t, func(t *testing.T, s compose.Service) {
		name := filepath.Base(t.Name())
		if diff := cmp.Diff(environment[name], slices.Collect(maps.Keys(s.Environment)), cmpopts.SortSlices(strings.Compare), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("environment (-known +set):\n%s", diff)
		}
	})
}

// The demo takes its file, and in both profiles results go to the same places: to those of the file's services that take pushes.
func TestComposePushesInBothProfiles(t *testing.T) {
	demo, err := config.LoadSections("compose/demo.yml", "export", "alerting")
	if err != nil {
		t.Fatal(err)
	}
	own, err := config.Load("compose/nasight.yml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(demo.Export, own.Export); diff != "" {
		t.Errorf("export (-demo +real):\n%s", diff)
	}
	if got := demo.Export; got.OTLP.Endpoint != "http://otelcol:4317" || len(got.RemoteWrite) != 1 || !strings.HasPrefix(got.RemoteWrite[0].URL, "http://victoriametrics:8428/") {
		t.Errorf("export %+v: want the collector and VictoriaMetrics", got)
	}
	if demo.Alerting.Enabled() || own.Alerting.Enabled() {
		t.Error("nasight tells Alertmanager what Prometheus tells it already")
	}
}

// The real profile's configuration is one that nasight takes. It writes to the volume, not to the demo's directory there.
func TestComposeConfigurationIsValid(t *testing.T) {
	cfg, err := config.Load("compose/nasight.yml")
	if err != nil {
		t.Fatal(err)
	}
	if cfg.History.Path != "/var/lib/nasight/serve" || len(cfg.Hosts) != 0 {
		t.Errorf("history in %q and %d hosts, want it in the volume and none", cfg.History.Path, len(cfg.Hosts))
	}
	file, err := compose.Load(composeFile, profiles(t)["real"])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(compose.Words{"serve", "--config.file=/etc/nasight/nasight.yml"}, file.Services["nasight"].Command); diff != "" {
		t.Errorf("the command of .env.example (-want +got):\n%s", diff)
	}
}
