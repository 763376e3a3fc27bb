package gce

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator"
	"github.com/nasight/nasight/simulator/faults"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const host = capturetest.Host

// machine is a live root whose firmware says what machine it is.
func machine(name string) collectors.Root {
	return collectors.Root{Host: host, Procfs: fstest.MapFS{}, Sysfs: fstest.MapFS{productFile: &fstest.MapFile{Data: []byte(name + "\n")}}}
}

func emulator(t *testing.T, instance string) *simulator.Server {
	t.Helper()
	server, err := simulator.Start(t.Context(), simulator.Options{Instance: instance})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

func TestEntry(t *testing.T) {
	entry := Entry()
	if entry.Name != "gce" || !entry.Default || entry.Interval != time.Hour || entry.Help == "" {
		t.Errorf("entry %+v", entry)
	}
}

// The address comes from the variable that Google's libraries read.
func TestEmulatorByItsVariable(t *testing.T) {
	for instance, want := range map[string]string{
		"client-1": `zone="europe-west3-a",machine_type="n2-standard-32",nic_type="GVNIC"`,
		"client-2": `zone="us-central1-a",machine_type="e2-standard-4",nic_type=""`,
	} {
		t.Run(instance, func(t *testing.T) {
			t.Setenv(HostVariable, emulator(t, instance).HTTPAddress())
			collector, err := Entry().New(machine(product), collectors.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			sink := &capturetest.Sink{}
			if err := collector.Collect(t.Context(), sink); err != nil {
				t.Fatal(err)
			}
			sink.Check(t)
			if got, want := sink.Text(), fmt.Sprintf("nasight_gce_instance_info{host=%q,%s} 1\n", host, want); got != want || len(sink.Skips) > 0 {
				t.Errorf("samples:\n%swant:\n%sskips %v", got, want, sink.Skips)
			}
		})
	}
}

func TestFaultsOfTheEmulator(t *testing.T) {
	for kind, want := range map[faults.Kind]string{
		faults.Unavailable: "503", faults.Forbidden: "403", faults.TooManyRequests: "429", faults.Cut: "EOF",
	} {
		server := emulator(t, "client-1")
		if _, err := server.Inject(faults.Fault{Kind: kind, Method: "metadata", Skip: 1, Times: 1}); err != nil {
			t.Fatal(err)
		}
		sink := &capturetest.Sink{}
		collector := New(machine(product), server.HTTPAddress())
		if err := collector.Collect(t.Context(), sink); err == nil || !strings.Contains(err.Error(), want) || sink.Text() != "" {
			t.Errorf("%s: error %v and samples %q, want no sample and an error with %q", kind, err, sink.Text(), want)
		}
		if err := collector.Collect(t.Context(), sink); err != nil || sink.Series(schema.GCEInstanceInfo) != 1 {
			t.Errorf("%s has passed: error %v, samples %q", kind, err, sink.Text())
		}
	}
}

// Elsewhere the address may be another host's: it is never called.
func TestNothingIsCalledElsewhere(t *testing.T) {
	server := emulator(t, "client-1")
	recorded := machine(product)
	recorded.Netlink = fstest.MapFS{}
	for name, root := range map[string]collectors.Root{
		"another machine": machine("Virtual Machine"), "a name that begins alike": machine(product + " 2"), "no name": machine(""),
		"no firmware": {Host: host, Sysfs: fstest.MapFS{}}, "no sysfs": {Host: host}, "a recording of a Google machine": recorded,
	} {
		sink := &capturetest.Sink{}
		if err := New(root, server.HTTPAddress()).Collect(t.Context(), sink); !errors.Is(err, collectors.ErrNoData) || sink.Text() != "" {
			t.Errorf("%s: error %v and samples %q, want no data", name, err, sink.Text())
		}
	}
	if calls := server.Usage().Of("metadata"); calls != 0 {
		t.Errorf("%d calls, want none", calls)
	}
}

func TestFirmwareThatCannotBeRead(t *testing.T) {
	root := collectors.Root{Host: host, Sysfs: fstest.MapFS{productFile + "/directory": &fstest.MapFile{}}}
	if err := New(root, "192.0.2.1").Collect(t.Context(), &capturetest.Sink{}); err == nil || errors.Is(err, collectors.ErrNoData) {
		t.Errorf("error %v, want one that says what could not be read", err)
	}
}

// answers is a metadata server that says what the test wants, and what it was asked.
func answers(t *testing.T, answer http.HandlerFunc) *Collector {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return New(machine(product), server.Listener.Addr().String())
}

func say(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(flavour, google)
		_, _ = w.Write([]byte(text))
	}
}

func TestAnswersThatAreNoneOfGoogles(t *testing.T) {
	for name, row := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"no flavour": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("projects/1/zones/us-central1-a")) }, "lacks Metadata-Flavor: Google"},
		"another flavour": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(flavour, "Other")
			_, _ = w.Write([]byte("projects/1/zones/us-central1-a"))
		}, "not Google's"},
		"nothing there":   {http.NotFound, "neither zone nor machine type"},
		"sent elsewhere":  {http.RedirectHandler("http://192.0.2.1/", http.StatusFound).ServeHTTP, "302"},
		"a huge answer":   {say(strings.Repeat("a", longest+1)), "longer than 1024 bytes"},
		"an endless head": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("a", 4*longestHead)) }, "header"},
		"a page":          {say("<html><body>Log in first</body></html>"), "neither zone nor machine type"},
	} {
		t.Run(name, func(t *testing.T) {
			sink := &capturetest.Sink{}
			err := answers(t, row.answer).Collect(t.Context(), sink)
			if err == nil || !strings.Contains(err.Error(), row.want) || sink.Series(schema.GCEInstanceInfo) > 0 {
				t.Errorf("error %v and samples %q, want no sample and an error with %q", err, sink.Text(), row.want)
			}
		})
	}
}

