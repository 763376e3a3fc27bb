//go:build servers

package servers

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/nasight/nasight/bundle"
)

// The recorded host that the programs read: one NFSv3 mount of 10.10.2.2 over 16 connections, under load.
const (
	capture       = "../../testdata/captures/7.3/nfs-v3-seqread16-nconnect16/moments.tar.gz"
	captureServer = "10.10.2.2"
)

// host is where a recorded host was unpacked to.
type host struct{ procfs, sysfs, netlink string }

// recorded unpacks the capture's first moment.
func recorded(t *testing.T) host {
	t.Helper()
	host, _ := recordedMoments(t, capture)
	return host
}

// recordedMoments unpacks captures whose first moment is shown as the host, and returns what shows another one. Roots are
// opened anew for every run of a collector, so a link that is put in the place of another is all that it takes.
func recordedMoments(t *testing.T, captures ...string) (shown host, show func(moment int)) {
	t.Helper()
	directory := t.TempDir()
	at := func(moment string) host {
		return host{filepath.Join(directory, moment, "procfs"), filepath.Join(directory, moment, "sysfs"), filepath.Join(directory, moment, "netlink")}
	}
	count := 0
	for _, capture := range captures {
		recording, err := bundle.Open(capture)
		if err != nil {
			t.Fatal(err)
		}
		for _, moment := range recording.Moments {
			unpacked, root := at(strconv.Itoa(count)), moment.Root
			count++
			for to, tree := range map[string]fs.FS{unpacked.procfs: root.Procfs, unpacked.sysfs: root.Sysfs, unpacked.netlink: root.Netlink} {
				if err := os.CopyFS(to, tree); err != nil {
					t.Fatalf("unpack %s: %v", capture, err)
				}
			}
		}
	}
	now, next := filepath.Join(directory, "now"), filepath.Join(directory, "next")
	show = func(moment int) {
		if err := os.Symlink(strconv.Itoa(moment), next); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, now); err != nil {
			t.Fatal(err)
		}
	}
	show(0)
	return at("now"), show
}

// configuration writes a configuration file that reads the host.
func (h host) configuration(t *testing.T) string {
	t.Helper()
	return h.configurationWith(t, "")
}

// configurationWith writes one that says more.
func (h host) configurationWith(t *testing.T, more string) string {
	t.Helper()
	text := fmt.Sprintf("hosts:\n  - {name: recorded, procfs: %q, sysfs: %q, netlink: %q}\n%s", h.procfs, h.sysfs, h.netlink, more)
	file := filepath.Join(t.TempDir(), "nasight.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// serve starts "nasight serve" for the recorded host and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	return start(t, "nasight", "serve", "--config.file="+recorded(t).configuration(t))
}

// agent starts "nasight-agent" for the recorded host and returns its address.
func agent(t *testing.T) string {
	t.Helper()
	return agentNamed(t, "recorded")
}

func agentNamed(t *testing.T, name string, flags ...string) string {
	t.Helper()
	h := recorded(t)
	paths := []string{"--path.procfs=" + h.procfs, "--path.sysfs=" + h.sysfs, "--path.netlink=" + h.netlink, "--host=" + name}
	return start(t, "nasight-agent", append(paths, flags...)...)
}
