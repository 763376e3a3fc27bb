package tcp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

const host = capturetest.Host

// collect runs a new collector once over a root and fails the test on an error.
func collect(t *testing.T, root collectors.Root) *capturetest.Sink {
	t.Helper()
	c, err := New(root, collectors.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return run(t, c)
}

func run(t *testing.T, c *Collector) *capturetest.Sink {
	t.Helper()
	sink := &capturetest.Sink{}
	if err := c.Collect(t.Context(), sink); err != nil {
		t.Fatal(err)
	}
	sink.Check(t)
	return sink
}

// expect compares one value; a negative want stands for absence.
func expect(t *testing.T, sink *capturetest.Sink, want float64, family *schema.Family, labels ...string) {
	t.Helper()
	got, ok := sink.Value(family, append([]string{host}, labels...)...)
	if !ok {
		got = -1
	}
	if got != want {
		t.Errorf("%s %q = %v, want %v", family.Name, labels, got, want)
	}
}

func newCollector(t *testing.T, settings collectors.Settings, sockets ...socket) *Collector {
	t.Helper()
	c, err := New(collectors.Root{Host: host}, settings)
	if err != nil {
		t.Fatal(err)
	}
	c.dump = serve(reply(sockets...))
	return c
}

func TestEntry(t *testing.T) {
	entry := Entry()
	if entry.Name != "tcp" || !entry.Default || entry.Interval != schema.HostGrain || entry.Help == "" {
		t.Errorf("entry %+v", entry)
	}
	if _, err := entry.New(collectors.Root{}, collectors.Settings{}); err != nil {
		t.Errorf("new: %v", err)
	}
}

func TestNewRefusesSettings(t *testing.T) {
	for name, settings := range map[string]collectors.Settings{
		"port 0":       {Ports: map[uint16]string{0: "nfs"}},
		"no protocol":  {Ports: map[uint16]string{2049: ""}},
		"negative cap": {SessionCap: -1},
	} {
		if _, err := Entry().New(collectors.Root{}, settings); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestNoSessionsNoData(t *testing.T) {
	c := newCollector(t, collectors.Settings{}, established("2049", "192.0.2.9:700", 1))
	sink := &capturetest.Sink{}
	if err := c.Collect(t.Context(), sink); !errors.Is(err, collectors.ErrNoData) {
		t.Errorf("error %v", err)
	}
	if text := sink.Text(); text != "" {
		t.Errorf("samples:\n%s", text)
	}
}

func TestRecordedWithoutIPv6File(t *testing.T) {
	root := collectors.Root{Host: host, Netlink: bundle(reply(established("700", "192.0.2.9:2049", 1)), nil)}
	expect(t, collect(t, root), 1, schema.EndpointSessions, "192.0.2.9", "nfs")
}

func TestRecordedWithoutFiles(t *testing.T) {
	c, err := New(collectors.Root{Host: host, Netlink: fstest.MapFS{}}, collectors.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	err = c.Collect(t.Context(), &capturetest.Sink{})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), IPv4.File()) {
		t.Errorf("error %v, want the missing file", err)
	}
}

func TestUnknownValuesAreAbsent(t *testing.T) {
	bare := established("700", "192.0.2.9:2049", 1)
	bare.info = nil
	old := established("701", "192.0.2.8:2049", 2)
	old.info = tcpInfo(104, map[field]uint64{fieldRTT: 2500, fieldTotalRetrans: 7})
	sink := run(t, newCollector(t, collectors.Settings{}, bare, old))
	want := `nasight_endpoint_sessions{host="client",server="192.0.2.8",protocol="nfs"} 1
nasight_endpoint_sessions{host="client",server="192.0.2.9",protocol="nfs"} 1
nasight_session_retransmits_total{host="client",server="192.0.2.8",protocol="nfs",session="192.0.2.1:701"} 7
nasight_session_rtt_seconds{host="client",server="192.0.2.8",protocol="nfs",session="192.0.2.1:701"} 0.0025
nasight_sessions_excess{host="client"} 0
`
	if got := sink.Text(); got != want {
		t.Errorf("samples:\n%swant:\n%s", got, want)
	}
}

func TestImplausibleValueCostsItself(t *testing.T) {
	s := established("700", "192.0.2.9:2049", 1)
	s.info = tcpInfo(232, map[field]uint64{fieldBytesAcked: 1<<64 - 5, fieldBytesReceived: 6, fieldBusyTime: 1 << 63})
	sink := run(t, newCollector(t, collectors.Settings{}, s))
	expect(t, sink, -1, schema.SessionAcked, "192.0.2.9", "nfs", "192.0.2.1:700")
	expect(t, sink, 6, schema.SessionReceived, "192.0.2.9", "nfs", "192.0.2.1:700")
	expect(t, sink, -1, schema.EndpointBusy, "192.0.2.9", "nfs")
	if sink.Skips["implausible_value"] != 1 {
		t.Errorf("skips %v", sink.Skips)
	}
}

func TestEndpointTakesEverySessionIntoAccount(t *testing.T) {
	first := established("700", "192.0.2.9:2049", 1)
	first.info = tcpInfo(232, map[field]uint64{
		fieldBusyTime: 1_500_000, fieldSegsOut: 10, fieldCwnd: 8, fieldDeliveryRate: 100, fieldMinRTT: 900,
	})
	second := established("701", "192.0.2.9:2049", 2)
	second.info = tcpInfo(232, map[field]uint64{
		fieldBusyTime: 500_000, fieldSegsOut: 5, fieldCwnd: 20, fieldDeliveryRate: 300, fieldMinRTT: 1100,
	})
	sink := run(t, newCollector(t, collectors.Settings{SessionCap: 1}, second, first))
	for family, want := range map[*schema.Family]float64{
		schema.EndpointSessions: 2, schema.EndpointBusy: 2, schema.EndpointSegmentsSent: 15,
		schema.EndpointCongestionWindow: 8, schema.EndpointDeliveryRate: 300, schema.EndpointLowestRTT: 0.0009,
		schema.EndpointReceiverLimited: 0,
	} {
		expect(t, sink, want, family, "192.0.2.9", "nfs")
	}
	expect(t, sink, 1, schema.SessionsExcess)
	if sink.Series(schema.SessionReceived) != 1 {
		t.Errorf("series beyond the cap:\n%s", sink.Text())
	}
}

// An incomplete reply still shows the sessions found, but no sums.
func TestIncompleteReply(t *testing.T) {
	c := newCollector(t, collectors.Settings{})
	whole := reply(established("700", "192.0.2.9:2049", 1), established("701", "192.0.2.9:2049", 2))
	c.dump = serve(whole[:len(whole)-40])
	sink := &capturetest.Sink{}
	if err := c.Collect(t.Context(), sink); !errors.Is(err, errIncomplete) {
		t.Errorf("error %v", err)
	}
	sink.Check(t)
	if sink.Series(schema.SessionReceived) != 1 || sink.Series(schema.EndpointSessions) != 0 {
		t.Errorf("samples:\n%s", sink.Text())
	}
	expect(t, sink, -1, schema.SessionsExcess)
}

func TestFailedFamilyIsAnError(t *testing.T) {
	c := newCollector(t, collectors.Settings{})
	refused := fmt.Errorf("refused: %w", fs.ErrPermission)
	c.dump = func(context.Context, Family, []uint16) ([]byte, error) { return nil, refused }
	err := c.Collect(t.Context(), &capturetest.Sink{})
	if collectors.ReasonOf(err) != collectors.ReasonPermission {
		t.Errorf("error %v", err)
	}
}

func TestDuplicateSessionsAreCounted(t *testing.T) {
	s := established("700", "192.0.2.9:2049", 1)
	sink := run(t, newCollector(t, collectors.Settings{}, s, s, s))
	expect(t, sink, 1, schema.EndpointSessions, "192.0.2.9", "nfs")
	if sink.Skips["duplicate_session"] != 2 {
		t.Errorf("skips %v", sink.Skips)
	}
}

func TestProtocolsOfOneServerAreApart(t *testing.T) {
	sink := run(t, newCollector(t, collectors.Settings{},
		established("700", "192.0.2.9:2049", 1), established("700", "192.0.2.9:445", 2), established("701", "192.0.2.9:3260", 3)))
	for _, protocol := range []string{"nfs", "smb", "iscsi"} {
		expect(t, sink, 1, schema.EndpointSessions, "192.0.2.9", protocol)
	}
}

// A server with many sessions leaves room for every other one, and the choice does not depend on the kernel's order.
func TestCapIsFairAndStable(t *testing.T) {
	var sockets []socket
	for i := range 300 {
		sockets = append(sockets, established(strconv.Itoa(700+i), "192.0.2.5:2049", uint64(i)))
	}
	for i := range 5 {
		sockets = append(sockets, established("700", fmt.Sprintf("192.0.2.%d:445", 6+i), uint64(1000+i)))
	}
	sink := run(t, newCollector(t, collectors.Settings{}, sockets...))
	expect(t, sink, 305-256, schema.SessionsExcess)
	for i := range 5 {
		expect(t, sink, 0, schema.SessionReceived, fmt.Sprintf("192.0.2.%d", 6+i), "smb", "192.0.2.1:700")
	}
	for i, j := 0, len(sockets)-1; i < j; i, j = i+1, j-1 {
		sockets[i], sockets[j] = sockets[j], sockets[i]
	}
	if again := run(t, newCollector(t, collectors.Settings{}, sockets...)); again.Text() != sink.Text() {
		t.Error("another order of the kernel gives other samples")
	}
}
