package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden keeps what people and programs read.
func TestGolden(t *testing.T) {
	auto := manual(2560)
	auto.QoSType = "AUTO"
	refused, err := Build(auto, []Volume{steady("home", 900, 150)}, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*Plan{
		"example":    example(t),
		"short":      short(t),
		"infeasible": sharing{pool: 100, needs: []float64{10, 10}, current: []float64{50, 50}}.build(t),
		"unchanged":  sharing{pool: 300, needs: []float64{150, 120}, current: []float64{150, 120}}.build(t),
		"refused":    refused,
	} {
		var text bytes.Buffer
		if err := p.Text(&text); err != nil {
			t.Fatal(err)
		}
		data, err := json.MarshalIndent(p, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name+".txt", text.Bytes())
		golden(t, name+".json", append(data, '\n'))
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; make it with go test ./plan -update", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s changed (-want +got):\n%s", name, diff)
	}
}

// TestTextShowsNoControlCharacters: names come from a cloud, the text goes to a terminal.
func TestTextShowsNoControlCharacters(t *testing.T) {
	pool := manual(2560)
	pool.Name, pool.Project, pool.Location = "p\x1b]0;x\a", "q\r", "l\u202e"
	var volumes []Volume
	for i, name := range oddNames() {
		volumes = append(volumes, steady(name, 100, float64(i)))
	}
	volumes = append(volumes, steady("a b", 1, 1))
	p, err := Build(pool, volumes, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := p.Text(&text); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		if line = strings.TrimSuffix(line, "\n"); printable(line) != line {
			t.Errorf("%q", line)
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestTextReportsAFailedWrite(t *testing.T) {
	if err := short(t).Text(brokenPipe{}); !errors.Is(err, os.ErrClosed) || !strings.Contains(err.Error(), `"pool"`) {
		t.Errorf("got %v", err)
	}
}
