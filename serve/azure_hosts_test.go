package serve

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/diagnose"
	"github.com/nasight/nasight/fleet"
)

// azureHost is a host that mounts a share of the emulator's example.
type azureHost struct {
	capture string // a recording of some server, whose name and export are replaced
	server  string // what the mount command named
	export  string // as NFS exports it, or the share of SMB
	volume  string // the share that the mount is of; empty where it cannot be known
	mibps   float64
	account float64 // MiB/s that the shares of the account may have together
}

const (
	recordedNFS = saturated
	recordedSMB = "7.3/smb311-1ch-16files-64k"
)

func azureHosts() map[string]azureHost {
	const most = 10_340
	return map[string]azureHost{
		"smb-by-name":         {recordedSMB, "examplessdv2.file.core.windows.net", "media", "media", 300, most},
		"smb-by-private-name": {recordedSMB, "examplessdv2.privatelink.file.core.windows.net", "projects", "projects", 500, most},
		"smb-by-address":      {recordedSMB, "", "media", "", 0, 0},
		"nfs-by-name":         {recordedNFS, "examplenfs.file.core.windows.net", "/examplenfs/cluster", "cluster", 600, most},
		"nfs-by-private-name": {recordedNFS, "examplenfs.privatelink.file.core.windows.net", "/examplenfs/cluster/jobs", "cluster", 600, most},
		"nfs-by-address":      {recordedNFS, "", "/examplenfs/cluster", "cluster", 600, most},
	}
}

// root writes the host's files: those of the capture, with another server's name and export. The address stays, as that of a
// private endpoint, which the sessions are at.
func (h azureHost) root(t *testing.T, name string) config.Host {
	t.Helper()
	const address = "10.10.2.2"
	server := h.server
	if server == "" {
		server = address
	}
	replace := strings.NewReplacer(
		address+":/srv/vol1", server+":"+h.export,
		"//"+address+"/share1", "//"+server+"/"+h.export,
		`\\`+address+`\share1`, `\\`+server+`\`+h.export, `\\`+address+`\`, `\\`+server+`\`,
		"Hostname: "+address, "Hostname: "+server,
	)
	recording := &recorded{directory: capture(t, h.capture)}
	recording.show(t, "t0")
	replaced := false
	err := filepath.WalkDir(filepath.Join(recording.directory, "now", "proc"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		before, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		after := replace.Replace(string(before))
		replaced = replaced || strings.Contains(after, h.export)
		return os.WriteFile(path, []byte(after), 0o600)
	})
	if err != nil || !replaced {
		t.Fatalf("%s: %v, replaced %t", name, err, replaced)
	}
	return recording.host(name)
}

// TestMountsOfAzureShares: a mount of an emulated share, however its server is named, has the share's limits on its ladder.
func TestMountsOfAzureShares(t *testing.T) {
	t.Parallel()
	hosts := azureHosts()
	server, _ := onAzure(t, func(cfg *config.Config) {
		cfg.Hosts = nil
		for name, host := range hosts {
			cfg.Hosts = append(cfg.Hosts, host.root(t, name))
		}
	})
	for name, want := range hosts {
		var got string
		await(t, name+" joined", patience, func() bool {
			got = standing(server, name, want)
			return got == ""
		})
	}
	page := server.awaitPage(t, "/api/v1/fleet", `"mounted_by":[{`, patience)
	if !strings.Contains(page, "an address and a share name no account") {
		t.Error("why the SMB mount by an address is not joined is not told")
	}
}

// standing says what is not as wanted about the only mount of a host; empty where all is.
func standing(server *running, host string, want azureHost) string {
	latest := server.evaluator.latest.Load()
	if latest == nil {
		return "nothing is evaluated"
	}
	for _, client := range latest.Fleet.Clients {
		if client.Host != host || len(client.Endpoints) != 1 || len(client.Endpoints[0].Mounts) != 1 {
			continue
		}
		endpoint := client.Endpoints[0]
		mount := endpoint.Mounts[0]
		if want.volume == "" {
			if mount.Share != nil || len(latest.Fleet.Accounts) == 0 {
				return "joined, or no account is known yet"
			}
			return ""
		}
		if mount.Share == nil || mount.Share.Identity.Volume != want.volume || endpoint.Provider != fleet.ProviderAzure {
			return fmt.Sprintf("share %v of %s", mount.Share, endpoint.Provider)
		}
		return limits(diagnose.Ladder(mount, endpoint, client, nil), mount.Share, want)
	}
	return "no such host"
}

// limits compares a ladder's capacities with those of a share and its account. A step counts bytes or operations.
func limits(ladder []diagnose.Step, share *fleet.Share, want azureHost) string {
	const mib = 1 << 20
	found := map[string]diagnose.Step{}
	for _, step := range ladder {
		found[step.Step] = step
	}
	volume, pool := found[diagnose.StepVolume], found[diagnose.StepPool]
	if share.Throughput != fleet.Value(want.mibps*mib) || !(volume.Capacity == share.Throughput || volume.Capacity == share.BurstLimit() || volume.Capacity == share.IOPS) {
		return fmt.Sprintf("the share may move %v, the ladder says %+v", share.Throughput, volume)
	}
	if account := share.Of.Limits; account.Throughput != fleet.Value(want.account*mib) || !(pool.Capacity == account.Throughput || pool.Capacity == account.Operations) {
		return fmt.Sprintf("the account may move %v, the ladder says %+v", account.Throughput, pool)
	}
	if !volume.Load.Known() || !volume.Utilisation.Known() {
		return fmt.Sprintf("the ladder says %+v", volume)
	}
	return ""
}
