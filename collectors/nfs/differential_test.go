package nfs

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/prometheus/procfs"

	"github.com/nasight/nasight/collectors/internal/capturetest"
)

// TestAgreesWithProcfs parses every recorded and published file with the Prometheus parser as well. They have to agree
// on every number, apart from the differences that same describes.
func TestAgreesWithProcfs(t *testing.T) {
	for _, name := range captureNames(t) {
		t.Run(name, func(t *testing.T) {
			for _, at := range moments {
				data, err := fs.ReadFile(capturetest.Files(t, name, at), "proc/self/mountstats")
				if err != nil {
					t.Fatal(err)
				}
				compareWithProcfs(t, string(data))
			}
		})
	}
	files, err := filepath.Glob("testdata/mountstats/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("published files: %d, %v", len(files), err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) { compareWithProcfs(t, published(t, name[:len(name)-len(".txt")])) })
	}
}

func compareWithProcfs(t *testing.T, text string) {
	t.Helper()
	mounts, err := procfsMounts(filepath.Dir(filepath.Dir(writeProcess(t, []byte(text)))))
	if err != nil {
		t.Fatalf("procfs: %v", err)
	}
	var theirs []*procfs.Mount
	for _, mount := range mounts {
		if mount.Type == "nfs" || mount.Type == "nfs4" {
			theirs = append(theirs, mount)
		}
	}
	ours := parseAll(text, noSkip)
	if len(ours) != len(theirs) {
		t.Fatalf("%d mounts, procfs %d", len(ours), len(theirs))
	}
	for i := range ours {
		compareMount(t, &ours[i], theirs[i])
	}
}

func compareMount(t *testing.T, ours *Stanza, mount *procfs.Mount) {
	t.Helper()
	theirs, ok := mount.Stats.(*procfs.MountStatsNFS)
	if !ok {
		t.Fatalf("procfs has %T for %s", mount.Stats, mount.Device)
	}
	if string(ours.Source) != mount.Device || string(ours.MountPoint) != mount.Mount || string(ours.Type) != mount.Type {
		t.Errorf("%s on %s, procfs %s on %s", ours.Source, ours.MountPoint, mount.Device, mount.Mount)
	}
	compareOptions(t, Options(ours.Options), theirs.Opts)
	same(t, "age", ours.Age, uint64(theirs.Age.Seconds()))
	same(t, "bytes read", ours.Bytes[ServerReadBytes], theirs.Bytes.ReadTotal)
	same(t, "bytes written", ours.Bytes[ServerWriteBytes], theirs.Bytes.WriteTotal)
	same(t, "direct reads", ours.Bytes[DirectReadBytes], theirs.Bytes.DirectRead)
	same(t, "first event", ours.Events[0], theirs.Events.InodeRevalidate)
	same(t, "last event", ours.Events[len(ours.Events)-1], theirs.Events.PNFSWrite)
	if len(ours.Transports) != len(theirs.Transport) || len(ours.Operations) != len(theirs.Operations) {
		t.Fatalf("%d transports and %d operations, procfs %d and %d",
			len(ours.Transports), len(ours.Operations), len(theirs.Transport), len(theirs.Operations))
	}
	for i := range ours.Transports {
		compareTransport(t, &ours.Transports[i], &theirs.Transport[i])
	}
	for i := range ours.Operations {
		compareOperation(t, &ours.Operations[i], &theirs.Operations[i])
	}
}

// compareOptions: where the list of options goes on after a blank, procfs loses the rest.
func compareOptions(t *testing.T, ours Options, theirs map[string]string) {
	t.Helper()
	for name, want := range theirs {
		if got, ok := ours.Get(name); name != "" && (!ok || got != want) {
			t.Errorf("option %s is %q, procfs %q", name, got, want)
		}
	}
}

func compareTransport(t *testing.T, ours *Transport, theirs *procfs.NFSTransportStats) {
	t.Helper()
	if string(ours.Protocol) != theirs.Protocol {
		t.Errorf("protocol %s, procfs %s", ours.Protocol, theirs.Protocol)
	}
	for field, want := range [transportFields]uint64{
		theirs.Port, theirs.Bind, theirs.Connect, theirs.ConnectIdleTime, theirs.IdleTimeSeconds, theirs.Sends,
		theirs.Receives, theirs.BadTransactionIDs, theirs.CumulativeActiveRequests, theirs.CumulativeBacklog,
		theirs.MaximumRPCSlotsUsed, theirs.CumulativeSendingQueue, theirs.CumulativePendingQueue,
	} {
		same(t, theirs.Protocol, ours.Values[field], want)
	}
}

func compareOperation(t *testing.T, ours *Operation, theirs *procfs.NFSOperationStats) {
	t.Helper()
	if string(ours.Name) != theirs.Operation {
		t.Errorf("operation %s, procfs %s", ours.Name, theirs.Operation)
	}
	for field, want := range [operationFields]uint64{
		theirs.Requests, theirs.Transmissions, theirs.MajorTimeouts, theirs.BytesSent, theirs.BytesReceived,
		theirs.CumulativeQueueMilliseconds, theirs.CumulativeTotalResponseMilliseconds,
		theirs.CumulativeTotalRequestMilliseconds, theirs.Errors,
	} {
		same(t, theirs.Operation, ours.Values[field], want)
	}
}

// same compares a number. procfs gives 0 for a field that is not in the file (the connections of UDP, the slots of RDMA,
// the errors of version 1.0) and takes a sum that fell below zero for 1.8e19: Absent is right for both.
func same(t *testing.T, what string, ours Number, theirs uint64) {
	t.Helper()
	missing := !ours.Known() && (theirs == 0 || theirs >= uint64(Absent))
	if !missing && uint64(ours) != theirs {
		t.Errorf("%s is %d, procfs %d", what, ours, theirs)
	}
}

// TestProcfsGivesUp keeps in mind why the Prometheus parser is not used: one odd line costs it all mounts.
func TestProcfsGivesUp(t *testing.T) {
	odd := map[string]string{
		"a further event":     stanzaText("events:\t1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28"),
		"an unknown protocol": stanzaText("xprt:\tlocal 1 2 3 4 5 6 7 8 9 10 11 12"),
	}
	for name, text := range odd {
		t.Run(name, func(t *testing.T) {
			text := stanzaText("age:\t5", "per-op statistics", "READ: 1 2 3 4 5 6 7 8 9", "") + "\n" + text
			if mounts, err := procfsMounts(filepath.Dir(filepath.Dir(writeProcess(t, []byte(text))))); err == nil {
				t.Errorf("procfs reads it now: %d mounts", len(mounts))
			}
			if mounts := parseAll(text, noSkip); len(mounts) != 2 || mounts[0].Age != 5 {
				t.Errorf("%d mounts", len(mounts))
			}
		})
	}
}
