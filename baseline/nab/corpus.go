package nab

import (
	"archive/tar"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	maxFile    = 64 << 20
	timeLayout = "2006-01-02 15:04:05"
	labelsFile = "labels/combined_windows.json"
)

// File is one series of the corpus.
type File struct {
	Category string // the directory: realTweets, …
	Name     string
	Times    []time.Time
	Values   []float64
	Windows  []Window
}

// Load reads the corpus from its directory, or from a tar.gz of it: data/CATEGORY/NAME.csv and labels/combined_windows.json.
func Load(name string) ([]File, error) {
	contents, err := read(name)
	if err != nil {
		return nil, fmt.Errorf("read the NAB corpus %s: %w", name, err)
	}
	var labels map[string][][2]string
	if err := json.Unmarshal(contents[labelsFile], &labels); err != nil {
		return nil, fmt.Errorf("read the NAB corpus %s: %s: %w", name, labelsFile, err)
	}
	var files []File
	for file, text := range contents {
		series, found := strings.CutPrefix(file, "data/")
		if !found {
			continue
		}
		parsed, err := parse(series, text, labels[series])
		if err != nil {
			return nil, fmt.Errorf("read the NAB corpus %s: %s: %w", name, file, err)
		}
		files = append(files, parsed)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("read the NAB corpus %s: no data/CATEGORY/NAME.csv in it", name)
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Category+"/"+a.Name, b.Category+"/"+b.Name) })
	return files, nil
}

func wanted(name string) bool {
	return name == labelsFile || strings.HasPrefix(name, "data/") && strings.HasSuffix(name, ".csv")
}

func read(name string) (map[string][]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return readDirectory(name)
	}
	return readArchive(name)
}

func readDirectory(name string) (map[string][]byte, error) {
	contents := map[string][]byte{}
	err := filepath.WalkDir(name, func(file string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(name, file)
		if err != nil || entry.IsDir() || !wanted(filepath.ToSlash(relative)) {
			return err
		}
		contents[filepath.ToSlash(relative)], err = os.ReadFile(file)
		return err
	})
	return contents, err
}

func readArchive(name string) (map[string][]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // read only
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	contents := map[string][]byte{}
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return contents, nil
		}
		if err != nil {
			return nil, err
		}
		entry := path.Clean(header.Name)
		if !wanted(entry) {
			continue
		}
		if header.Size > maxFile {
			return nil, fmt.Errorf("%s has more than %d bytes", entry, maxFile)
		}
		if contents[entry], err = io.ReadAll(archive); err != nil {
			return nil, err
		}
	}
}

func parse(name string, text []byte, labels [][2]string) (File, error) {
	file := File{Category: path.Dir(name), Name: path.Base(name)}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		return file, err
	}
	for i, row := range rows[min(1, len(rows)):] {
		at, errTime := time.Parse(timeLayout, row[0])
		value, errValue := strconv.ParseFloat(row[len(row)-1], 64)
		if err := errors.Join(errTime, errValue); err != nil {
			return file, fmt.Errorf("line %d: %w", i+2, err)
		}
		file.Times, file.Values = append(file.Times, at), append(file.Values, value)
	}
	for _, label := range labels {
		window, err := file.window(label)
		if err != nil {
			return file, err
		}
		file.Windows = append(file.Windows, window)
	}
	return file, nil
}

func (f *File) window(label [2]string) (Window, error) {
	var indices [2]int
	for i, text := range label {
		at, err := time.Parse(timeLayout, text) // fractions of a second are accepted
		if err != nil {
			return Window{}, fmt.Errorf("%s: %w", labelsFile, err)
		}
		index := slices.IndexFunc(f.Times, at.Equal)
		if index < 0 {
			return Window{}, fmt.Errorf("%s: no sample at %s", labelsFile, text)
		}
		indices[i] = index
	}
	return Window{First: indices[0], Last: indices[1]}, nil
}

// Grain is the usual time from sample to sample.
func (f *File) Grain() time.Duration {
	steps := make([]time.Duration, 0, len(f.Times))
	for i := 1; i < len(f.Times); i++ {
		steps = append(steps, f.Times[i].Sub(f.Times[i-1]))
	}
	if len(steps) == 0 {
		return 0
	}
	slices.Sort(steps)
	return steps[len(steps)/2]
}
