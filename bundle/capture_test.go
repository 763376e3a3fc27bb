package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/collectors/tcp"
	"github.com/nasight/nasight/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// modules is a modprobe.d directory.
func modules() fs.FS {
	return fstest.MapFS{
		"acme-nfs.conf": {Data: []byte("# acme\noptions nfs max_session_slots=180 \\\n nfs4_unique_id=acme-7\nalias acme nfs\n")},
		"zz.conf":       {Data: []byte("options nfs max_session_slots=64\n")},
	}
}

// recorded is a moment of a capture as the root of a further one.
func recorded(t testing.TB, scenario string) collectors.Root {
	t.Helper()
	b, err := Open(capturePath(scenario))
	if err != nil {
		t.Fatal(err)
	}
	root := b.Moments[1].Root
	root.Host, root.Modules = "client", modules()
	return root
}

// write records a root and opens what was recorded; it returns the bytes too.
func write(t testing.TB, c Capture) (*Bundle, []byte) {
	t.Helper()
	var out bytes.Buffer
	if err := c.Write(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	found, err := readArchive(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	b, err := assemble(found)
	if err != nil {
		t.Fatal(err)
	}
	return b, out.Bytes()
}

// collect runs every collector on a root and renders what each gave.
func collect(t testing.TB, root collectors.Root) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, entry := range list.Entries() {
		collector, err := entry.New(root, collectors.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		result := collectors.Once(t.Context(), collector, time.Unix(1000, 0))
		for _, sample := range result.Samples {
			found[sample.Family.Name+strings.Join(sample.Labels, "|")] = fmt.Sprint(sample.Value)
		}
		found[entry.Name+" skipped"] = fmt.Sprint(result.Skipped)
		found[entry.Name+" reason"] = reasonOf(result.Err)
	}
	return found
}

func reasonOf(err error) string {
	switch {
	case err == nil:
		return "none"
	case errors.Is(err, collectors.ErrNoData):
		return "no data"
	}
	return string(collectors.ReasonOf(err))
}

// Every collector finds the same in the recording as on the original, for each kernel.
func TestCaptureReplays(t *testing.T) {
	for _, scenario := range []string{
		"6.1/nfs-odd-paths-ipv6-v42-autofs-bind", "6.1/nfs-120-mounts", "6.1/iscsi-4sessions-read16", "6.12/smb-two-shares-two-servers",
		"6.12/nfs-v3-seqread16-nconnect4", "7.3/nfs-v41-session-slots8-randread64", "7.3/smb311-idle-4ch",
	} {
		t.Run(scenario, func(t *testing.T) {
			root := recorded(t, scenario)
			want := collect(t, root)
			progress := 0
			b, _ := write(t, Capture{
				Root: root, Entries: list.Entries(), Tool: "nasight 1.2.3", Moments: 2, Interval: time.Millisecond,
				Progress: func(moment int) { progress = moment },
			})
			if len(b.Moments) != 2 || len(b.Notes) > 0 || progress != 2 || b.Host != "client" || !strings.HasPrefix(b.Kernel, scenario[:3]) {
				t.Fatalf("%d moments, notes %q, progress %d, host %q, kernel %q", len(b.Moments), b.Notes, progress, b.Host, b.Kernel)
			}
			for _, moment := range b.Moments {
				if diff := cmp.Diff(want, collect(t, moment.Root)); diff != "" {
					t.Errorf("%s (-original +recording):\n%s", moment.Name, diff)
				}
			}
		})
	}
}

// The replies of a dump are recorded, and read by the collectors of the capture itself.
func TestCaptureDump(t *testing.T) {
	root := recorded(t, "7.3/nfs-v3-seqread16-nconnect16")
	reply, err := fs.ReadFile(root.Netlink, tcp.IPv4.File())
	if err != nil {
		t.Fatal(err)
	}
	want := collect(t, root)
	root.Netlink = nil
	capture := Capture{Root: root, Entries: list.Entries(), Moments: 1, Dump: func(context.Context) (map[string][]byte, error) {
		return map[string][]byte{tcp.IPv4.File(): reply}, fmt.Errorf("no IPv6: %w", fs.ErrPermission)
	}}
	b, _ := write(t, capture)
	if diff := cmp.Diff(want, collect(t, b.Moments[0].Root)); diff != "" {
		t.Errorf("(-original +recording):\n%s", diff)
	}
	want = map[string]string{"netlink": "permission: no IPv6: permission denied"}
	if diff := cmp.Diff(want, failures(t, b)); diff != "" {
		t.Errorf("errors.json (-want +got):\n%s", diff)
	}
	capture.Dump = nil
	b, _ = write(t, capture)
	if got := failures(t, b); !strings.HasPrefix(got["collector tcp"], "not_found: ") {
		t.Errorf("errors.json without a dump: %v", got)
	}
}

// failures are the first moment's errors.json.
func failures(t testing.TB, b *Bundle) map[string]string {
	t.Helper()
	data, err := fs.ReadFile(trees(b)["t0"], errorsName)
	if err != nil {
		t.Fatal(err)
	}
	var failed map[string]string
	if err := json.Unmarshal(data, &failed); err != nil {
		t.Fatal(err)
	}
	return failed
}

// collectorFunc is a collector of a test.
type collectorFunc func(ctx context.Context) error

func (f collectorFunc) Collect(ctx context.Context, sink collectors.Sink) error {
	sink.Add(schema.CPUCores, 1, "client")
	return f(ctx)
}

func entryOf(name string, f func(ctx context.Context, root collectors.Root) error) collectors.Entry {
	return collectors.Entry{Name: name, New: func(root collectors.Root, _ collectors.Settings) (collectors.Collector, error) {
		return collectorFunc(func(ctx context.Context) error { return f(ctx, root) }), nil
	}}
}

// host is a root with next to nothing in it.
func host() collectors.Root {
	return collectors.Root{
		Host:   "client",
		Procfs: denied{fstest.MapFS{"version": {Data: []byte("Linux version 6.12.1 (b@acme.example) #1\n")}, "denied": {}}},
		Sysfs:  fstest.MapFS{},
	}
}

// A collector that fails, panics or cannot be made is listed, and the capture goes on.
func TestCaptureGoesOn(t *testing.T) {
	unmakable := collectors.Entry{Name: "unmakable", New: func(collectors.Root, collectors.Settings) (collectors.Collector, error) {
		return nil, errors.New("session cap -1 is negative")
	}}
	entries := []collectors.Entry{
		unmakable,
		entryOf("denied", func(_ context.Context, root collectors.Root) error {
			_, err := collectors.Read(root.Procfs, "denied")
			return err
		}),
		entryOf("panics", func(context.Context, collectors.Root) error { panic("odd") }),
		entryOf("nothing", func(context.Context, collectors.Root) error { return collectors.ErrNoData }),
		entryOf("fine", func(_ context.Context, root collectors.Root) error {
			_, err := collectors.Read(root.Procfs, "version")
			return err
		}),
	}
	b, _ := write(t, Capture{Root: host(), Entries: entries, Moments: 1})
	want := map[string]string{
		"collector unmakable": "other: session cap -1 is negative", "collector panics": "other: panic: odd",
		"collector denied": "permission: read denied: open denied: permission denied", "/proc/denied": "permission: open denied: permission denied",
	}
	got := failures(t, b)
	if text, ok := got["collector panics"]; ok && strings.HasPrefix(text, "panic") {
		want["collector panics"] = "panic: panic: odd"
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors.json (-want +got):\n%s", diff)
	}
	if b.Kernel != "6.12.1" {
		t.Errorf("kernel %q", b.Kernel)
	}
	redacted, _ := write(t, Capture{Root: host(), Entries: entries, Moments: 1, Redact: true})
	want = map[string]string{"collector unmakable": "other", "collector panics": "panic", "collector denied": "permission"}
	if diff := cmp.Diff(want, failures(t, redacted)); diff != "" {
		t.Errorf("redacted errors.json (-want +got):\n%s", diff)
	}
}

// The moments start an interval apart, however long each takes, and none after the end.
func TestCaptureInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := entryOf("slow", func(context.Context, collectors.Root) error {
			time.Sleep(3 * time.Second)
			return nil
		})
		start := time.Now()
		b, _ := write(t, Capture{Root: host(), Entries: []collectors.Entry{slow}, Moments: 3, Interval: 10 * time.Second})
		if got := offsets(b); got != "t0+0 t1+10 t2+20" || time.Since(start) != 23*time.Second {
			t.Errorf("moments %s after %s", got, time.Since(start))
		}
	})
}

