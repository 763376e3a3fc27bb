package detectors

import (
	"math"
	"strings"
	"testing"

	"github.com/nasight/nasight/fleet"
)

const kib = 1 << 10

// azureSSD is a share of an Azure account on SSD at 200 operations a second, of which only what a row names is known.
func azureSSD(channels, requests, size, files fleet.Value) ChannelLoad {
	return ChannelLoad{
		Channels: channels, Requests: requests, Size: size, Files: files, Operations: 200, Writes: 0, Asked: fleet.Unknown,
		Headroom: math.Inf(1), Provider: fleet.ProviderAzure, Dialect: "3.1.1",
	}
}

// The truth table of detectors.md §3, row by row, and both sides of each threshold. By A12 a Linux client underestimates the
// requests under way by up to 12 %: 7 stands for the 8 of the rule.
func TestChannelTable(t *testing.T) {
	with := func(load ChannelLoad, change func(*ChannelLoad)) ChannelLoad {
		change(&load)
		return load
	}
	missing := azureSSD(1, 32, 64*kib, 10)
	for _, row := range []struct {
		name      string
		load      ChannelLoad
		variant   string
		low, high float64
	}{
		{"row 1", azureSSD(4, 0.9, 4*kib, 1), VariantPenalty, 1, 1 / 0.9},
		{"row 2: q 1.5", azureSSD(4, 1.5, 8*kib, 3), VariantPenalty, 1, 1 / 0.9},
		{"row 3: q 1.6 is ambiguous", azureSSD(4, 1.6, 8*kib, 3), "", 0, 0},
		{"row 4: large requests on ten files are the exception", azureSSD(4, 1, 64*kib, 10), "", 0, 0},
		{"row 4 with one file", azureSSD(4, 1, 64*kib, 1), VariantPenalty, 1, 1 / 0.9},
		{"row 5: 16 KiB is not greater", azureSSD(4, 1, 16*kib, 10), VariantPenalty, 1, 1 / 0.9},
		{"row 5: requests of 16 KiB, some of them in one count alone", azureSSD(4, 1, 16*kib+1, 10), VariantPenalty, 1, 1 / 0.9},
		{"row 5 beyond 16 KiB", azureSSD(4, 1, 16.1*kib, 10), "", 0, 0},
		{"row 8: requests of 16 KiB, some of them in one count alone", azureSSD(4, 16, 16*kib+1, 1), VariantHotFile, 1, 1 / 0.9},
		{"row 6: files not known, withheld", azureSSD(4, 1, 64*kib, fleet.Unknown), "", 0, 0},
		{"files not known, small requests", azureSSD(4, 1, 8*kib, fleet.Unknown), VariantPenalty, 1, 1 / 0.9},
		{"size not known", azureSSD(4, 1, fleet.Unknown, 1), "", 0, 0},
		{"row 7: one hot file", azureSSD(4, 16, 8*kib, 1), VariantHotFile, 1, 1 / 0.9},
		{"row 7 with the files not known", azureSSD(4, 16, 8*kib, fleet.Unknown), "", 0, 0},
		{"row 7 with q 4", azureSSD(4, 4, 8*kib, 1), VariantHotFile, 1, 1 / 0.9},
		{"row 7 with q 3.9", azureSSD(4, 3.9, 8*kib, 1), "", 0, 0},
		{"row 8: one file, large requests", azureSSD(4, 16, 64*kib, 1), "", 0, 0},
		{"row 9", missing, VariantMissing, 2, 3},
		{"row 9 on Google Cloud", with(missing, func(l *ChannelLoad) { l.Provider = fleet.ProviderGCNV }), VariantMissing, 2, 2},
		{"row 9, service not known", with(missing, func(l *ChannelLoad) { l.Provider = fleet.ProviderUnknown }), VariantMissing, 1, 3},
		{"row 9 with the files not known", with(missing, func(l *ChannelLoad) { l.Files = fleet.Unknown }), VariantMissing, 2, 3},
		{"row 9 below 3.1.1 (A12)", with(missing, func(l *ChannelLoad) { l.Dialect = "3.0" }), "", 0, 0},
		{"row 9, dialect not known", with(missing, func(l *ChannelLoad) { l.Dialect = "" }), VariantMissing, 2, 3},
		{"row 9 on one small hot file", with(missing, func(l *ChannelLoad) { l.Files, l.Size = 1, 8*kib }), "", 0, 0},
		{"row 9 with q 7 (A12)", with(missing, func(l *ChannelLoad) { l.Requests = 7 }), VariantMissing, 2, 3},
		{"row 9 with q 6.9", with(missing, func(l *ChannelLoad) { l.Requests = 6.9 }), "", 0, 0},
		{"asked for and not had, q 4 (A6)", with(missing, func(l *ChannelLoad) { l.Requests, l.Asked = 4, 4 }), VariantMissing, 2, 3},
		{"asked for and not had, q 3.9", with(missing, func(l *ChannelLoad) { l.Requests, l.Asked = 3.9, 4 }), "", 0, 0},
		{"no channel is up", with(missing, func(l *ChannelLoad) { l.Channels = 0 }), "", 0, 0},
		{"channels not known", with(missing, func(l *ChannelLoad) { l.Channels = fleet.Unknown }), "", 0, 0},
		{"requests not known", with(missing, func(l *ChannelLoad) { l.Requests = fleet.Unknown }), "", 0, 0},
		{"row 10: writes, H 2.2", with(missing, func(l *ChannelLoad) { l.Writes, l.Headroom = 0.9, 2.2 }), VariantMissing, 2.2, 2.2},
		{"writes without a bound", with(missing, func(l *ChannelLoad) { l.Writes = 0.9 }), VariantMissing, 3, 4},
		{"row 11: HDD", with(missing, func(l *ChannelLoad) { l.HDD = true }), "", 0, 0},
		{"row 12", azureSSD(8, 32, 64*kib, 10), VariantTooMany, 0, 0},
		{"row 12 elsewhere", with(azureSSD(8, 32, 64*kib, 10), func(l *ChannelLoad) { l.Provider = fleet.ProviderGCNV }), "", 0, 0},
		{"four channels are right", azureSSD(4, 32, 64*kib, 10), "", 0, 0},
		{"row 13", azureSSD(2, 32, 64*kib, 10), VariantTooFew, 1, 2},
		{"three channels", azureSSD(3, 32, 64*kib, 10), VariantTooFew, 1, 4.0 / 3},
		{"row 14: q 6", azureSSD(1, 6, 64*kib, 10), "", 0, 0},
		{"row 15: 5 op/s", with(missing, func(l *ChannelLoad) { l.Operations = 5 }), "", 0, 0},
		{"20 op/s", with(missing, func(l *ChannelLoad) { l.Operations = 20 }), VariantMissing, 2, 3},
		{"operations not known", with(missing, func(l *ChannelLoad) { l.Operations = fleet.Unknown }), "", 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			verdicts := JudgeChannels(row.load, DefaultSettings().Multichannel)
			if len(verdicts) > 1 {
				t.Fatalf("got %+v", verdicts)
			}
			got := ChannelVerdict{}
			if len(verdicts) == 1 {
				got = verdicts[0]
			}
			if got.Variant != row.variant || math.Abs(got.Low-row.low) > 1e-9 || math.Abs(got.High-row.high) > 1e-9 {
				t.Errorf("got %+v, want %q %g to %g", got, row.variant, row.low, row.high)
			}
		})
	}
}

