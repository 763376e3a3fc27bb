package tcp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

// pair opens a connection to a listener on an address of this machine and returns both its ends.
func pair(t *testing.T, address string) (local, remote *net.TCPAddr) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Skipf("this machine cannot listen on %s: %v", address, err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	client, err := new(net.Dialer).DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	exchangeBytes(t, client, server)
	return client.LocalAddr().(*net.TCPAddr), client.RemoteAddr().(*net.TCPAddr)
}

// exchangeBytes sends four bytes each way, so that the kernel has something to count.
func exchangeBytes(t *testing.T, client, server net.Conn) {
	t.Helper()
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		if _, err := way[0].Write([]byte("ping")); err != nil {
			t.Fatal(err)
		}
		if _, err := way[1].Read(make([]byte, 4)); err != nil {
			t.Fatal(err)
		}
	}
}

// skipIfRefused skips a test on machines whose sandbox or kernel lets nobody ask.
func skipIfRefused(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		t.Skipf("this machine does not answer socket diagnosis: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// On loopback both ends of a connection are sessions of this host; only the one towards the storage port counts.
func TestCollectLive(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		t.Run(address, func(t *testing.T) {
			local, remote := pair(t, address)
			ports := map[uint16]string{uint16(remote.Port): "nfs"}
			c, err := New(collectors.Root{Host: host}, collectors.Settings{Ports: ports})
			if err != nil {
				t.Fatal(err)
			}
			sink := &capturetest.Sink{}
			skipIfRefused(t, c.Collect(t.Context(), sink))
			sink.Check(t)
			expect(t, sink, 1, schema.EndpointSessions, remote.IP.String(), "nfs")
			expect(t, sink, 4, schema.SessionReceived, remote.IP.String(), "nfs", local.String())
			if rtt, ok := sink.Value(schema.EndpointLowestRTT, host, remote.IP.String(), "nfs"); !ok || rtt <= 0 || rtt > 1 {
				t.Errorf("lowest round trip %v, %v", rtt, ok)
			}
		})
	}
}

// The kernel itself must drop the sessions to other ports, and without a filter the same sessions must be left.
func TestDumpFilters(t *testing.T) {
	local, remote := pair(t, "127.0.0.1:0")
	port := uint16(remote.Port)
	for name, dump := range map[string]func() ([]byte, error){
		"filter":          func() ([]byte, error) { return Dump(t.Context(), IPv4, []uint16{1, port, 65535}) },
		"filter only":     func() ([]byte, error) { return query(t.Context(), IPv4, nil, portFilter([]uint16{port})) },
		"no filter":       func() ([]byte, error) { return query(t.Context(), IPv4, []uint16{port}, nil) },
		"too many ports":  func() ([]byte, error) { return Dump(t.Context(), IPv4, append(make([]uint16, 300), port)) },
		"refused filters": func() ([]byte, error) { return refusedFilter(t.Context(), port) },
	} {
		recorded, err := dump()
		skipIfRefused(t, err)
		sessions, odd, err := parse(recorded, anyPort)
		if err != nil || odd != 0 || len(sessions) != 1 || sessions[0].local.String() != local.String() {
			t.Errorf("%s: sessions %v, odd %d, error %v", name, sessions, odd, err)
		}
	}
}

// refusedFilter checks that a filter the kernel does not know is an error that Dump answers with no filter at all.
func refusedFilter(ctx context.Context, port uint16) ([]byte, error) {
	unknown := appendOp(nil, 200, opSize, opSize)
	if _, err := query(ctx, IPv4, []uint16{port}, unknown); !refusesFilter(err) {
		return nil, fmt.Errorf("unknown filter: error %w", err)
	}
	return Dump(ctx, IPv4, []uint16{port})
}

func TestDumpEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Dump(ctx, IPv4, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	late, cancelLate := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancelLate()
	_, err := Dump(late, IPv4, nil)
	if collectors.ReasonOf(err) != collectors.ReasonTimeout {
		t.Errorf("error %v is counted as %s", err, collectors.ReasonOf(err))
	}
}

func TestDumpUnknownFamily(t *testing.T) {
	if _, err := Dump(t.Context(), 1, nil); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("error %v", err)
	}
}

