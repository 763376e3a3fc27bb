package nab

import (
	"archive/tar"
	"compress/gzip"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/baseline"
)

// floor is what the detector has to reach in the standard profile, each category at a threshold chosen on the others.
const floor = 58

// TestBenchmark scores the baseline on the corpus that the environment variable NAB names: make bench-nab NAB=PATH.
func TestBenchmark(t *testing.T) {
	name := os.Getenv("NAB")
	if name == "" {
		t.Skip("NAB names no corpus (https://github.com/numenta/NAB: its directory, or a tar.gz of data/ and labels/)")
	}
	files, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	scored := make([]Scored, len(files))
	samples := 0
	for i, file := range files {
		scored[i] = Scored{File: file, Scores: score(file)}
		samples += len(file.Values)
	}
	t.Logf("%d series, %d samples", len(files), samples)
	for _, profile := range Profiles() {
		outcome := profile.Judge(scored)
		all := Sum(outcome.HeldOut)
		t.Logf("%-18s %.2f: %d of %d windows, %d false alarms (one threshold for all, chosen on the whole corpus: %.2f at %.1f)",
			profile.Name, all.Normalised(), all.Met, all.Windows, all.FalseAlarms, outcome.Best.Normalised(), outcome.BestAt)
		for _, category := range slices.Sorted(maps.Keys(outcome.HeldOut)) {
			part := outcome.HeldOut[category]
			t.Logf("    %-22s %d of %d windows, %d false alarms at %.1f", category, part.Met, part.Windows, part.FalseAlarms, outcome.Thresholds[category])
		}
		if profile.Name == "standard" && all.Normalised() < floor {
			t.Errorf("the standard profile gives %.2f, want %d at least", all.Normalised(), floor)
		}
	}
}

func score(file File) []float64 {
	scorer := baseline.NewScorer(file.Grain())
	scores := make([]float64, len(file.Values))
	for i, value := range file.Values {
		scores[i] = scorer.Score(file.Times[i], value)
	}
	return scores
}

const (
	sampleCSV    = "timestamp,value\n2014-04-01 00:00:00,1\n2014-04-01 00:05:00,2.5\n2014-04-01 00:10:00,-3\n2014-04-01 00:20:00,1e3\n"
	sampleLabels = `{"realThings/one.csv": [["2014-04-01 00:05:00.000000", "2014-04-01 00:10:00.000000"]]}`
)

func writeCorpus(t *testing.T, csv, labels string) string {
	t.Helper()
	directory := t.TempDir()
	for name, text := range map[string]string{"data/realThings/one.csv": csv, "data/README.md": "no series", labelsFile: labels} {
		file := filepath.Join(directory, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return directory
}

func TestLoad(t *testing.T) {
	directory := writeCorpus(t, sampleCSV, sampleLabels)
	for name, source := range map[string]string{"directory": directory, "archive": archive(t, directory)} {
		t.Run(name, func(t *testing.T) {
			files, err := Load(source)
			if err != nil {
				t.Fatal(err)
			}
			if len(files) != 1 {
				t.Fatalf("%d files, want 1", len(files))
			}
			file := files[0]
			if file.Category != "realThings" || file.Name != "one.csv" || !slices.Equal(file.Values, []float64{1, 2.5, -3, 1000}) ||
				!slices.Equal(file.Windows, []Window{{1, 2}}) || file.Grain() != 5*time.Minute {
				t.Errorf("%+v, grain %s", file, file.Grain())
			}
		})
	}
}

func TestLoadSaysWhatIsWrong(t *testing.T) {
	rows := []struct{ name, csv, labels, want string }{
		{"no number", "timestamp,value\n2014-04-01 00:00:00,many\n", sampleLabels, "data/realThings/one.csv: line 2"},
		{"no time", "timestamp,value\nyesterday,1\n", sampleLabels, "data/realThings/one.csv: line 2"},
		{"a label of another time", sampleCSV, strings.ReplaceAll(sampleLabels, "00:10:00", "00:11:00"), "no sample at 2014-04-01 00:11:00"},
		{"labels that are no JSON", sampleCSV, "{", labelsFile},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if _, err := Load(writeCorpus(t, row.csv, row.labels)); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%v, want %q in it", err, row.want)
			}
		})
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a corpus that is not there: no error")
	}
}

// archive packs a directory as tar.gz.
func archive(t *testing.T, directory string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "corpus.tar.gz")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	zipped := gzip.NewWriter(file)
	packed := tar.NewWriter(zipped)
	if err := packed.AddFS(os.DirFS(directory)); err != nil {
		t.Fatal(err)
	}
	for _, end := range []interface{ Close() error }{packed, zipped, file} {
		if err := end.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return name
}
