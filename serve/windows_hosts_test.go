package serve

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

// A host that records into the directory is in the exposition, and one that appears later, too.
func TestDirectoryOfWindowsHosts(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	record := func(host string) {
		name := filepath.Join(directory, host, "channels.json")
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(`{"ServerName":"fs1","CurrentChannels":2}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	record("client-1")
	cfg := testConfig(t)
	cfg.Windows = config.Windows{Directory: directory, Interval: config.Duration(time.Second)}
	server := start(t, Options{Config: cfg, Build: testBuild})
	server.awaitPage(t, "/metrics", `nasight_smb_channels{host="client-1",protocol="smb",server="fs1"} 2`, patience)
	record("client-2")
	server.awaitPage(t, "/metrics", `nasight_smb_channels{host="client-2",protocol="smb",server="fs1"} 2`, patience)
	server.awaitPage(t, "/metrics", `nasight_windows_recording_age_seconds{host="client-1"}`, patience)
}

// A reload takes another directory, and gives up the one that is not named any more.
func TestDirectoryOfWindowsHostsAfterReload(t *testing.T) {
	t.Parallel()
	one, other := t.TempDir(), t.TempDir()
	for _, directory := range []string{one, other} {
		write(t, filepath.Join(directory, filepath.Base(directory)+".json"), `{"ServerName":"fs1","CurrentChannels":2}`)
	}
	cfg := testConfig(t)
	cfg.Windows = config.Windows{Directory: one, Interval: config.Duration(time.Second)}
	file := filepath.Join(t.TempDir(), "nasight.yml")
	server := start(t, Options{Config: cfg, ConfigFile: file})
	channels := func(directory string) string {
		return fmt.Sprintf(`nasight_smb_channels{host=%q,`, filepath.Base(directory))
	}
	server.awaitPage(t, "/metrics", channels(one), patience)
	write(t, file, "hosts: []\nwindows: {directory: "+other+", interval: 1s}\n")
	if code, body := request(t, http.MethodPost, server.base+"/-/reload"); code != http.StatusOK {
		t.Fatalf("status %d: %s", code, body)
	}
	server.awaitPage(t, "/metrics", channels(other), patience)
	if _, metrics := server.get(t, "/metrics"); strings.Contains(metrics, channels(one)) {
		t.Error("the directory that was replaced is still read")
	}
}

var documentedConfiguration = regexp.MustCompile("(?s)```yaml\n(windows: .*?)```")

// With the documented configuration a host that records as told has rates and is judged. A second stands for a minute.
func TestRecordedWindowsHostIsActive(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "docs", "windows.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := documentedConfiguration.FindSubmatch(page)
	if text == nil {
		t.Fatal("docs/windows.md documents no configuration")
	}
	file, directory := filepath.Join(t.TempDir(), "nasight.yml"), t.TempDir()
	write(t, file, strings.ReplaceAll(string(text[1]), "/srv/recordings", directory))
	cfg, err := config.Load(file)
	if err != nil || len(cfg.Warnings()) > 0 {
		t.Fatalf("documented configuration: error %v, warnings %q", err, cfg.Warnings())
	}
	const faster = 60 / 2 // two seconds, as a directory is read once a second at most
	for _, one := range []*config.Duration{&cfg.Windows.Interval, &cfg.Detection.CollectionInterval, &cfg.Detection.Window} {
		*one /= faster
	}
	short := testConfig(t)
	cfg.Hosts, cfg.History, cfg.Web, cfg.Detection.Interval = nil, short.History, short.Web, short.Detection.Interval
	server := start(t, Options{Config: cfg, Build: testBuild})
	recordings := time.NewTicker(time.Duration(cfg.Windows.Interval))
	defer recordings.Stop()
	deadline := time.After(time.Minute)
	for count := 1; ; count++ {
		write(t, filepath.Join(directory, "client-1.json"), fmt.Sprintf(
			`[{"Name":"\\fs1\\data","ReadBytesPersec":%d,"ReadRequestsPersec":%d,"AvgReadQueueLength":%d}]`, count<<30, count*1000, count*100_000_000))
		select {
		case <-recordings.C:
		case <-deadline:
			t.Fatal("the recorded host does not become active")
		}
		if state, rate := recordedMount(server); state == detectors.StateActive && rate.Known() {
			if rate < 1<<28 || rate > 1<<30 {
				t.Errorf("reads %v bytes/s, want 1 GiB in 2 s", rate)
			}
			return
		}
	}
}

// recordedMount is the state of the only mount and how fast it reads.
func recordedMount(server *running) (string, fleet.Value) {
	latest := server.evaluator.latest.Load()
	if latest == nil {
		return "", fleet.Unknown
	}
	for _, client := range latest.Fleet.Clients {
		for _, endpoint := range client.Endpoints {
			for _, mount := range endpoint.Mounts {
				return detectors.StateOf(mount, endpoint, client, latest.Settings), mount.ReadRate
			}
		}
	}
	return "", fleet.Unknown
}
