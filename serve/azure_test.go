package serve

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/azurefiles"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/diagnose"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/model"
)

// azureConfig starts the emulator and makes a configuration that reads all of it.
func azureConfig(t *testing.T, options azure.Options) (config.Config, *model.Fleet) {
	t.Helper()
	example, err := azure.Example()
	if err != nil {
		t.Fatal(err)
	}
	return azureConfigOf(t, example, options), example
}

// azureConfigOf starts the emulator with a fleet of its own.
func azureConfigOf(t *testing.T, served *model.Fleet, options azure.Options) config.Config {
	t.Helper()
	emulator, err := azure.Start(t.Context(), served, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = emulator.Close() })
	cfg := testConfig(t)
	for _, subscription := range served.Subscriptions {
		cfg.AzureFiles.Subscriptions = append(cfg.AzureFiles.Subscriptions, subscription.ID)
	}
	cfg.AzureFiles.Identity.Kind = "none"
	cfg.AzureFiles.Endpoints.ResourceManager, cfg.AzureFiles.Endpoints.Metrics = emulator.URL(), emulator.URL()
	cfg.AzureFiles.Endpoints.CAFile, cfg.AzureFiles.Endpoints.Logs = emulator.CAFile(), emulator.LogsURL()
	cfg.AzureNetApp.Subscriptions, cfg.AzureNetApp.Identity = cfg.AzureFiles.Subscriptions, cfg.AzureFiles.Identity
	cfg.AzureNetApp.Endpoints = cfg.AzureFiles.Endpoints
	return cfg
}

// onAzure starts the emulator and serve against it through the real clients.
func onAzure(t *testing.T, change func(*config.Config)) (*running, *model.Fleet) {
	t.Helper()
	example, err := azure.Example()
	if err != nil {
		t.Fatal(err)
	}
	return onAzureFleet(t, example, change), example
}

func onAzureFleet(t *testing.T, served *model.Fleet, change func(*config.Config)) *running {
	t.Helper()
	cfg := azureConfigOf(t, served, azure.Options{Seed: 1})
	change(&cfg)
	return start(t, Options{Config: cfg, Build: testBuild})
}

// TestReadsAzureFiles: minutes of the past are in history at their own times, and what is known of accounts and shares is on the
// page of metrics.
func TestReadsAzureFiles(t *testing.T) {
	t.Parallel()
	server, _ := onAzure(t, func(*config.Config) {})
	for path, want := range map[string]string{
		"/metrics": `nasight_share_burst_credits{cloud="azure",`,
		"/api/v1/query?query=count_over_time(nasight_share_burst_credits{volume=\"database\"}[1h])>50":            `"volume":"database"`,
		"/api/v1/query?query=nasight_account_info{pool=\"examplepayg\"}":                                          `"billing":"payg"`,
		"/api/v1/query?query=nasight_pool_info{pool=\"examplenetapp/flexible-idle\"}":                             `"service_level":"flexible"`,
		"/api/v1/query?query=count_over_time(nasight_volume_throughput_limit_reached{volume=\"database\"}[1h])>5": `"pool":"examplenetapp/manual-free"`,
	} {
		server.awaitPage(t, path, want, patience)
	}
}

// TestPlantedFindingsOfAzure: the back-fill brings the past, the look over days judges it, and what the example's subscriptions
// have planted shows, on no healthy twin.
func TestPlantedFindingsOfAzure(t *testing.T) {
	t.Parallel()
	began := time.Now()
	server, planted := onAzure(t, func(cfg *config.Config) {
		cfg.Hosts = nil
		cfg.Detection.Interval = config.Duration(15 * time.Second)
		// What nothing is planted in, and days that no rule needs, would only slow the race detector down.
		cfg.AzureFiles.Exclude = []string{".*/examplessdv1", ".*/examplenfs", ".*/examplepayg"}
		cfg.AzureFiles.BackfillDays, cfg.AzureNetApp.BackfillDays = 9, 9
		cfg.AzureFiles.Logs.Workspaces = cfg.AzureFiles.Subscriptions
	})
	awaitPlanted(t, server, planted.Truth, func(model.Planted) bool { return true })
	// The share has been held back since twelve hours before the hour began, an hour of which it burst: the fold over the past
	// finds that out, on a machine that is slow for an hour of it at least.
	await(t, "the fold over the past", patience, func() bool {
		_, since := stateOf(server.evaluator.latest.Load().Findings, detectors.VariantIOPS, planted.Subscriptions[0].ID, "database")
		held := began.Sub(since)
		return held > 50*time.Minute && held < 14*time.Hour && !isOwed(server.evaluator.debt)
	})
}

