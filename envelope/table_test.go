package envelope

import (
	"math"
	"strings"
	"testing"
)

func load(t testing.TB) *Table {
	t.Helper()
	table, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestPublishedTable: the table in the program parses and is whole: 14 charts of five mixes and the large volume.
func TestPublishedTable(t *testing.T) {
	table := load(t)
	pages := map[string]int{}
	for _, cell := range table.Cells() {
		if !strings.HasPrefix(cell.Page(), "gcnv-benchmarks/"+cell.Protocol+"-"+cell.Level) {
			t.Errorf("%+v: page %q is not this family's", cell, cell.Page())
		}
		if cell.Clients != "6" {
			t.Errorf("%+v: want six clients", cell)
		}
		pages[cell.Page()]++
	}
	if len(table.Cells()) != 70 || len(pages) != 14 {
		t.Errorf("%d cells of %d charts, want 70 of 14", len(table.Cells()), len(pages))
	}
	for page, cells := range pages {
		if cells != 5 {
			t.Errorf("%s has %d cells, want 5", page, cells)
		}
	}
	large, ok := table.Large()
	if !ok || large.IOPS != 1_350_000 || large.BytesPerSecond != 21.5*1024*mib || page(large.Source) != "gcnv-benchmarks/eda" {
		t.Errorf("large volume %+v, want 1,350,000 op/s and 21.5 GiB/s", large)
	}
}

// TestCellsAreExact: at its knots the model is the table.
func TestCellsAreExact(t *testing.T) {
	table := load(t)
	for _, cell := range table.Cells() {
		got, err := table.Ceiling(Query{Protocol: cell.Protocol, Level: cell.Level, BlockBytes: cell.BlockBytes, ReadShare: cell.ReadShare})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.IOPS/cell.IOPS()-1) > 1e-12 {
			t.Errorf("%+v: %g op/s, want %g", cell, got.IOPS, cell.IOPS())
		}
		if math.Abs(got.BytesPerSecond/mib-cell.ReadMiBps-cell.WriteMiBps) > 0.2 { // the page rounds both
			t.Errorf("%+v: %g MiB/s", cell, got.BytesPerSecond/mib)
		}
		if got.Confidence != 1 || !got.ExactFamily || !got.BlockInside || got.Band != bandInside || got.Capped {
			t.Errorf("%+v: %+v is not an exact answer", cell, got)
		}
	}
}

func TestCellsAreACopy(t *testing.T) {
	table := load(t)
	table.Cells()[0].ReadIOPS = -1
	if table.Cells()[0].ReadIOPS <= 0 {
		t.Error("a caller can change the table")
	}
}

// small is a table of one family and block, as text, for tests that break one thing.
const small = header + `
nfsv3,extreme,rand,8,0,0,8,0,1024,6,p/a (x)
nfsv3,extreme,rand,8,25,2,6,256,768,6,p/a (x)
nfsv3,extreme,rand,8,50,4,4,512,512,6,p/a (x)
nfsv3,extreme,rand,8,75,6,2,768,256,6,p/a (x)
nfsv3,extreme,rand,8,100,8,0,1024,0,6,p/a (x)
`

const smallLarge = `nfsv3,extreme_large_volume,eda_mixed,,,100,,1000,,many,p/eda: up to
`

