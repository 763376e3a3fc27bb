package azureapi

import (
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"
	"github.com/Azure/azure-sdk-for-go/sdk/monitor/query/azmetrics"
)

// Aggregation is which of a bucket's numbers is meant.
type Aggregation string

// The aggregations, as requests name them.
const (
	Total   Aggregation = "Total"
	Average Aggregation = "Average"
	Maximum Aggregation = "Maximum"
)

// MetricAnswer is what an answer says of one metric, whichever API it is of.
type MetricAnswer struct {
	Name, Code, Message string
	Series              []SeriesAnswer
}

// SeriesAnswer is one series: values of dimensions by their names in lower case, and its buckets.
type SeriesAnswer struct {
	Dimensions map[string]string
	Buckets    []Bucket
}

// Bucket is one bucket by the moment at which it begins. A number that is nil was not told: it is no zero.
type Bucket struct {
	Start                   *time.Time
	Total, Average, Maximum *float64
}

// Of is the number that an aggregation names.
func (b Bucket) Of(a Aggregation) *float64 {
	switch a {
	case Total:
		return b.Total
	case Average:
		return b.Average
	}
	return b.Maximum
}

// FromQuery takes an answer about one resource.
func FromQuery(answer azquery.Response) []MetricAnswer {
	var found []MetricAnswer
	for _, metric := range answer.Value {
		if metric == nil {
			continue
		}
		one := MetricAnswer{Code: Text(metric.ErrorCode), Message: Text(metric.ErrorMessage)}
		if metric.Name != nil {
			one.Name = nameOf(metric.Name.Value, metric.ID)
		} else {
			one.Name = nameOf(nil, metric.ID)
		}
		for _, series := range metric.TimeSeries {
			if series == nil {
				continue
			}
			s := SeriesAnswer{Dimensions: map[string]string{}}
			for _, dimension := range series.MetadataValues {
				if dimension != nil && dimension.Name != nil {
					s.Dimensions[strings.ToLower(Text(dimension.Name.Value))] = Text(dimension.Value)
				}
			}
			for _, value := range series.Data {
				if value != nil {
					s.Buckets = append(s.Buckets, Bucket{value.TimeStamp, value.Total, value.Average, value.Maximum})
				}
			}
			one.Series = append(one.Series, s)
		}
		found = append(found, one)
	}
	return found
}

// FromBatch takes an answer about one resource of several.
func FromBatch(answer azmetrics.MetricData) []MetricAnswer {
	var found []MetricAnswer
	for _, metric := range answer.Values {
		one := MetricAnswer{Code: Text(metric.ErrorCode), Message: Text(metric.ErrorMessage)}
		if metric.Name != nil {
			one.Name = nameOf(metric.Name.Value, metric.ID)
		} else {
			one.Name = nameOf(nil, metric.ID)
		}
		for _, series := range metric.TimeSeries {
			s := SeriesAnswer{Dimensions: map[string]string{}}
			for _, dimension := range series.MetadataValues {
				if dimension.Name != nil {
					s.Dimensions[strings.ToLower(Text(dimension.Name.Value))] = Text(dimension.Value)
				}
			}
			for _, value := range series.Data {
				s.Buckets = append(s.Buckets, Bucket{value.TimeStamp, value.Total, value.Average, value.Maximum})
			}
			one.Series = append(one.Series, s)
		}
		found = append(found, one)
	}
	return found
}

// nameOf is a metric's name, or the end of its id where an answer has no name.
func nameOf(name, id *string) string {
	if n := Text(name); n != "" {
		return n
	}
	whole := Text(id)
	return whole[strings.LastIndexByte(whole, '/')+1:]
}
