package envelope

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs; if that is meant, run with -update:\n%s", path, diff)
	}
}

// rendered are the queries whose output is kept: measured, between blocks, stand-ins, caps, outside, large.
func rendered() map[string]Query {
	return map[string]Query{
		"extreme-64k":     {Protocol: NFSv3, Level: Extreme, BlockBytes: 64 * kib, ReadShare: .75},
		"smb-16k":         {Protocol: SMB, Level: Extreme, BlockBytes: 16 * kib, ReadShare: .625},
		"nfsv41-standard": {Protocol: NFSv41, Level: Standard, BlockBytes: 64 * kib, ReadShare: .3, CapacityGiB: 20 << 10},
		"iscsi-1m":        {Protocol: ISCSI, Level: FlexUnifiedCustom, BlockBytes: mib, ReadShare: 1},
		"flex-file-2k":    {Protocol: NFSv3, Level: FlexFileCustom, BlockBytes: 2 * kib, ReadShare: 0},
		"large":           {Protocol: NFSv3, Level: Extreme, BlockBytes: 64 * kib, ReadShare: .5, LargeCapacity: true},
	}
}

func TestGolden(t *testing.T) {
	for name, q := range rendered() {
		var text bytes.Buffer
		if err := load(t).Text(&text, q); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".txt", text.Bytes())
	}
	for _, name := range []string{"extreme-64k", "smb-16k"} {
		drawn, err := load(t).Plot(rendered()[name])
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name+".svg", drawn)
	}
}

type full struct{ error }

func (f full) Write([]byte) (int, error) { return 0, f.error }

func TestTextNamesAWriteError(t *testing.T) {
	err := load(t).Text(full{errTest}, rendered()["large"])
	if !errors.Is(err, errTest) || !strings.Contains(err.Error(), "write the ceiling of nfsv3 on extreme (large capacity)") {
		t.Errorf("error %v", err)
	}
}

// TestPlotStandsAlone: well-formed, named for screen readers, in both colour schemes, and nothing is fetched.
func TestPlotStandsAlone(t *testing.T) {
	for name, q := range rendered() {
		drawn, err := load(t).Plot(q)
		if err != nil {
			t.Fatal(err)
		}
		elements := map[string]int{}
		decoder := xml.NewDecoder(bytes.NewReader(drawn))
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if start, ok := token.(xml.StartElement); ok {
				elements[start.Name.Local]++
			}
		}
		if elements["title"] != 1 || elements["desc"] != 1 || elements["circle"] != 2 || elements["script"]+elements["image"]+elements["use"] != 0 {
			t.Errorf("%s: elements %v", name, elements)
		}
		for _, want := range []string{`role="img"`, `aria-labelledby="envelope-title envelope-desc"`, "prefers-color-scheme:dark", "Throughput, MiB/s",
			"Operations, op/s", "reads among the operations, %", "(asked)"} {
			if !strings.Contains(string(drawn), want) {
				t.Errorf("%s: no %q in it", name, want)
			}
		}
		if bytes.Contains(drawn, []byte("url(")) || bytes.Contains(drawn, []byte("href")) {
			t.Errorf("%s: refers to something outside", name)
		}
	}
}

var number = regexp.MustCompile(`-?\d+(?:\.\d+)?`)

// TestPlotStaysInItsPanels: every point of a curve, the mark and the band lie inside a diagram.
func TestPlotStaysInItsPanels(t *testing.T) {
	for name, q := range rendered() {
		drawn, err := load(t).Plot(q)
		if err != nil {
			t.Fatal(err)
		}
		for tag := range strings.Lines(string(drawn)) {
			if !strings.HasPrefix(tag, "<polyline") && !strings.Contains(tag, `class="mark"`) && !strings.Contains(tag, `class="band"`) {
				continue
			}
			_, attributes, _ := strings.Cut(tag, `" `)
			values := number.FindAllString(attributes, -1)
			if strings.HasPrefix(tag, "<line") { // its attributes are called x1 and y2
				values = number.FindAllString(regexp.MustCompile(`[xy]\d`).ReplaceAllString(tag, ""), -1)
			}
			for i := 0; i+1 < len(values); i += 2 {
				x, y := parse(t, values[i]), parse(t, values[i+1])
				first := x >= panelLeft && x <= panelLeft+panelWidth
				second := x >= panelLeft+panelStep && x <= panelLeft+panelStep+panelWidth
				if !first && !second || y < panelTop || y > panelTop+panelHeight {
					if strings.HasPrefix(tag, "<circle") && i > 0 { // the radius
						continue
					}
					t.Errorf("%s: (%g, %g) lies outside, in %s", name, x, y, tag)
				}
			}
		}
	}
}

func parse(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		blockText(64 * kib): "64 KiB", blockText(mib): "1 MiB", blockText(500): "500 B", blockText(1536): "1.5 KiB", blockText(MaxBlockBytes): "16 MiB",
		percent(.75): "75 %", percent(.125): "12.5 %", percent(0): "0 %", percent(1. / 3): "33.3 %",
		grouped(1350000): "1,350,000", grouped(5237): "5,237", grouped(999.6): "1,000", grouped(123.4): "123", grouped(93.75): "93.8", grouped(0): "0", grouped(.00123): "0.00123",
		capacityText(1500): "1.465 TiB", capacityText(512): "512 GiB",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for v, want := range map[float64]float64{1: 1, 1.1: 1.5, 5237: 6000, 8.1: 10, 380000: 400000, .03: .03} {
		if got := roundUp(v); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("roundUp(%g) = %g, want %g", v, got, want)
		}
	}
}
