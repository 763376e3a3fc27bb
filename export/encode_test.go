package export

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/exp/api/remote"
	writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"
	"google.golang.org/protobuf/proto"

	"github.com/nasight/nasight/schema"
)

// Whatever the sample before had, and whatever the encoder wrote before, every series has its own labels.
func TestEncodeMixesNothingUp(t *testing.T) {
	alike := &schema.Family{Name: "a_total", Help: "One.", Labels: []string{"host", "export"}}
	turned := &schema.Family{Name: "b", Help: "Two.", Type: schema.Gauge, Labels: []string{"export", "host"}}
	without := &schema.Family{Name: "c", Help: "Three.", Type: schema.Gauge}
	samples := []schema.Sample{
		sample(alike, 1, "h", "/x"), sample(alike, 2, "h", "/x"), sample(alike, 3, "h", ""), sample(turned, 4, "h", "/x"), sample(turned, 5, "/x", "h"),
		sample(without, 6), sample(alike, 7, "", ""), sample(alike, 8, "h\xff", "/x"), sample(without, -1.5), sample(alike, 9, "h"),
	}
	want := []string{
		`{__name__="a_total", export="/x", host="h"} 1@1796040000000`, `{__name__="a_total", export="/x", host="h"} 2@1796040000000`,
		`{__name__="a_total", host="h"} 3@1796040000000`, `{__name__="b", export="h", host="/x"} 4@1796040000000`,
		`{__name__="b", export="/x", host="h"} 5@1796040000000`, `{__name__="c"} 6@1796040000000`, `{__name__="a_total"} 7@1796040000000`,
		"{__name__=\"a_total\", export=\"/x\", host=\"h\uFFFD\"} 8@1796040000000", `{__name__="c"} -1.5@1796040000000`,
		`{__name__="a_total", host="h"} 9@1796040000000`,
	}
	var writer encoder
	for range 2 {
		for _, protocol := range []string{ProtocolV1, ProtocolV2, ProtocolV1} {
			kind, message := writer.encode(protocol, samples)
			got, err := decode(bytes.NewReader(marshalled(t, message)), kind)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", protocol, diff)
			}
		}
		slices.Reverse(samples)
		slices.Reverse(want)
	}
}

// The generated type writes the same bytes.
func TestEncodeV2MakesTheBytesOfTheGeneratedType(t *testing.T) {
	kind, got := (&encoder{}).encode(ProtocolV2, []schema.Sample{sample(schema.CPUSeconds, 1.5, "client1", "busy"), sample(schema.CPUCores, -4, "client1")})
	want := &writev2.Request{
		Symbols: []string{
			"", schema.CPUSeconds.Help, "__name__", "nasight_cpu_seconds_total", "host", "client1", "mode", "busy", schema.CPUCores.Help, "nasight_cpu_cores",
		},
		Timeseries: []*writev2.TimeSeries{
			{
				LabelsRefs: []uint32{2, 3, 4, 5, 6, 7}, Samples: []*writev2.Sample{{Value: 1.5, Timestamp: noon.UnixMilli()}},
				Metadata: &writev2.Metadata{Type: writev2.Metadata_METRIC_TYPE_COUNTER, HelpRef: 1},
			},
			{
				LabelsRefs: []uint32{2, 9, 4, 5}, Samples: []*writev2.Sample{{Value: -4, Timestamp: noon.UnixMilli()}},
				Metadata: &writev2.Metadata{Type: writev2.Metadata_METRIC_TYPE_GAUGE, HelpRef: 8},
			},
		},
	}
	bytesOfType, err := proto.MarshalOptions{Deterministic: true}.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if kind != remote.WriteV2MessageType || !bytes.Equal(marshalled(t, got), bytesOfType) {
		t.Errorf("got  %q\nwant %q", marshalled(t, got), bytesOfType)
	}
}

func marshalled(t *testing.T, m message) []byte {
	t.Helper()
	data := make([]byte, m.Size())
	if n, err := m.MarshalToSizedBuffer(data); err != nil || n != len(data) {
		t.Fatalf("%d of %d bytes, %v", n, len(data), err)
	}
	return data
}
