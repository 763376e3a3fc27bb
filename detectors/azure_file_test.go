package detectors

import (
	"testing"

	"github.com/nasight/nasight/fleet"
)

// fileMinutes are so many minutes of a file's operations and MiB a second, the newest last.
func fileMinutes(operations, mibps []fleet.Value) []fleet.FileMinute {
	minutes := make([]fleet.FileMinute, len(operations))
	for i := range minutes {
		minutes[i] = fleet.FileMinute{Operations: operations[i], Throughput: fleet.Unknown}
		if mibps != nil {
			minutes[i].Throughput = mibps[i] * mebibyte
		}
	}
	return minutes
}

// §9: one file at 0.9 of what it may do in three of five minutes.
func TestJudgeFile(t *testing.T) {
	u := fleet.Unknown
	type values = []fleet.Value
	for name, row := range map[string]struct {
		media             string
		operations, mibps values
		fires, bytes      bool
	}{
		"three of five":                {"ssd", values{7200, 100, 7200, 0, 7200}, nil, true, false},
		"two of five":                  {"ssd", values{7200, 100, 7200, 0, 7199}, nil, false, false},
		"only the newest five":         {"ssd", values{8000, 8000, 8000, 1, 1, 1, 8000, 8000}, nil, false, false},
		"minutes that were not told":   {"ssd", values{u, 7300, u, 7300, u}, nil, false, false},
		"a sample of three minutes":    {"ssd", values{7300, 7300, 7300}, nil, true, false},
		"HDD":                          {"hdd", values{900, 900, 900}, nil, true, false},
		"HDD's limit is not SSD's":     {"ssd", values{900, 900, 900}, nil, false, false},
		"bytes of SSD":                 {"ssd", values{9, 9, 9}, values{922, 922, 922}, true, true},
		"bytes of SSD, not enough":     {"ssd", values{9, 9, 9}, values{921, 921, 921}, false, false},
		"bytes of HDD":                 {"hdd", values{9, 9, 9}, values{54, 54, 54}, true, true},
		"both: operations are named":   {"ssd", values{8000, 8000, 8000}, values{1024, 1024, 1024}, true, false},
		"a medium that is not known":   {"", values{9000, 9000, 9000}, values{9000, 9000, 9000}, false, false},
		"no log":                       {"ssd", nil, nil, false, false},
		"sampled, and nothing is done": {"ssd", values{0, 0, 0, 0, 0}, nil, false, false},
	} {
		verdict, bytes := JudgeFile(fileMinutes(row.operations, row.mibps), LimitsOfFile(row.media), DefaultSettings().Share)
		if (verdict.Severity == Warning) != row.fires || bytes != row.bytes {
			t.Errorf("%s: %+v, bytes %t", name, verdict, bytes)
		}
	}
}

func TestHotFileOfAShare(t *testing.T) {
	share := aShare("home")
	share.BusiestFile = fileMinutes([]fleet.Value{7600, 7600, 7600, 7600, 7600}, nil)
	share.Clients = []fleet.ShareClient{
		{Address: "192.0.2.1", Data: 7500, Other: 1, Concurrency: 12, Channels: 4, Files: 1},
		{Address: "192.0.2.2", Data: 90, Other: 5, Concurrency: 1, Channels: fleet.Unknown, Files: fleet.Unknown},
	}
	f := only(t, found(azureView(anAccount(share))), "hard_limit/file")
	if f.Severity != Warning || f.Resource != share.Identity {
		t.Errorf("%+v", f)
	}
	says(t, f, "One file of share home of account exampleaccount does 7600 op/s of the 8000 op/s", "on SSD", "those of 192.0.2.1", "StorageFileLogs", "Spread the work over several files")
	known := map[string]fleet.Value{}
	for _, e := range f.Evidence {
		known[e.Name] = e.Value
	}
	if known["channels of 192.0.2.1"] != 4 || known["requests under way of 192.0.2.1"] != 12 || known["distinct files in use by 192.0.2.1"] != 1 {
		t.Errorf("evidence is %v", known)
	}
}

// The channels of the log are no source of §3: they are evidence, and make no finding of their own.
func TestChannelsOfTheLogAreNoFinding(t *testing.T) {
	share := aShare("home")
	share.Clients = []fleet.ShareClient{{Address: "192.0.2.1", Data: 5000, Concurrency: 40, Channels: 8, Files: 1, Read: 1e7, Write: 1e7, Other: 0}}
	if list := found(azureView(anAccount(share))); len(list) != 0 {
		t.Errorf("found %v", names(list))
	}
}

// A client that tells no files has those of the log, where it is the only one on both sides.
func TestFilesOfTheLog(t *testing.T) {
	client := aClient(anEndpoint(aMount()))
	mount, share := client.Mounts[0], aShare("home")
	mountShare(share, mount)
	mount.FilesInUse, mount.Classes = fleet.Unknown, map[string]fleet.Class{"read": {Rate: 100}}
	share.Clients = []fleet.ShareClient{{Address: "192.0.2.1", Files: 1}}
	if got := filesInUse(client.Endpoints[0]); got != 1 {
		t.Errorf("%v files", got)
	}
	mount.FilesInUse = 3
	if got := filesInUse(client.Endpoints[0]); got != 3 {
		t.Errorf("the client itself tells of 3 files, got %v", got)
	}
	mount.FilesInUse, share.Clients = fleet.Unknown, append(share.Clients, fleet.ShareClient{Address: "192.0.2.2", Files: 1})
	if got := filesInUse(client.Endpoints[0]); got.Known() {
		t.Errorf("of two clients neither is known to be the host, got %v", got)
	}
}

// Who does the metadata operations is told by the log where no host does.
func TestMetadataClientOfTheLog(t *testing.T) {
	share := aShare("home")
	share.Load.Operations["Create"], share.Load.Operations["Read"] = 4_000, 500
	share.Clients = []fleet.ShareClient{{Address: "192.0.2.1", Other: 10, Data: 400}, {Address: "192.0.2.2", Other: 3_900, Data: 100}}
	says(t, only(t, found(azureView(anAccount(share))), "metadata_heavy/share"), "In the service's log most of it comes from 192.0.2.2")
}
