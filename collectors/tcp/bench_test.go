package tcp

import (
	"fmt"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// crowd is 100 servers with 16 sessions each.
func crowd() []byte {
	var sockets []socket
	for i := range 1600 {
		s := established(strconv.Itoa(700+i), fmt.Sprintf("192.0.2.%d:2049", i/16), uint64(i))
		s.info = tcpInfo(232, map[field]uint64{fieldRTT: 900, fieldMinRTT: 500, fieldBytesAcked: uint64(i), fieldCwnd: 10})
		sockets = append(sockets, s)
	}
	return reply(sockets...)
}

func BenchmarkParse1600(b *testing.B) {
	stored := crowd()
	b.SetBytes(int64(len(stored)))
	b.ReportAllocs()
	for b.Loop() {
		if sessions, _, err := parse(stored, anyPort); err != nil || len(sessions) != 1600 {
			b.Fatal(len(sessions), err)
		}
	}
}

func BenchmarkCollect1600(b *testing.B) {
	c, err := New(collectors.Root{Host: host, Netlink: bundle(crowd(), nil)}, collectors.Settings{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Collect(b.Context(), capturetest.Discard{}); err != nil {
			b.Fatal(err)
		}
	}
}

// Whatever a reply holds, no series comes twice and no label is missing.
func FuzzCollect(f *testing.F) {
	f.Add(reply(established("700", "192.0.2.9:2049", 1), established("700", "192.0.2.9:445", 2)))
	f.Add(reply(socket{family: IPv6, state: 1, local: "[fe80::1]:1", remote: "[fe80::2]:3260", number: 7, info: tcpInfo(99, nil)}))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := New(collectors.Root{Host: host, Netlink: bundle(data, data)}, collectors.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		sink := &capturetest.Sink{}
		if err := c.Collect(t.Context(), sink); err == nil && sink.Series(schema.EndpointSessions) == 0 {
			t.Error("no endpoint and no error")
		}
		sink.Check(t)
	})
}
