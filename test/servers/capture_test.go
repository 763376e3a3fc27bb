//go:build servers

package servers

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	recording, err := bundle.Open(capture)
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	unpacked := host{filepath.Join(directory, "procfs"), filepath.Join(directory, "sysfs"), filepath.Join(directory, "netlink")}
	root := recording.Moments[0].Root
	for to, tree := range map[string]fs.FS{
		unpacked.procfs: root.Procfs, unpacked.sysfs: root.Sysfs, unpacked.netlink: root.Netlink,
	} {
		if err := os.CopyFS(to, tree); err != nil {
			t.Fatalf("unpack %s: %v", capture, err)
		}
	}
	return unpacked
}

// configuration writes a configuration file that reads the host.
func (h host) configuration(t *testing.T) string {
	t.Helper()
	text := fmt.Sprintf("hosts:\n  - {name: recorded, procfs: %q, sysfs: %q, netlink: %q}\n", h.procfs, h.sysfs, h.netlink)
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
