package nfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

const (
	switchesPath = "kernel/sunrpc/xprt-switches"
	// maxTransports bounds the files read in one run: three for each transport.
	maxTransports = 256
)

// readEndpoints reads the kernel's list of transports for the endpoints. A kernel without the list leaves them as they
// are. After an error their numbers are not to be used.
func readEndpoints(ctx context.Context, sysfs fs.FS, endpoints []*endpoint, skip Skip) error {
	reader := endpointReader{sysfs: sysfs, skip: skip, byServer: make(map[string]*endpoint, len(endpoints))}
	for _, e := range endpoints {
		reader.byServer[e.server] = e
	}
	directories, err := reader.directories()
	if err != nil {
		return err
	}
	if excess := len(directories) - maxTransports; excess > 0 {
		reader.miss(skipTransportLimit, excess)
		directories = directories[:maxTransports]
	}
	for _, directory := range directories {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read %s: %w", switchesPath, err)
		}
		reader.read(directory)
	}
	for _, e := range endpoints {
		e.settle(reader.partial)
	}
	return nil
}

type endpointReader struct {
	sysfs    fs.FS
	byServer map[string]*endpoint
	skip     Skip
	partial  bool // some transport was not read
}

func (r *endpointReader) miss(reason string, count int) {
	r.skip(reason, count)
	r.partial = true
}

// directories lists the directories of all transports except those to a local socket.
func (r *endpointReader) directories() ([]string, error) {
	switches, err := fs.ReadDir(r.sysfs, switchesPath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", switchesPath, err)
	}
	var directories []string
	for _, entry := range switches {
		parent := path.Join(switchesPath, entry.Name())
		transports, err := fs.ReadDir(r.sysfs, parent)
		if err != nil {
			r.miss(skipTransportFile, 1)
			continue
		}
		for _, transport := range transports {
			name := transport.Name()
			if strings.HasPrefix(name, "xprt-") && !strings.HasSuffix(name, "-local") {
				directories = append(directories, path.Join(parent, name))
			}
		}
	}
	return directories, nil
}

// read takes in one transport. Its address is read first, so that those to other servers cost one file.
func (r *endpointReader) read(directory string) {
	address, ok := r.file(directory, "dstaddr")
	if !ok {
		return
	}
	target := r.byServer[strings.TrimSpace(string(address))]
	if target == nil {
		return
	}
	data, ok := r.file(directory, "xprt_state")
	if !ok {
		return
	}
	state, ok := parseTransportState(data)
	if !ok {
		r.miss(skipTransportFile, 1)
		return
	}
	if data, ok = r.file(directory, "xprt_info"); ok {
		info, hasInfo := parseTransportInfo(data)
		target.count(state, info, hasInfo)
	}
}

// file reads a file of a transport. A transport may go at any time, so a file that cannot be read costs itself.
func (r *endpointReader) file(directory, name string) ([]byte, bool) {
	data, err := fs.ReadFile(r.sysfs, path.Join(directory, name))
	if err != nil {
		r.miss(skipTransportFile, 1)
	}
	return data, err == nil
}
