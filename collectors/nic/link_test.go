package nic

import (
	"os"
	"path/filepath"
	"testing"
)

// A directory tree on disk follows its links as /sys does.
func TestReadLinkOfATreeOnDisk(t *testing.T) {
	root := t.TempDir()
	for _, directory := range []string{"devices/pci/net/eth0/queues/rx-0", "devices/pci/net/eth0/queues/tx-0", "class/net", "bus/gve"} {
		if err := os.MkdirAll(filepath.Join(root, directory), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"class/net/eth0":              "../../devices/pci/net/eth0",
		"devices/pci/net/eth0/device": "../../../pci",
		"devices/pci/driver":          "../../bus/gve",
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Skipf("this system makes no symbolic links: %v", err)
		}
	}
	for name, text := range map[string]string{"speed": "100000\n", "operstate": "up\n"} {
		if err := os.WriteFile(filepath.Join(root, "devices/pci/net/eth0", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := link{up: true, driver: "gve", speed: 12.5e9, receive: 1, transmit: 1}
	if got := readLink(os.DirFS(root), "eth0"); got != want {
		t.Errorf("link %+v, want %+v", got, want)
	}
	if got := readLink(os.DirFS(root), "absent"); got != (link{}) {
		t.Errorf("link of an absent interface %+v", got)
	}
	if got := readLink(os.DirFS(root), "../.."); got != (link{}) {
		t.Errorf("link outside the class %+v", got)
	}
}