// TestSpaceAtAnyMinuteOfTheHour: the space of hours comes late, and a view has it whenever nasight is started.
func TestSpaceAtAnyMinuteOfTheHour(t *testing.T) {
	t.Parallel()
	for _, started := range []time.Duration{0, time.Second, 3 * time.Minute, 7 * time.Minute, 20 * time.Minute, 40 * time.Minute, 57 * time.Minute, time.Hour - time.Second} {
		t.Run(started.String(), func(t *testing.T) {
			t.Parallel()
			at := noon.Add(started)
			cfg, fleetOf := azureConfig(t, azure.Options{Seed: 1, Clock: func() time.Time { return at }})
			source, err := azurefiles.New(cfg.AzureFiles, azurefiles.Options{Clock: func() time.Time { return at }})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(source.Close)
			stored, err := history.OpenEmbedded(t.Context(), history.EmbeddedOptions{Path: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = stored.Close() })
			for _, entry := range source.Entries() {
				collector, err := entry.New(collectors.Root{}, collectors.Settings{})
				if err != nil {
					t.Fatal(err)
				}
				result := collectors.Once(t.Context(), collector, at)
				if err := errors.Join(result.Err, stored.Append(t.Context(), slices.Concat(result.Past, result.Samples))); err != nil {
					t.Fatalf("%s: %v", entry.Name, err)
				}
			}
			view, err := fleet.Build(t.Context(), stored, at, fleet.Profile{Window: time.Minute, Last: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			found := map[string]bool{}
			for _, finding := range detectors.Judge(view, detectors.DefaultSettings()).Found {
				found[keyOf(finding)] = true
			}
			isSpace := func(planted model.Planted) bool {
				return planted.Detector == detectors.HardLimit && planted.Variant == "capacity" && !strings.HasPrefix(planted.Pool, "examplenetapp/")
			}
			for want, rows := range map[bool][]model.Planted{true: fleetOf.Truth.Findings, false: fleetOf.Truth.Healthy} {
				for _, planted := range rows {
					if isSpace(planted) && found[truthKey(planted)] != want {
						t.Errorf("%s: %v, want %v", truthKey(planted), !want, want)
					}
				}
			}
		})
	}
}

// TestHostOnAzureNetApp: a mount at the address of a volume's mount target is joined to that volume, and to its pool, in the
// view that everything is judged by.
func TestHostOnAzureNetApp(t *testing.T) {
	t.Parallel()
	host := &recorded{directory: capture(t, saturated)}
	host.show(t, "t0")
	example, err := azure.Example()
	if err != nil {
		t.Fatal(err)
	}
	database := example.Subscriptions[0].NetAppAccounts[0].Pools[0].Volumes[0]
	database.Addresses, database.Token = []string{"10.10.2.2"}, "srv" // the host mounts 10.10.2.2:/srv/vol1, a part of it
	server := onAzureFleet(t, example, func(cfg *config.Config) { cfg.Hosts = []config.Host{host.host("app1")} })
	var mount *fleet.Mount
	var endpoint *fleet.Endpoint
	await(t, "the mount to be joined", patience, func() bool {
		if latest := server.evaluator.latest.Load(); latest != nil && latest.Fleet != nil {
			mount, endpoint = joinedMount(latest.Fleet)
		}
		return mount != nil
	})
	identity := mount.Volume.Identity
	if identity.Service != "azurenetapp" || identity.Pool != "examplenetapp/manual-free" || identity.Volume != "database" || mount.Volume.Of.ResourceGroup != "netapp" {
		t.Errorf("joined to %+v", identity)
	}
	steps := map[string]diagnose.Step{}
	for _, step := range diagnose.Ladder(mount, endpoint, endpoint.Client, nil) {
		steps[step.Step] = step
	}
	if volume, pool := steps[diagnose.StepVolume], steps[diagnose.StepPool]; volume.Capacity != 400*mib || pool.Capacity != 640*mib || !volume.Load.Above(300*mib) {
		t.Errorf("the ladder has volume %+v, pool %+v", volume, pool)
	}
}

// joinedMount is a mount whose volume is known and measured, with its endpoint.
func joinedMount(view *fleet.Fleet) (*fleet.Mount, *fleet.Endpoint) {
	for _, client := range view.Clients {
		for _, endpoint := range client.Endpoints {
			for _, mount := range endpoint.Mounts {
				if mount.Volume != nil && mount.Volume.Throughput.Known() {
					return mount, endpoint
				}
			}
		}
	}
	return nil, nil
}
