package envelope

import (
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"
)

// The drawing's measures in pixels: two panels of one size beside each other, a title and a legend above them.
const (
	plotWidth, plotHeight   = 860, 412
	panelWidth, panelHeight = 330, 240
	panelTop                = 112
	panelLeft, panelStep    = 70, 430
	curveSteps              = 80 // points of a curve: lines in time per operation are bent in rates
)

// line is the ceiling of one block size over the read share.
type line struct {
	block    float64
	ceilings []Ceiling // at curveSteps+1 even read shares
}

// panel is one diagram: what it shows and in which unit.
type panel struct {
	title, unit string
	of          func(Ceiling) float64
	band        func(Ceiling) (low, high float64)
	top         float64 // upper end of the axis, in unit
	left        float64
}

// Plot draws MiB/s and IOPS over the read share, one line for each measured block size, with the query marked, as one
// SVG document that needs nothing beside it and follows the reader's light or dark setting.
func (t *Table) Plot(q Query) ([]byte, error) {
	at, err := t.Ceiling(q)
	if err != nil {
		return nil, err
	}
	lines, err := t.lines(q)
	if err != nil {
		return nil, err
	}
	d := &drawing{}
	d.open(q, at)
	d.legend(lines, q)
	for _, p := range panels() {
		p.top = p.reach(lines, at)
		d.axes(p)
		for i, l := range lines {
			d.curve(p, i, l)
		}
		d.mark(p, q, at)
	}
	d.WriteString("</svg>\n")
	return []byte(d.String()), nil
}

func panels() []panel {
	return []panel{
		{title: "Throughput", unit: "MiB/s", left: panelLeft,
			of:   func(c Ceiling) float64 { return c.BytesPerSecond / mib },
			band: func(c Ceiling) (float64, float64) { return c.Low / mib, c.High / mib }},
		{title: "Operations", unit: "op/s", left: panelLeft + panelStep,
			of: func(c Ceiling) float64 { return c.IOPS },
			band: func(c Ceiling) (float64, float64) {
				block := c.BytesPerSecond / c.IOPS
				return c.Low / block, c.High / block
			}},
	}
}