// An interrupted capture ends at once, says so and leaves nothing running, whether it waits, reads or dumps.
func TestCaptureInterrupted(t *testing.T) {
	waits := func(ctx context.Context, _ collectors.Root) error { <-ctx.Done(); return ctx.Err() }
	captures := map[string]Capture{
		"between moments": {Root: host(), Moments: 2, Interval: time.Hour},
		"reading":         {Root: host(), Moments: 1, Entries: []collectors.Entry{entryOf("waits", waits)}},
		"dumping": {Root: host(), Moments: 1, Dump: func(ctx context.Context) (map[string][]byte, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}},
	}
	for name, capture := range captures {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error)
				go func() { done <- capture.Write(ctx, io.Discard) }()
				synctest.Wait()
				start := time.Now()
				cancel()
				if err := <-done; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "capture moment") {
					t.Errorf("error %v", err)
				}
				if passed := time.Since(start); passed != 0 {
					t.Errorf("ended %s later", passed)
				}
			})
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (Capture{Root: host(), Moments: 1}).Write(ctx, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted before it began: error %v", err)
	}
}

// A collector that hangs costs its deadline and the moment is taken without it.
func TestCaptureHungCollector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		hangs := entryOf("hangs", func(context.Context, collectors.Root) error { <-release; return nil })
		start := time.Now()
		b, _ := write(t, Capture{Root: host(), Entries: []collectors.Entry{hangs}, Moments: 1})
		if got := failures(t, b)["collector hangs"]; !strings.HasPrefix(got, "timeout: ") || time.Since(start) != deadline {
			t.Errorf("errors.json says %q after %s", got, time.Since(start))
		}
		close(release)
	})
}

func TestCaptureRefuses(t *testing.T) {
	for _, moments := range []int{-1, 0, 101} {
		if err := (Capture{Root: host(), Moments: moments}).Write(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "1 to 100") {
			t.Errorf("%d moments: error %v", moments, err)
		}
	}
	full := errors.New("no space left")
	if err := (Capture{Root: host(), Moments: 1}).Write(t.Context(), failing{full}); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// What Open would refuse for its size is not written.
func TestCaptureKeepsToTheLimits(t *testing.T) {
	out := newWriter(io.Discard)
	data := make([]byte, maxMember)
	var err error
	for i := range maxTotal/maxMember + 1 {
		if err != nil {
			t.Fatalf("member %d: %v", i, err)
		}
		err = out.add(member{name: fmt.Sprintf("t0/proc/%d", i), data: data}, time.Unix(1000, 0))
	}
	if err == nil || !strings.Contains(err.Error(), "take fewer moments") {
		t.Errorf("error %v", err)
	}
}
