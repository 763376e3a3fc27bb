package azurefiles

import (
	"fmt"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// BenchmarkConvert turns the answer about the operations of an account of 50 shares into points: three metrics, ten
// operations, the five minutes that a run reads.
func BenchmarkConvert(b *testing.B) {
	c := conversionOf(b, "operations", true)
	var answers []azureapi.MetricAnswer
	for _, r := range c.rows {
		one := azureapi.MetricAnswer{Name: r.metric, Code: "Success"}
		for share := range 50 {
			for _, api := range apiNames()[:10] {
				series := azureapi.SeriesAnswer{Dimensions: map[string]string{"fileshare": fmt.Sprintf("share%02d", share), "apiname": api}}
				for minute := range 5 {
					at, value := noon.Add(time.Duration(minute)*time.Minute), 100.0
					series.Buckets = append(series.Buckets, azureapi.Bucket{Start: &at, Total: &value, Average: &value, Maximum: &value})
				}
				one.Series = append(one.Series, series)
			}
		}
		answers = append(answers, one)
	}
	b.ReportAllocs()
	for b.Loop() {
		if f := c.convert(answers); len(f.points) != 1500 {
			b.Fatalf("%d series", len(f.points))
		}
	}
}
