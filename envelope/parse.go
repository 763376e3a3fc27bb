package envelope

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

const header = "protocol,service_level,pattern,block_kib,read_pct,read_mibps,write_mibps,read_iops,write_iops,clients,source"

const (
	columnProtocol = iota
	columnLevel
	columnPattern
	columnBlock
	columnShare
	columnReadMiBps
	columnWriteMiBps
	columnReadIOPS
	columnWriteIOPS
	columnClients
	columnSource
	columns
)

// The row of large-capacity volumes has neither block nor read share.
const (
	largeLevel   = "extreme_large_volume"
	largePattern = "eda_mixed"
)

const (
	maxTableBytes = 1 << 20 // the published table has 10 kB
	maxFigure     = 1e9     // no volume does a thousand million operations a second
)

// Parse reads a benchmark table: a header line, one row per measured cell, at most one row for large-capacity volumes.
// It is strict: every table of a (protocol, level, block) has each of the five read shares once, the two units of a row
// agree, the shares match the figures, every row names its source. The error names the line and the column.
func Parse(r io.Reader) (*Table, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxTableBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the envelope table: %w", err)
	}
	if len(text) > maxTableBytes {
		return nil, fmt.Errorf("read the envelope table: more than %d bytes", maxTableBytes)
	}
	table := &Table{}
	if err := table.rows(string(text)); err != nil {
		return nil, fmt.Errorf("read the envelope table: %w", err)
	}
	if err := table.join(); err != nil {
		return nil, fmt.Errorf("read the envelope table: %w", err)
	}
	return table, nil
}