// Too many channels and work that has no use for them are two things.
func TestEightChannelsForOneThread(t *testing.T) {
	verdicts := JudgeChannels(azureSSD(8, 0.9, 4*kib, 1), DefaultSettings().Multichannel)
	if len(verdicts) != 2 || verdicts[0].Variant != VariantTooMany || verdicts[1].Variant != VariantPenalty {
		t.Errorf("got %+v", verdicts)
	}
}

// anSMBServer is a client with one share that reads 200 times a second over so many channels.
func anSMBServer(channels, requests fleet.Value) (*fleet.Client, *fleet.Endpoint) {
	share := aMount()
	share.Protocol, share.Export, share.Version = fleet.SMB, "projects", "3.1.1"
	share.Classes = map[string]fleet.Class{"read": {Rate: 200, RTT: requests / 200, Execute: requests / 200, Errors: 0}}
	share.ReadRate, share.WriteRate, share.FilesInUse = 200*64*kib, 0, 10
	channelsToIt := aTransport()
	channelsToIt.Protocol, channelsToIt.Version, channelsToIt.Count = fleet.SMB, "", channels
	channelsToIt.Rate, channelsToIt.RTT, channelsToIt.Execute = 200, requests/200, requests/200
	server := anEndpoint(share)
	server.Protocol, server.Transports = fleet.SMB, []*fleet.Transport{channelsToIt}
	server.SMB.Channels, server.SMB.Dialect, server.SMB.Concurrency = channels, "3.1.1", requests
	server.BaseLatency = 1 * ms
	return aClient(server), server
}