// TestParseIsStrict: each slip is refused with its line and column, and none is a panic.
func TestParseIsStrict(t *testing.T) {
	if _, err := Parse(strings.NewReader(small + smallLarge)); err != nil {
		t.Fatalf("the unbroken table: %v", err)
	}
	for name, c := range map[string]struct{ old, new, want string }{
		"header":        {"read_pct", "read", "header is"},
		"no rows":       {small[len(header):], "\n", "no measured cell"},
		"columns":       {"8,0,0,8,0,1024,6,p/a (x)", "8,0,0,8", "line 2"},
		"protocol":      {"nfsv3,extreme,rand,8,0,", "nfs9,extreme,rand,8,0,", `line 2: protocol "nfs9" is none of nfsv3, nfsv4.1, smb, iscsi`},
		"level":         {"extreme,rand,8,25", "extrem,rand,8,25", `line 3: service_level "extrem"`},
		"pattern":       {"rand,8,50", "zigzag,8,50", `line 4: pattern "zigzag"`},
		"block empty":   {"rand,8,0", "rand,,0", `block_kib ""`},
		"block zero":    {"rand,8,0", "rand,0,0", "block_kib 0"},
		"block huge":    {"rand,8,0", "rand,32768,0", "block_kib 32768"},
		"share":         {"rand,8,50", "rand,8,33", "read_pct 33"},
		"nan":           {"0,8,0,1024", "0,8,0,NaN", `write_iops "NaN"`},
		"infinite":      {"0,8,0,1024", "0,8,0,Inf", `write_iops "Inf"`},
		"negative":      {"0,8,0,1024", "0,8,0,-1024", `write_iops "-1024"`},
		"nothing":       {"0,8,0,1024", "0,0,0,0", "both 0"},
		"shares differ": {"2,6,256,768", "6,2,768,256", "read_iops is 75.0 % of all, read_pct says 25"},
		"units differ":  {"2,6,256,768", "2,60,256,768", "write_mibps is 60, write_iops x block_kib gives 6.0"},
		"no source":     {"1024,0,6,p/a (x)", "1024,0,6, ", "line 6: source is empty"},
		"missing share": {"nfsv3,extreme,rand,8,75,6,2,768,256,6,p/a (x)\n", "", "nfsv3/extreme, 8 KiB: read shares are [0 0.25 0.5 1]"},
		"double share":  {"rand,8,75,6,2,768,256", "rand,8,50,4,4,512,512", "read shares are [0 0.25 0.5 0.5 1]"},
		"share again":   {"rand,8,75,6,2,768,256", "rand,8,100,8,0,1024,0", "read shares are [0 0.25 0.5 1 1]"},
		"a pattern":     {"rand,8,75,6,2", "seq,8,75,6,2", "both patterns, rand and seq"},
		"quote":         {"p/a (x)\n", "\"p/a\n", "line"},
		"open quote":    {small[len(header)+1:] + smallLarge, "\"0000", "parse error on line 2"}, // FieldPos would panic
		"large twice":   {smallLarge, smallLarge + smallLarge, "a second row"},
		"large family":  {"nfsv3,extreme_large", "smb,extreme_large", "pattern eda_mixed is for"},
		"large empty":   {",,100,,1000", ",,,,1000", `read_mibps ""`},
		"large odd":     {",,100,,1000", ",,100,,x", `read_iops "x"`},
		"large zero":    {",,100,,1000", ",,0,,1000", "must be above 0"},
		"too long":      {"p/a (x)", "p/" + strings.Repeat("a", maxTableBytes), "more than 1048576 bytes"},
	} {
		broken := strings.Replace(small+smallLarge, c.old, c.new, 1)
		if broken == small+smallLarge {
			t.Fatalf("%s changes nothing", name)
		}
		if _, err := Parse(strings.NewReader(broken)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, c.want)
		}
	}
}

type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

func TestParseNamesAReadError(t *testing.T) {
	_, err := Parse(failing{errTest})
	if err == nil || !strings.Contains(err.Error(), "read the envelope table: "+errTest.Error()) {
		t.Errorf("error %v", err)
	}
}

func TestInterpolate(t *testing.T) {
	xs, ys := []float64{1, 2, 4}, []float64{10, 20, 0}
	for x, want := range map[float64]float64{0: 10, 1: 10, 1.5: 15, 2: 20, 3: 10, 4: 0, 9: 0} {
		if got := interpolate(xs, ys, x); got != want {
			t.Errorf("at %g: %g, want %g", x, got, want)
		}
	}
}