func TestTheFlavourIsSent(t *testing.T) {
	var asked []string
	collector := answers(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get(flavour)+" "+r.URL.Path)
		say("projects/1/things/one")(w, r)
	})
	if err := collector.Collect(t.Context(), &capturetest.Sink{}); err != nil {
		t.Fatal(err)
	}
	for i, path := range facts() {
		if want := "Google /computeMetadata/v1/" + path; asked[i] != want {
			t.Errorf("asked %q, want %q", asked[i], want)
		}
	}
}

// A server that hangs costs the patience and no more, whoever waits.
func TestServerThatHangs(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	hasty := answers(t, hang)
	hasty.patience = 20 * time.Millisecond
	if err := hasty.Collect(t.Context(), &capturetest.Sink{}); collectors.ReasonOf(err) != collectors.ReasonTimeout {
		t.Errorf("error %v, want a timeout", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := answers(t, hang).Collect(ctx, &capturetest.Sink{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// A server that does not know a value, as that of a cluster's pods, costs that value.
func TestPartOfTheFacts(t *testing.T) {
	for name, row := range map[string]struct {
		zone, machine string
		want          [2]string
		skips         int
	}{
		"no machine type":      {"projects/1/zones/us-central1-a", "", [2]string{"us-central1-a", ""}, 0},
		"an odd zone":          {"projects/1/zones/", "projects/1/machineTypes/custom-4-8192-ext", [2]string{"", "custom-4-8192-ext"}, 1},
		"a zone of two lines":  {"us-central1-a\nus-central1-b", "projects/1/machineTypes/n2-standard-8", [2]string{"", "n2-standard-8"}, 1},
		"a line's end is none": {"projects/1/zones/us-south1-ai1b\r\n", "", [2]string{"us-south1-ai1b", ""}, 0},
	} {
		collector := answers(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/zone"):
				say(row.zone)(w, r)
			case strings.HasSuffix(r.URL.Path, "/machine-type") && row.machine != "":
				say(row.machine)(w, r)
			default:
				http.NotFound(w, r)
			}
		})
		sink := &capturetest.Sink{}
		if err := collector.Collect(t.Context(), sink); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, ok := sink.Value(schema.GCEInstanceInfo, host, row.want[0], row.want[1], ""); !ok || sink.Skips["odd_metadata_value"] != row.skips {
			t.Errorf("%s: samples %q, skips %v; want %q and %d skipped", name, sink.Text(), sink.Skips, row.want, row.skips)
		}
	}
}

func FuzzLastWord(f *testing.F) {
	for _, text := range []string{"projects/1/zones/us-central1-a", "GVNIC", "", "/", "a/\xff", "a/b c", "zones/" + strings.Repeat("a", longestWord+1), "é"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		word, ok := lastWord(text)
		switch {
		case !ok && word != "":
			t.Errorf("%q is odd and gives %q", text, word)
		case len(word) > longestWord || strings.ContainsFunc(word, strange):
			t.Errorf("%q gives %q", text, word)
		case word != "" && !strings.HasSuffix(strings.TrimSpace(text), word):
			t.Errorf("%q gives %q, which is not its end", text, word)
		case ok && word == "" && strings.TrimSpace(text) != "":
			t.Errorf("%q is taken for nothing", text)
		}
		if again, ok := lastWord(word); again != word || !ok {
			t.Errorf("%q gives %q, and that gives %q", text, word, again)
		}
	})
}