func TestChannelFindings(t *testing.T) {
	for _, row := range []struct {
		name     string
		channels fleet.Value
		requests fleet.Value
		change   func(*fleet.Client, *fleet.Endpoint)
		severity Severity
		says     string
		command  string
	}{
		{"smb_multichannel/missing", 1, 32, func(*fleet.Client, *fleet.Endpoint) {}, Info,
			"All 32 requests under way to 192.0.2.10 go over one channel.",
			"umount /mnt/a\nmount -t cifs -o vers=3.1.1,multichannel,max_channels=4,credentials=FILE //files.example.com/projects /mnt/a"},
		{"smb_multichannel/missing", 1, 32, func(_ *fleet.Client, e *fleet.Endpoint) { e.Baseline = 100 * ms }, Warning, "", ""},
		{"smb_multichannel/missing", 1, 32, func(_ *fleet.Client, e *fleet.Endpoint) {
			e.Mounts[0].ChannelsAsked, e.SMB.Multichannel = 4, "false"
		}, Info, "The mount asks for 4 channels. The server does not offer multichannel.", ""},
		{"smb_multichannel/missing", 1, 32, func(_ *fleet.Client, e *fleet.Endpoint) {
			e.Mounts[0].ChannelsAsked, e.SMB.ServerRSS = 4, "false"
		}, Info, "The server's interface has no RSS", ""},
		{"smb_multichannel/missing", 1, 32, func(c *fleet.Client, e *fleet.Endpoint) {
			c.SMB.Windows, e.SMB.ClientRSS, e.Mounts[0].MountPoints = true, "false", nil
		}, Info, "The client's interface has no RSS", "Enable-NetAdapterRss -Name INTERFACE"},
		{"smb_multichannel/missing", 1, 32, func(_ *fleet.Client, e *fleet.Endpoint) { e.Provider = fleet.ProviderAzure }, Info, "",
			"# Not ready to run: neither the storage account nor"},
		{"smb_multichannel/too_few", 2, 32, func(*fleet.Client, *fleet.Endpoint) {}, Info, "Only 2 channels to 192.0.2.10 are open with 32 requests under way.", ""},
		{"smb_multichannel/too_many", 8, 32, func(_ *fleet.Client, e *fleet.Endpoint) { e.Provider = fleet.ProviderAzure }, Warning,
			"8 channels to 192.0.2.10 are open", "Set-SmbClientConfiguration -ConnectionCountPerRssNetworkInterface 2"},
		{"smb_multichannel/single_thread_penalty", 4, 0.9, func(_ *fleet.Client, e *fleet.Endpoint) { e.Mounts[0].FilesInUse = 1 }, Info,
			"The work on 192.0.2.10 has 0.9 requests under way at a time: its 4 channels cannot help it", ""},
		{"smb_multichannel/hot_file", 4, 16, func(_ *fleet.Client, e *fleet.Endpoint) {
			e.Mounts[0].FilesInUse, e.Mounts[0].ReadRate = 1, 200*8*kib
		}, Info, "200 op/s to 192.0.2.10 go to one file in pieces of 8 KiB", ""},
	} {
		for profile, settings := range profiles() {
			client, server := anSMBServer(row.channels, row.requests)
			row.change(client, server)
			finding := only(t, Evaluate(aView(client), settings), row.name)
			if finding.Severity != row.severity || !strings.Contains(finding.Summary, row.says) {
				t.Errorf("%s (%s): %s, %q; want %s, %q", row.name, profile, finding.Severity, finding.Summary, row.severity, row.says)
			}
			if command := finding.Remedy[0].Command; !strings.HasPrefix(command, row.command) {
				t.Errorf("%s (%s): command %q, want it to begin with %q", row.name, profile, command, row.command)
			}
		}
	}
}

