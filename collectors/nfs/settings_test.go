package nfs

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

func settingsOf(t *testing.T, files map[string]string, modules fs.FS) *recorder {
	t.Helper()
	files["proc/self/mountstats"] = statsOf("h:/a", "/a", 1)
	files["proc/self/mountinfo"] = infoOf("0:50", "h:/a", "/a")
	root := hostWith(files)
	root.Modules = modules
	return collect(t, root)
}

func TestSettings(t *testing.T) {
	r := settingsOf(t, map[string]string{
		"proc/" + slotTablePath: "128\n", "sys/" + sessionSlotsPath: "180\n",
		"sys/class/bdi/0:50/read_ahead_kb": "15360\n",
	}, nil)
	for family, want := range map[*schema.Family]float64{
		schema.NFSSlotTable: 128, schema.NFSSessionSlots: 180, schema.NFSReadAhead: 15360 << 10,
	} {
		if got := r.values(family, schema.Host); got["client"] != want {
			t.Errorf("%s is %v, not %v", family.Name, got, want)
		}
	}
}

func TestSessionSlotsOf63Are64(t *testing.T) {
	r := settingsOf(t, map[string]string{"sys/" + sessionSlotsPath: "63\n"}, nil)
	if got := r.values(schema.NFSSessionSlots); got[""] != 64 {
		t.Errorf("session slots %v", got)
	}
}

func TestMissingAndOddSettings(t *testing.T) {
	r := settingsOf(t, map[string]string{
		"sys/" + sessionSlotsPath: "many\n", "sys/class/bdi/0:50/read_ahead_kb": "9223372036854775807\n",
	}, nil)
	for _, family := range []*schema.Family{
		schema.NFSSlotTable, schema.NFSSessionSlots, schema.NFSSessionSlotsConfigured, schema.NFSReadAhead,
	} {
		if got := r.values(family); len(got) > 0 {
			t.Errorf("%s was made up: %v", family.Name, got)
		}
	}
	if diff := cmp.Diff(map[string]int{skipSetting: 1}, r.skipped); diff != "" {
		t.Error(diff)
	}
}

func TestConfiguredSessionSlots(t *testing.T) {
	const option = "options nfs max_session_slots="
	tests := map[string]struct {
		files   map[string]string
		want    map[string]float64
		skipped map[string]int
	}{
		"none":           {map[string]string{"nfs.conf": "options nfs nfs4_disable_idmapping=1\n"}, map[string]float64{}, nil},
		"one":            {map[string]string{"nfsclient.conf": option + "180\n"}, map[string]float64{"": 180}, nil},
		"among others":   {map[string]string{"a.conf": "# slots\noptions  nfs\tcallback_tcpport=5 max_session_slots=180 x=1\n"}, map[string]float64{"": 180}, nil},
		"over two lines": {map[string]string{"a.conf": "options nfs \\\n  max_session_slots=90"}, map[string]float64{"": 90}, nil},
		"in a comment":   {map[string]string{"a.conf": "#" + option + "180\n"}, map[string]float64{}, nil},
		"other module":   {map[string]string{"a.conf": "options nfsd max_session_slots=180\n"}, map[string]float64{}, nil},
		"other file":     {map[string]string{"a.conf.bak": option + "180\n"}, map[string]float64{}, nil},
		"last counts":    {map[string]string{"a.conf": option + "180\n" + option + "64\n", "b.conf": option + "128\n"}, map[string]float64{"": 128}, nil},
		"quoted":         {map[string]string{"a.conf": option + "\"180\"\n"}, map[string]float64{}, map[string]int{skipModuleOption: 1}},
		"quoted last":    {map[string]string{"a.conf": option + "180\n", "b.conf": option + "'90'\n"}, map[string]float64{}, map[string]int{skipModuleOption: 1}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			modules := fstest.MapFS{}
			for file, text := range test.files {
				modules[file] = &fstest.MapFile{Data: []byte(text)}
			}
			r := settingsOf(t, map[string]string{}, modules)
			if diff := cmp.Diff(test.want, r.values(schema.NFSSessionSlotsConfigured)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.skipped, r.skipped); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEntry(t *testing.T) {
	entry := Entry()
	if entry.Name != "nfs" || !entry.Default || entry.Interval != schema.HostGrain || entry.Help == "" {
		t.Errorf("entry %+v", entry)
	}
	collector, err := entry.New(hostOf(statsOf("h:/a", "/a", 1), ""), collectors.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{}
	if err := collector.Collect(t.Context(), r); err != nil || len(r.samples) == 0 {
		t.Errorf("%d samples, error %v", len(r.samples), err)
	}
}

// TestReadAheadIsReadAgain: a device that is new is read at once, one that is known after some runs, one that is gone
// is forgotten.
func TestReadAheadIsReadAgain(t *testing.T) {
	file := &fstest.MapFile{Data: []byte("128\n")}
	r := readAheads{sysfs: fstest.MapFS{"class/bdi/0:50/read_ahead_kb": file}}
	ask := func() Number {
		t.Helper()
		r.next()
		value, err := r.of("0:50", func(string, int) {})
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	if got := ask(); got != 128<<10 {
		t.Fatalf("read-ahead %v", got)
	}
	file.Data = []byte("15360\n")
	for run := 2; run < aheadRuns; run++ {
		if got := ask(); got != 128<<10 {
			t.Fatalf("run %d reads the file again: %v", run, got)
		}
	}
	if got := ask(); got != 15360<<10 {
		t.Errorf("read-ahead %v after %d runs", got, aheadRuns)
	}
	r.next() // a run without the mount
	file.Data = []byte("64\n")
	if got := ask(); got != 64<<10 {
		t.Errorf("read-ahead %v after the mount was away", got)
	}
}
