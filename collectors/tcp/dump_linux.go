package tcp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"github.com/mdlayher/netlink"
)

const (
	sockDiag = 4 // NETLINK_SOCK_DIAG

	// The kernel makes the parts of a reply as large as the reader's buffer, up to 32 KiB.
	bufferSize = 64 << 10
)

// Dump asks the kernel for the established TCP sessions of its own network namespace whose remote port is one of
// ports (any port if there are none) and returns its reply: concatenated netlink messages, the last one of type done.
// The kernel compares the ports where it can, so the cost follows the sessions found. The error wraps
// fs.ErrPermission where the kernel or a sandbox refuses, fs.ErrNotExist where the kernel lacks socket diagnosis, and
// the context's error if that ended first.
func Dump(ctx context.Context, family Family, ports []uint16) ([]byte, error) {
	if !known(family) {
		return nil, fmt.Errorf("list TCP sessions of %s: %w", family, errors.ErrUnsupported)
	}
	reply, err := query(ctx, family, ports, portFilter(ports))
	if refusesFilter(err) {
		reply, err = query(ctx, family, ports, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("list TCP sessions of %s: %w", family, explain(err))
	}
	return reply, nil
}

// refusesFilter recognises a kernel that does not take the filter of a request.
func refusesFilter(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EOPNOTSUPP)
}

// query sends one request and collects the messages of the reply that are about ports.
func query(ctx context.Context, family Family, ports []uint16, filter []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	conn, err := netlink.Dial(sockDiag, &netlink.Config{MessageBufferSize: bufferSize})
	if err != nil {
		return nil, fmt.Errorf("open netlink socket: %w", err)
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	reply, err := exchange(conn, request(family, filter), ports)
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("%w (%w)", ctx.Err(), err)
	}
	return reply, err
}

func exchange(conn *netlink.Conn, data []byte, ports []uint16) ([]byte, error) {
	sent, err := conn.Send(netlink.Message{
		Header: netlink.Header{Type: kindDiag, Flags: netlink.Request | netlink.Dump},
		Data:   data,
	})
	if err != nil {
		return nil, err
	}
	wanted := func(port uint16) bool { return len(ports) == 0 || slices.Contains(ports, port) }
	var reply []byte
	for part, err := range conn.ReceiveIter() {
		if err != nil {
			return nil, err
		}
		if part.Header.Sequence != sent.Header.Sequence || part.Header.Type != kindDiag {
			continue
		}
		if _, matches, _ := parseSession(part.Data, wanted); matches {
			reply = appendMessage(reply, kindDiag, part.Header.Sequence, part.Header.PID, part.Data)
		}
	}
	return appendDone(reply, sent.Header.Sequence, sent.Header.PID), nil
}

// explain adds what to do about an error, and the class that it is counted under.
func explain(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("netlink socket diagnosis is refused (security module or sandbox): %w", err)
	case errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EAFNOSUPPORT):
		return fmt.Errorf("%w: a sandbox forbids AF_NETLINK (seccomp profile, RestrictAddressFamilies=): %w",
			fs.ErrPermission, err)
	case errors.Is(err, syscall.ENOENT):
		return fmt.Errorf("the kernel has no socket diagnosis of TCP (module tcp_diag): %w", err)
	case errors.Is(err, syscall.EPROTONOSUPPORT):
		return fmt.Errorf("%w: the kernel has no socket diagnosis (CONFIG_INET_DIAG): %w", fs.ErrNotExist, err)
	}
	return err
}