// The half hour's percentile decides in serve: without it nothing is said, whatever the last minute was like.
func TestChannelsWaitForHalfAnHour(t *testing.T) {
	client, server := anSMBServer(1, 32)
	server.SMB.Concurrency = fleet.Unknown
	if got := names(Evaluate(aView(client), DefaultSettings())); len(got) != 0 {
		t.Errorf("found %v", got)
	}
}

// Where the files in use are not known one hot file is not ruled out.
func TestUnknownFilesCostConfidence(t *testing.T) {
	client, server := anSMBServer(1, 32)
	known := only(t, Evaluate(aView(client), DefaultSettings()), "smb_multichannel/missing").Confidence
	server.Mounts[0].FilesInUse = fleet.Unknown
	if got := only(t, Evaluate(aView(client), DefaultSettings()), "smb_multichannel/missing").Confidence; got >= known {
		t.Errorf("confidence %v without the files, %v with them", got, known)
	}
}

// Files are counted at one moment and work over a window: a share that moves data and tells of no file hides one.
func TestFilesOfEveryShareCount(t *testing.T) {
	for _, row := range []struct {
		first, second fleet.Value
		want          fleet.Value
	}{{1, 2, 3}, {1, fleet.Unknown, fleet.Unknown}, {1, 0, fleet.Unknown}} {
		_, server := anSMBServer(4, 1)
		_, other := anSMBServer(4, 1)
		server.Mounts[0].FilesInUse, other.Mounts[0].FilesInUse = row.first, row.second
		server.Mounts = append(server.Mounts, other.Mounts[0])
		if got := filesInUse(server); got != row.want && (got.Known() || row.want.Known()) {
			t.Errorf("%v and %v files: %v in use, want %v", row.first, row.second, got, row.want)
		}
		other.Mounts[0].Classes = map[string]fleet.Class{"read": {Rate: 0}}
		if got := filesInUse(server); got != row.first {
			t.Errorf("%v files beside an idle share: %v in use", row.first, got)
		}
	}
}

// The evidence shows the threshold that was applied (A6).
func TestThresholdOfAMountThatAskedForMore(t *testing.T) {
	client, server := anSMBServer(1, 5)
	server.Mounts[0].ChannelsAsked = 4
	for _, e := range only(t, Evaluate(aView(client), DefaultSettings()), "smb_multichannel/missing").Evidence {
		if e.Name == "requests under way" && e.Threshold != ">= 4" {
			t.Errorf("evidence %+v", e)
		}
	}
}

func TestSMBHasNoSlots(t *testing.T) {
	client, server := anSMBServer(1, 200)
	client.Settings.SlotTable, server.Transports[0].Slots = 128, 128
	for _, name := range names(Evaluate(aView(client), DefaultSettings())) {
		if strings.HasPrefix(name, "session_saturated/slots") {
			t.Errorf("found %s: SMB has no slots", name)
		}
	}
	server.Provider = fleet.ProviderGCNV
	if load := newPass(aView(client), DefaultSettings()).budgets; len(load) != 0 {
		t.Errorf("SMB channels count in the slot budget of NFS: %v", load)
	}
}
