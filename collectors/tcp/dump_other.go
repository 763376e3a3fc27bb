//go:build !linux

package tcp

import (
	"context"
	"errors"
	"fmt"
	"runtime"
)

// Dump fails: socket diagnosis over netlink exists on Linux only. The error wraps errors.ErrUnsupported.
func Dump(_ context.Context, family Family, _ []uint16) ([]byte, error) {
	return nil, fmt.Errorf("list TCP sessions of %s: netlink socket diagnosis on %s: %w",
		family, runtime.GOOS, errors.ErrUnsupported)
}
