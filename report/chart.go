package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
	"time"

	"github.com/nasight/nasight/fleet"
)

// Charts are SVG within the page: they load nothing, take their colours from the page, and say in words what they show.

const (
	chartWidth  = 720.0
	chartHeight = 170.0
	chartLeft   = 76.0
	chartRight  = 8.0
	chartTop    = 10.0
	chartBottom = 22.0
)

// scale is where a value lies in a chart.
type scale struct{ most float64 }

func (s scale) y(v float64) float64 {
	return chartTop + (chartHeight-chartTop-chartBottom)*(1-v/s.most)
}

func (s scale) x(part float64) float64 {
	return chartLeft + (chartWidth-chartLeft-chartRight)*part
}

// rounded is a round number that is not below a value: what an axis ends with.
func rounded(value float64) float64 {
	if !(value > 0) {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(value)))
	for _, step := range []float64{1, 1.5, 2, 3, 4, 5, 6, 8, 10} {
		if step*unit >= value {
			return step * unit
		}
	}
	return 10 * unit
}

// chart draws the course of a service over the week.
func (w *Weekly) chart(line Line) template.HTML {
	const mebibyte = 1 << 20
	highest := 0.0
	for i := range line.Used {
		highest = math.Max(highest, math.Max(line.Used[i].Or(0), line.Granted[i].Or(0)))
	}
	s := scale{rounded(highest / mebibyte)}
	var b strings.Builder
	title := "Throughput of " + serviceName(line.Resource) + " in week " + w.Week.String()
	used, granted := known(line.Used), known(line.Granted)
	fmt.Fprintf(&b, `<svg class="chart" role="img" viewBox="0 0 %.0f %.0f" aria-label="%s">`, chartWidth, chartHeight,
		html.EscapeString(fmt.Sprintf("%s, hour by hour: used at most %s, granted at most %s.", title, rate(fleet.Quantile(1, used)), rate(fleet.Quantile(1, granted)))))
	for i := range 5 {
		value := s.most * float64(i) / 4
		fmt.Fprintf(&b, `<line class="grid" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/><text class="tick" text-anchor="end" x="%.1f" y="%.1f">%s MiB/s</text>`,
			chartLeft, chartWidth-chartRight, s.y(value), s.y(value), chartLeft-6, s.y(value)+4, axis(value))
	}
	for i := range 7 {
		at := w.From.Add(time.Duration(i) * day)
		fmt.Fprintf(&b, `<line class="grid" x1="%[1]f" x2="%[1]f" y1="%[2]f" y2="%[3]f"/><text class="tick" x="%.1[4]f" y="%.1[5]f">%[6]s</text>`,
			s.x(float64(i)/7), chartTop, chartHeight-chartBottom, s.x(float64(i)/7)+4, chartHeight-6, at.Format("Mon 2 Jan"))
	}
	area(&b, s, line.Used)
	path(&b, s, line.Used, "used")
	path(&b, s, line.Granted, "granted")
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // its texts are escaped above
}

func axis(value float64) string {
	if value == math.Trunc(value) {
		return grouped(value)
	}
	return fmt.Sprintf("%.3g", value)
}

func known(values []fleet.Value) []float64 {
	c := make(course, len(values))
	for i, value := range values {
		c[i] = float64(value)
	}
	return c.known()
}

// runs are the stretches of a line without a hole.
func runs(values []fleet.Value) [][2]int {
	var all [][2]int
	begun := -1
	for i := 0; i <= len(values); i++ {
		switch is := i < len(values) && values[i].Known(); {
		case is && begun < 0:
			begun = i
		case !is && begun >= 0:
			all, begun = append(all, [2]int{begun, i}), -1
		}
	}
	return all
}

func path(b *strings.Builder, s scale, values []fleet.Value, class string) {
	for _, run := range runs(values) {
		fmt.Fprintf(b, `<polyline class="%s" points="`, class)
		points(b, s, values, run)
		b.WriteString(`"/>`)
	}
}

func area(b *strings.Builder, s scale, values []fleet.Value) {
	for _, run := range runs(values) {
		at := func(i int) float64 { return s.x((float64(i) + 0.5) / float64(len(values))) }
		fmt.Fprintf(b, `<polygon class="area" points="%.1f,%.1f `, at(run[0]), s.y(0))
		points(b, s, values, run)
		fmt.Fprintf(b, `%.1f,%.1f"/>`, at(run[1]-1), s.y(0))
	}
}

func points(b *strings.Builder, s scale, values []fleet.Value, run [2]int) {
	for i := run[0]; i < run[1]; i++ {
		fmt.Fprintf(b, "%.1f,%.1f ", s.x((float64(i)+0.5)/float64(len(values))), s.y(float64(values[i])/(1<<20)))
	}
}

// bar draws what of a grant was used on the mean, at p99, and not at all.
func bar(row Row) template.HTML {
	if !row.Granted.Above(0) || !row.P99.Known() {
		return ""
	}
	part := func(v fleet.Value) float64 { return 100 * math.Min(1, math.Max(0, float64(v.Over(row.Granted)))) }
	text := fmt.Sprintf("%s used at p99, %s on the mean, of what is granted", percent(row.Use), percent(row.Mean.Over(row.Granted)))
	return template.HTML(fmt.Sprintf(`<svg class="bar" role="img" viewBox="0 0 100 10" preserveAspectRatio="none" aria-label="%s"><rect class="idle" width="100" height="10"/>`+ //nolint:gosec // numbers alone
		`<rect class="p99" width="%.1f" height="10"/><rect class="mean" width="%.1f" height="10"/></svg>`, html.EscapeString(text), part(row.P99), part(row.Mean)))
}