func TestExplain(t *testing.T) {
	cases := map[syscall.Errno]struct {
		reason collectors.Reason
		text   string
	}{
		syscall.EPERM:           {collectors.ReasonPermission, "refused"},
		syscall.EACCES:          {collectors.ReasonPermission, "refused"},
		syscall.ENOSYS:          {collectors.ReasonPermission, "seccomp"},
		syscall.EAFNOSUPPORT:    {collectors.ReasonPermission, "RestrictAddressFamilies="},
		syscall.ENOENT:          {collectors.ReasonNotFound, "tcp_diag"},
		syscall.EPROTONOSUPPORT: {collectors.ReasonNotFound, "CONFIG_INET_DIAG"},
		syscall.ENOBUFS:         {collectors.ReasonOther, "buffer"},
	}
	for number, want := range cases {
		err := explain(fmt.Errorf("receive: %w", os.NewSyscallError("recvmsg", number)))
		if reason := collectors.ReasonOf(err); reason != want.reason || !strings.Contains(err.Error(), want.text) {
			t.Errorf("%v is counted as %s, want %s with %q", err, reason, want.reason, want.text)
		}
		if !errors.Is(err, number) {
			t.Errorf("%v does not wrap error %d", err, number)
		}
	}
}

// The places of the fields are those of the structure that golang.org/x/sys generates from the kernel's headers.
func TestFieldsLieWhereTheKernelPutsThem(t *testing.T) {
	var i unix.TCPInfo
	for got, want := range map[field]uintptr{
		fieldRTT:           unsafe.Offsetof(i.Rtt),
		fieldCwnd:          unsafe.Offsetof(i.Snd_cwnd),
		fieldTotalRetrans:  unsafe.Offsetof(i.Total_retrans),
		fieldBytesAcked:    unsafe.Offsetof(i.Bytes_acked),
		fieldBytesReceived: unsafe.Offsetof(i.Bytes_received),
		fieldSegsOut:       unsafe.Offsetof(i.Segs_out),
		fieldSegsIn:        unsafe.Offsetof(i.Segs_in),
		fieldNotSent:       unsafe.Offsetof(i.Notsent_bytes),
		fieldMinRTT:        unsafe.Offsetof(i.Min_rtt),
		fieldDeliveryRate:  unsafe.Offsetof(i.Delivery_rate),
		fieldBusyTime:      unsafe.Offsetof(i.Busy_time),
		fieldRwndLimited:   unsafe.Offsetof(i.Rwnd_limited),
		fieldSndbufLimited: unsafe.Offsetof(i.Sndbuf_limited),
		fieldOutOfOrder:    unsafe.Offsetof(i.Rcv_ooopack),
	} {
		if uintptr(got.offset) != want {
			t.Errorf("field of %d bytes at %d, want %d", got.size, got.offset, want)
		}
	}
	if kindDiag != unix.SOCK_DIAG_BY_FAMILY ||
		sockDiag != unix.NETLINK_SOCK_DIAG {
		t.Error("a constant differs from the kernel's")
	}
}

func TestLiveReplyServesAsARecording(t *testing.T) {
	local, remote := pair(t, "127.0.0.1:0")
	recorded, err := Dump(t.Context(), IPv4, []uint16{uint16(remote.Port)})
	skipIfRefused(t, err)
	root := collectors.Root{Host: host, Netlink: bundle(recorded, nil)}
	c, err := New(root, collectors.Settings{Ports: map[uint16]string{uint16(remote.Port): "smb"}})
	if err != nil {
		t.Fatal(err)
	}
	sink := run(t, c)
	expect(t, sink, 1, schema.EndpointSessions, "127.0.0.1", "smb")
	expect(t, sink, 4, schema.SessionReceived, "127.0.0.1", "smb", "127.0.0.1:"+strconv.Itoa(local.Port))
}
