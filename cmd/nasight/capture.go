package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nasight/nasight/bundle"
	"github.com/nasight/nasight/collectors/tcp"
)

type captureCommand struct {
	hostFlags
	Out      string        `required:"" placeholder:"FILE.tar.gz" help:"Where the bundle is written; - for the standard output."`
	Duration time.Duration `default:"30s" help:"Time from the first moment to the last."`
	Moments  int           `default:"3" help:"How many moments are taken."`
	Redact   bool          `help:"Replace addresses, server names, exports, mount points and users."`
}

// Help shows examples below the flags.
func (captureCommand) Help() string {
	return `Examples:
  nasight capture --out client.tar.gz               record three moments over half a minute
  nasight capture --out client.tar.gz --redact      the same without names and addresses
  nasight check client.tar.gz                       examine it, here or elsewhere

Take it while the load runs. Nothing below a mount point is touched.`
}

// Run records and writes the bundle; an interrupted capture leaves no file behind.
func (c *captureCommand) Run(ctx context.Context, to streams) error {
	if c.Moments < 1 || c.Moments > 100 {
		return usageError("--moments=%d: between 1 and 100 moments can be taken", c.Moments)
	}
	if c.Duration < 0 || c.Duration > 24*time.Hour {
		return usageError("--duration=%s: between 0s and 24h", c.Duration)
	}
	capture, closeRoot, err := c.capture(to)
	if err != nil {
		return err
	}
	defer func() { _ = closeRoot() }()
	if c.Out == "-" {
		return capture.Write(ctx, to.out)
	}
	if err := writeFile(c.Out, func(w io.Writer) error { return capture.Write(ctx, w) }); err != nil {
		return collectError("write bundle %s: %w", c.Out, err)
	}
	fmt.Fprintf(to.err, "wrote %s\n", c.Out)
	return nil
}

func (c *captureCommand) capture(to streams) (bundle.Capture, func() error, error) {
	options, err := c.hostOptions()
	if err != nil {
		return bundle.Capture{}, nil, err
	}
	root, closeRoot, err := c.root()
	if err != nil {
		return bundle.Capture{}, nil, err
	}
	capture := bundle.Capture{
		Root: root, Entries: options.Entries, Settings: options.Collectors, Tool: "nasight " + version(),
		Moments: c.Moments, Interval: c.Duration / time.Duration(max(1, c.Moments-1)), Redact: c.Redact,
	}
	if root.Netlink == nil {
		capture.Dump = dump(options.Collectors.Ports)
	}
	if isTerminal(to.err) {
		capture.Progress = func(moment int) { fmt.Fprintf(to.err, "moment %d of %d\n", moment, c.Moments) }
	}
	return capture, closeRoot, nil
}

// dump asks the kernel for the sessions of both families; what one of them refuses does not cost the other.
func dump(ports map[uint16]string) func(context.Context) (map[string][]byte, error) {
	if len(ports) == 0 {
		ports = tcp.DefaultPorts()
	}
	wanted := slices.Sorted(maps.Keys(ports))
	return func(ctx context.Context) (map[string][]byte, error) {
		replies := map[string][]byte{}
		var errs []error
		for _, family := range []tcp.Family{tcp.IPv4, tcp.IPv6} {
			reply, err := tcp.Dump(ctx, family, wanted)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			replies[family.File()] = reply
		}
		return replies, errors.Join(errs...)
	}
}

// writeFile writes beside the target and renames, so that a file that exists is a whole one. What is there and is no
// plain file (a pipe, a device) is written to, not replaced.
func writeFile(path string, write func(io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return errors.New("is a directory; name a file")
	case err == nil && !info.Mode().IsRegular():
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(file), file.Close())
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".nasight-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	if err := errors.Join(write(file), file.Chmod(0o640), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
