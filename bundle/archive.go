package bundle

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

// giveBundle is what to do about a path that is no bundle.
const giveBundle = "give a bundle made by nasight capture"

// maxStream bounds the unpacked archive with its headers and with what is not kept.
const maxStream = 2 * maxTotal

// openArchive reads a tar.gz into memory.
func openArchive(name string) (*contents, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return readArchive(file)
}

func readArchive(source io.Reader) (*contents, error) {
	unzipped, err := gzip.NewReader(source)
	if errors.Is(err, io.EOF) {
		return nil, errors.New("not a tar.gz: empty file: " + giveBundle)
	}
	if err != nil {
		return nil, fmt.Errorf("not a tar.gz: %w: %s", err, giveBundle)
	}
	stream := &stream{source: unzipped}
	found, err := readMembers(stream)
	switch {
	case stream.count > maxStream:
		return nil, fmt.Errorf("unpacks to more than %d bytes: refused", maxStream)
	case err != nil:
		return nil, err
	}
	return found, nil
}

func readMembers(stream *stream) (*contents, error) {
	found := newContents()
	members := tar.NewReader(stream)
	last := ""
	for count := 1; ; count++ {
		header, err := members.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, incomplete(last, err)
		}
		last = header.Name
		if count > maxMembers {
			return nil, fmt.Errorf("member %.200q: the bundle has more than %d members: refused", last, maxMembers)
		}
		if err := take(found, header, members); err != nil {
			return nil, err
		}
	}
	// The checksum stands at the end.
	if _, err := io.Copy(io.Discard, stream); err != nil {
		return nil, incomplete(last, err)
	}
	if !stream.ended() {
		return nil, incomplete(last, io.ErrUnexpectedEOF)
	}
	return found, nil
}

func incomplete(last string, err error) error {
	if last == "" {
		return fmt.Errorf("not a complete tar.gz: %w: %s", err, giveBundle)
	}
	return fmt.Errorf("not a complete tar.gz: after member %.200q: %w: copy it again, or record anew", last, err)
}

func take(found *contents, header *tar.Header, content io.Reader) error {
	name, err := memberName(header.Name)
	if err != nil {
		return err
	}
	switch {
	case header.Typeflag == tar.TypeDir:
		return found.add(member{name: name, dir: true})
	case header.Typeflag == tar.TypeSymlink && header.Linkname != "":
		return found.add(member{name: name, target: header.Linkname})
	case header.Typeflag != tar.TypeReg:
		return fmt.Errorf("member %.200q is neither file, directory nor symbolic link (tar type %q): refused", name, header.Typeflag)
	}
	if err := found.reserve(name, header.Size); err != nil || !wanted(name) {
		return err
	}
	data := make([]byte, header.Size)
	if _, err := io.ReadFull(content, data); err != nil {
		return fmt.Errorf("not a complete tar.gz: in member %.200q: %w: copy it again, or record anew", name, err)
	}
	return found.add(member{name: name, data: data})
}

// stream counts what is unpacked, stops at the limit, and knows whether the archive had its end: zeros, which an archive
// that was cut between two members lacks.
type stream struct {
	source io.Reader
	count  int64
	zeros  int64 // at the end of what was read
}

func (s *stream) Read(p []byte) (int, error) {
	if s.count > maxStream {
		return 0, errors.New("too much data")
	}
	n, err := s.source.Read(p)
	s.count += int64(n)
	for i := n - 1; ; i-- {
		if i < 0 {
			s.zeros += int64(n)
			break
		}
		if p[i] != 0 {
			s.zeros = int64(n - 1 - i)
			break
		}
	}
	return n, err
}

func (s *stream) ended() bool { return s.zeros >= 1024 }
