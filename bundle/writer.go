package bundle

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// writer writes a tar.gz and keeps to the limits that it is read by.
type writer struct {
	zip    *gzip.Writer
	tar    *tar.Writer
	limits *contents // names and sizes without the data
}

func newWriter(w io.Writer) *writer {
	zip := gzip.NewWriter(w)
	return &writer{zip: zip, tar: tar.NewWriter(zip), limits: newContents()}
}

func (w *writer) add(m member, at time.Time) error {
	err := w.limits.reserve(m.name, int64(len(m.data)))
	if err == nil {
		err = w.limits.add(member{name: m.name, target: m.target, dir: m.dir})
	}
	if err != nil {
		return fmt.Errorf("the bundle could not be read again, take fewer moments: %w", err)
	}
	header := &tar.Header{Name: m.name, Mode: 0o444, Size: int64(len(m.data)), ModTime: at, Typeflag: tar.TypeReg}
	switch {
	case m.dir:
		header.Typeflag, header.Name, header.Mode = tar.TypeDir, m.name+"/", 0o555
	case m.target != "":
		header.Typeflag, header.Linkname = tar.TypeSymlink, m.target
	}
	if err := w.tar.WriteHeader(header); err != nil {
		return fmt.Errorf("write %s: %w", m.name, err)
	}
	if _, err := w.tar.Write(m.data); err != nil {
		return fmt.Errorf("write %s: %w", m.name, err)
	}
	return nil
}

func (w *writer) finish(manifest Manifest, at time.Time) error {
	data, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", manifestName, err)
	}
	if err := w.add(member{name: manifestName, data: append(data, '\n')}, at); err != nil {
		return err
	}
	return errors.Join(w.tar.Close(), w.zip.Close())
}
