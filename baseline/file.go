package baseline

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// The file is: the magic line, the version and the number of series (4 bytes each, little endian), then of each series its
// signal's name and its resource (2 bytes of length and the text), its grain in seconds (4 bytes) and its state; at the end the
// CRC-32C of everything before it.
const (
	fileMagic   = "nasight baseline\n"
	fileVersion = 1
	maxName     = 1<<16 - 1
)

// stateSize is what the state of one series takes in the file.
func stateSize() int { return len(NewSeries(new(Signal)).appendTo(nil)) }

// DamagedError says that a state file cannot be used and what became of it.
type DamagedError struct {
	Path, Aside string
	Err         error
}

// Error is one line: what, which file, and what follows.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("baselines in %s cannot be used: %v; the file is kept as %s, the baselines are learnt anew", e.Path, e.Err, e.Aside)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// Open reads a set that Save has written. Without a file the set is empty. A file that is damaged or of another version is
// renamed to NAME.bad and told as a *DamagedError, beside an empty set that can be used. Any other error says that the file
// could not be read or renamed; then there is no set.
func Open(path string, signals []Signal, most int) (*Set, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return NewSet(signals, most), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read baselines: %w", err)
	}
	set := NewSet(signals, most)
	err = errors.Join(set.read(file), file.Close())
	if err == nil {
		return set, nil
	}
	if pathError := (*fs.PathError)(nil); errors.As(err, &pathError) {
		return nil, fmt.Errorf("read baselines: %w", err)
	}
	aside := path + ".bad"
	if renaming := os.Rename(path, aside); renaming != nil {
		return nil, fmt.Errorf("set damaged baselines aside: %w", renaming)
	}
	return NewSet(signals, most), &DamagedError{Path: path, Aside: aside, Err: err}
}

// Save replaces the file as a whole: a crash leaves the old one or the new one. It holds one series in memory at a time.
func (s *Set) Save(path string) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.new")
	if err != nil {
		return fmt.Errorf("save baselines: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
			err = fmt.Errorf("save baselines: %w", err)
		}
	}()
	if err = errors.Join(s.write(file), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

func (s *Set) write(w io.Writer) error {
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	buffered := bufio.NewWriterSize(w, 1<<16)
	both := io.MultiWriter(buffered, sum)
	record := append([]byte(fileMagic), make([]byte, 8)...)
	binary.LittleEndian.PutUint32(record[len(fileMagic):], fileVersion)
	binary.LittleEndian.PutUint32(record[len(fileMagic)+4:], uint32(len(s.series)))
	if _, err := both.Write(record); err != nil {
		return err
	}
	for key, series := range s.All() {
		record = appendName(appendName(record[:0], key.Signal), key.Resource)
		record = binary.LittleEndian.AppendUint32(record, uint32(series.clock.grain))
		record = series.appendTo(record)
		if _, err := both.Write(record); err != nil {
			return err
		}
	}
	if _, err := buffered.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32())); err != nil {
		return err
	}
	return buffered.Flush()
}

func appendName(data []byte, name string) []byte {
	return append(binary.LittleEndian.AppendUint16(data, uint16(len(name))), name...)
}

// reader reads a file and sums up what it has read.
type reader struct {
	from io.Reader
	sum  hash.Hash32
	err  error
}

func (r *reader) read(data []byte) []byte {
	if r.err == nil {
		_, r.err = io.ReadFull(r.from, data)
		r.sum.Write(data)
	}
	return data
}

func (r *reader) u32() uint32 { return binary.LittleEndian.Uint32(r.read(make([]byte, 4))) }

func (r *reader) name() string {
	return string(r.read(make([]byte, binary.LittleEndian.Uint16(r.read(make([]byte, 2))))))
}

// read fills an empty set. Series of a signal that there is no more, or of another grain, are left out; they begin anew.
func (s *Set) read(from io.Reader) error {
	r := &reader{from: bufio.NewReaderSize(from, 1<<16), sum: crc32.New(crc32.MakeTable(crc32.Castagnoli))}
	if magic := r.read(make([]byte, len(fileMagic))); r.err == nil && !bytes.Equal(magic, []byte(fileMagic)) {
		return errors.New("it is no file of baselines")
	}
	if version := r.u32(); r.err == nil && version != fileVersion {
		return fmt.Errorf("version %d, this program reads %d", version, fileVersion)
	}
	count := r.u32()
	state := make([]byte, stateSize())
	for i := uint32(0); i < count && r.err == nil; i++ {
		key := Key{Signal: r.name(), Resource: r.name()}
		grain := r.u32()
		if r.read(state); r.err == nil {
			r.err = s.restore(key, grain, state)
		}
	}
	sum := r.sum.Sum32()
	if want := r.u32(); r.err == nil && want != sum {
		return errors.New("the checksum is wrong")
	}
	if r.err != nil {
		return fmt.Errorf("it breaks off or is damaged: %w", r.err)
	}
	if _, err := io.ReadFull(r.from, make([]byte, 1)); !errors.Is(err, io.EOF) {
		return errors.New("there is more in it than there should be")
	}
	return nil
}

func (s *Set) restore(key Key, grain uint32, state []byte) error {
	shelf, ok := s.shelves[key.Signal]
	if !ok || uint32(newClock(shelf.signal.Grain).grain) != grain || len(s.series) >= s.most {
		return nil
	}
	series := shelf.begin()
	if err := series.decode(state); err != nil {
		return fmt.Errorf("the %s of %s: %w", key.Signal, key.Resource, err)
	}
	s.series[key] = series
	return nil
}
