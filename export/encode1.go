package export

import "github.com/nasight/nasight/schema"

// Field numbers of prometheus.WriteRequest of remote write 1.0, its TimeSeries and Label.
const (
	v1Series  = 1
	v1Labels  = 1
	v1Samples = 2
	v1Name    = 1
	v1Value   = 2
)

// addV1 adds a series with one sample, in remote write 1.0.
func (e *encoder) addV1(sample *schema.Sample) {
	f := e.family(sample.Family, familyV1)
	e.encodeLabels(f.layout, sample, appendLabelV1)
	b := appendLength(e.series, v1Series, len(f.head)+len(e.labels)+sizeOfField(sizeOfSample(sample)))
	b = append(append(b, f.head...), e.labels...)
	e.series = appendSample(b, v1Samples, sample)
}

func familyV1(f *schema.Family) *encodedFamily {
	return &encodedFamily{layout: layoutOf(f), head: appendLabelV1(nil, nameLabel, f.Name)}
}

func appendLabelV1(b []byte, name, value string) []byte {
	b = appendLength(b, v1Labels, sizeOfField(len(name))+sizeOfField(len(value)))
	return appendText(appendText(b, v1Name, name), v1Value, value)
}