func (t *Table) rows(text string) error {
	reader := csv.NewReader(strings.NewReader(text))
	reader.FieldsPerRecord = columns
	first, err := reader.Read()
	if err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if got := strings.Join(first, ","); got != header {
		return fmt.Errorf("header is %q, want %q", got, header)
	}
	for {
		row, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err // names its line; after it FieldPos may have none and panics
		}
		if err := t.row(row); err != nil {
			line, _ := reader.FieldPos(0)
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}

func (t *Table) row(row []string) error {
	if strings.TrimSpace(row[columnSource]) == "" {
		return errors.New("source is empty: every figure names its page")
	}
	if row[columnPattern] == largePattern {
		return t.largeRow(row)
	}
	cell, err := parseCell(row)
	if err != nil {
		return err
	}
	t.cells = append(t.cells, cell)
	return nil
}

func parseCell(row []string) (Cell, error) {
	cell := Cell{Protocol: row[columnProtocol], Level: row[columnLevel], Pattern: row[columnPattern],
		Clients: row[columnClients], Source: row[columnSource]}
	if err := cell.known(); err != nil {
		return Cell{}, err
	}
	var block, percent float64
	for _, column := range []struct {
		name string
		text string
		into *float64
	}{
		{"block_kib", row[columnBlock], &block}, {"read_pct", row[columnShare], &percent},
		{"read_mibps", row[columnReadMiBps], &cell.ReadMiBps}, {"write_mibps", row[columnWriteMiBps], &cell.WriteMiBps},
		{"read_iops", row[columnReadIOPS], &cell.ReadIOPS}, {"write_iops", row[columnWriteIOPS], &cell.WriteIOPS},
	} {
		value, err := figure(column.name, column.text)
		if err != nil {
			return Cell{}, err
		}
		*column.into = value
	}
	cell.BlockBytes, cell.ReadShare = block*kib, percent/100
	return cell, cell.consistent()
}

func (c Cell) known() error {
	if !slices.Contains(Protocols(), c.Protocol) {
		return fmt.Errorf("protocol %q is none of %s", c.Protocol, strings.Join(Protocols(), ", "))
	}
	if !slices.Contains(Levels(), c.Level) {
		return fmt.Errorf("service_level %q is none of %s", c.Level, strings.Join(Levels(), ", "))
	}
	if c.Pattern != "rand" && c.Pattern != "seq" {
		return fmt.Errorf("pattern %q is none of rand, seq, %s", c.Pattern, largePattern)
	}
	return nil
}

// consistent holds the row against itself: a slip of one digit or column shows here.
func (c Cell) consistent() error {
	if c.BlockBytes <= 0 || c.BlockBytes > MaxBlockBytes {
		return fmt.Errorf("block_kib %g is not above 0 and at most %d", c.BlockBytes/kib, MaxBlockBytes/kib)
	}
	if !slices.Contains(shares(), c.ReadShare) {
		return fmt.Errorf("read_pct %g is none of 0, 25, 50, 75, 100", 100*c.ReadShare)
	}
	if c.IOPS() <= 0 {
		return errors.New("read_iops and write_iops are both 0")
	}
	if share := c.ReadIOPS / c.IOPS(); math.Abs(share-c.ReadShare) > 0.01 {
		return fmt.Errorf("read_iops is %.1f %% of all, read_pct says %g", 100*share, 100*c.ReadShare)
	}
	if err := agree("read", c.ReadMiBps, c.ReadIOPS, c.BlockBytes); err != nil {
		return err
	}
	return agree("write", c.WriteMiBps, c.WriteIOPS, c.BlockBytes)
}

// agree allows for the rounding of the page: a tenth of a MiB/s and a thousandth.
func agree(side string, mibps, iops, block float64) error {
	if want := iops * block / mib; math.Abs(mibps-want) > 0.1+want/1000 {
		return fmt.Errorf("%s_mibps is %g, %s_iops x block_kib gives %.1f", side, mibps, side, want)
	}
	return nil
}

func (t *Table) largeRow(row []string) error {
	if t.large != nil {
		return fmt.Errorf("a second row of pattern %s", largePattern)
	}
	if row[columnProtocol] != NFSv3 || row[columnLevel] != largeLevel {
		return fmt.Errorf("pattern %s is for %s on %s, not for %q on %q", largePattern, NFSv3, largeLevel, row[columnProtocol], row[columnLevel])
	}
	mibps, err := figure("read_mibps", row[columnReadMiBps])
	if err != nil {
		return err
	}
	iops, err := figure("read_iops", row[columnReadIOPS])
	if err != nil {
		return err
	}
	if mibps <= 0 || iops <= 0 {
		return errors.New("read_mibps and read_iops must be above 0")
	}
	t.large = &Large{IOPS: iops, BytesPerSecond: mibps * mib, Clients: row[columnClients], Source: row[columnSource]}
	return nil
}

func figure(column, text string) (float64, error) {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || !(value >= 0 && value <= maxFigure) { // NaN fails both
		return 0, fmt.Errorf("%s %q is not a number from 0 to %g", column, text, maxFigure)
	}
	return value, nil
}

// join makes the curves: cells of one family, sorted by block, each block complete.
func (t *Table) join() error {
	if len(t.cells) == 0 {
		return errors.New("no measured cell in it")
	}
	byBlock := map[[2]string]map[float64][]Cell{}
	for _, cell := range t.cells {
		family := [2]string{cell.Protocol, cell.Level}
		if byBlock[family] == nil {
			byBlock[family] = map[float64][]Cell{}
			t.curves = append(t.curves, curve{protocol: cell.Protocol, level: cell.Level, clients: cell.Clients})
		}
		byBlock[family][cell.BlockBytes] = append(byBlock[family][cell.BlockBytes], cell)
	}
	for i := range t.curves {
		c := &t.curves[i]
		for block, cells := range byBlock[[2]string{c.protocol, c.level}] {
			c.blocks = append(c.blocks, block)
			if err := complete(cells); err != nil {
				return fmt.Errorf("%s, %g KiB: %w", c.name(), block/kib, err)
			}
		}
		slices.Sort(c.blocks)
		c.fill(byBlock[[2]string{c.protocol, c.level}])
	}
	return nil
}

// complete sorts the cells of a block by read share and says whether each share is there once, with one pattern.
func complete(cells []Cell) error {
	slices.SortFunc(cells, func(a, b Cell) int { return cmp.Compare(a.ReadShare, b.ReadShare) })
	found := make([]float64, len(cells))
	for i, cell := range cells {
		found[i] = cell.ReadShare
		if cell.Pattern != cells[0].Pattern {
			return fmt.Errorf("both patterns, %s and %s, at one block size", cells[0].Pattern, cell.Pattern)
		}
	}
	if !slices.Equal(found, shares()) {
		return fmt.Errorf("read shares are %v, want each of %v once", found, shares())
	}
	return nil
}

func (c *curve) fill(cells map[float64][]Cell) {
	for _, block := range c.blocks {
		times := make([]float64, len(cells[block]))
		for i, cell := range cells[block] {
			times[i] = microseconds / cell.IOPS()
		}
		c.times = append(c.times, times)
		c.pages = append(c.pages, cells[block][0].Page())
		c.patterns = append(c.patterns, cells[block][0].Pattern)
	}
}