// lines are the measured blocks and, when it is none of them, the query's own.
func (t *Table) lines(q Query) ([]line, error) {
	c, _, err := t.family(q.Protocol, q.Level)
	if err != nil {
		return nil, err
	}
	blocks := slices.Clone(c.blocks)
	if !slices.Contains(blocks, q.BlockBytes) {
		blocks = append(blocks, q.BlockBytes)
	}
	var lines []line
	for _, block := range blocks {
		l := line{block: block}
		for i := range curveSteps + 1 {
			point := q
			point.BlockBytes, point.ReadShare = block, float64(i)/curveSteps
			ceiling, err := t.Ceiling(point)
			if err != nil {
				return nil, fmt.Errorf("draw %s: %w", point, err)
			}
			l.ceilings = append(l.ceilings, ceiling)
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// reach is the upper end of the axis: a round number above every point and the band.
func (p panel) reach(lines []line, at Ceiling) float64 {
	_, highest := p.band(at)
	for _, l := range lines {
		for _, c := range l.ceilings {
			highest = max(highest, p.of(c))
		}
	}
	return roundUp(highest)
}

// roundUp is the next number of the kind 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten.
func roundUp(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, step := range []float64{1, 1.5, 2, 3, 4, 5, 6, 8} {
		if v <= step*power {
			return step * power
		}
	}
	return 10 * power
}

func (p panel) x(share float64) float64 { return p.left + share*panelWidth }

func (p panel) y(v float64) float64 { return panelTop + panelHeight*(1-v/p.top) }

type drawing struct{ strings.Builder }

func (d *drawing) add(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder takes everything
	return b.String()
}

// words writes text at a place; anchor is start, middle or end.
func (d *drawing) words(class, anchor string, x, y float64, text string) {
	d.add(`<text class="%s" text-anchor="%s" x="%.1f" y="%.1f">%s</text>`, class, anchor, x, y, escaped(text))
}

func (d *drawing) open(q Query, at Ceiling) {
	d.add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="envelope-title envelope-desc">`,
		plotWidth, plotHeight, plotWidth, plotHeight)
	d.add(`<title id="envelope-title">%s</title>`, escaped("Ceiling of one volume: "+q.String()))
	d.add(`<desc id="envelope-desc">%s</desc>`, escaped(fmt.Sprintf("%s. Two diagrams over the share of reads, one line for each block size.", summary(at))))
	d.add("<style>%s</style>", style)
	d.add(`<rect class="ground" width="%d" height="%d"/>`, plotWidth, plotHeight)
	d.words("title", "start", 20, 28, q.String())
	d.words("small", "start", 20, 48, summary(at))
}

func summary(at Ceiling) string {
	return fmt.Sprintf("Ceiling %s MiB/s, %s op/s; band %s to %s MiB/s; confidence %.2f; from %s", grouped(at.BytesPerSecond/mib), grouped(at.IOPS),
		grouped(at.Low/mib), grouped(at.High/mib), at.Confidence, at.Family)
}

func (d *drawing) legend(lines []line, q Query) {
	x := 20.0
	for i, l := range lines {
		name := blockText(l.block)
		if l.block == q.BlockBytes {
			name += " (asked)"
		}
		d.add(`<line class="curve c%d" x1="%.1f" y1="70" x2="%.1f" y2="70"/>`, i, x, x+30)
		d.words("small", "start", x+36, 74, name)
		x += 60 + 7*float64(len(name))
	}
}

func (d *drawing) axes(p panel) {
	d.words("label", "start", p.left, panelTop-8, p.title+", "+p.unit)
	for i := range 6 {
		v := p.top * float64(i) / 5
		d.add(`<line class="grid" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, p.left, p.y(v), p.left+panelWidth, p.y(v))
		d.words("small", "end", p.left-6, p.y(v)+4, grouped(v))
	}
	for _, share := range shares() {
		d.add(`<line class="axis" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`, p.x(share), panelTop+panelHeight, p.x(share), panelTop+panelHeight+4)
		d.words("small", "middle", p.x(share), panelTop+panelHeight+18, percent(share))
	}
	d.add(`<line class="axis" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`, p.left, panelTop+panelHeight, p.left+panelWidth, panelTop+panelHeight)
	d.words("label", "middle", p.left+panelWidth/2, panelTop+panelHeight+38, "reads among the operations, %")
}

func (d *drawing) curve(p panel, class int, l line) {
	points := make([]string, len(l.ceilings))
	for i, c := range l.ceilings {
		points[i] = fmt.Sprintf("%.1f,%.1f", p.x(float64(i)/curveSteps), p.y(p.of(c)))
	}
	d.add(`<polyline class="curve c%d" points="%s"/>`, class, strings.Join(points, " "))
}

// mark shows the query with its band and value.
func (d *drawing) mark(p panel, q Query, at Ceiling) {
	low, high := p.band(at)
	x, y := p.x(q.ReadShare), p.y(p.of(at))
	d.add(`<line class="band" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, x, p.y(low), x, p.y(high))
	d.add(`<circle class="mark" cx="%.1f" cy="%.1f" r="5"/>`, x, y)
	anchor, side := "start", 10.0
	if q.ReadShare > 0.5 {
		anchor, side = "end", -10
	}
	d.words("value", anchor, x+side, y-8, grouped(p.of(at))+" "+p.unit)
}

// Colours keep a contrast of at least 3:1 against their ground; dashes tell the lines apart without colour.
const style = `
text{font-family:system-ui,sans-serif;fill:#1f2937}
.title{font-size:16px;font-weight:600}.label{font-size:13px}.small{font-size:12px}.value{font-size:13px;font-weight:600;paint-order:stroke;stroke:#ffffff;stroke-width:4px}
.ground{fill:#ffffff}.grid{stroke:#e5e7eb}.axis{stroke:#6b7280}
.curve{fill:none;stroke-width:2}
.c0{stroke:#1d4ed8}.c1{stroke:#b45309;stroke-dasharray:8 3}.c2{stroke:#047857;stroke-dasharray:3 3}.c3{stroke:#a21caf;stroke-dasharray:10 3 2 3}.c4{stroke:#4b5563;stroke-dasharray:1 3}
.band{stroke:#111827;stroke-width:2;opacity:.5}.mark{fill:#111827;stroke:#ffffff;stroke-width:2}
@media (prefers-color-scheme:dark){
text{fill:#e5e7eb}.value{stroke:#111827}
.ground{fill:#111827}.grid{stroke:#374151}.axis{stroke:#9ca3af}
.c0{stroke:#60a5fa}.c1{stroke:#fbbf24}.c2{stroke:#34d399}.c3{stroke:#e879f9}.c4{stroke:#d1d5db}
.band{stroke:#f9fafb}.mark{fill:#f9fafb;stroke:#111827}
}
`
