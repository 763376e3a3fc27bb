package iscsi

import (
	"bytes"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/nasight/nasight/collectors"
)

const diskstats = "diskstats"

// counter is a column of diskstats that only rises.
type counter uint8

const (
	readsDone counter = iota
	readSectors
	readMillis
	writesDone
	writtenSectors
	writeMillis
	weightedMillis
	discardsDone
	discardMillis
	flushesDone
	flushMillis

	counters
)

// columns are where the counters stand behind a disk's name. Discards are there since Linux 4.18, flushes since 5.5.
var columns = [counters]int{
	readsDone: 0, readSectors: 2, readMillis: 3, writesDone: 4, writtenSectors: 6, writeMillis: 7, weightedMillis: 10,
	discardsDone: 11, discardMillis: 14, flushesDone: 15, flushMillis: 16,
}

// isTime tells whether a counter is of milliseconds.
func (c counter) isTime() bool {
	return c == readMillis || c == writeMillis || c == weightedMillis || c == discardMillis || c == flushMillis
}

const (
	inFlightColumn = 8
	firstColumn    = 3 // behind major, minor and name
	leastColumns   = 11
	sectorBytes    = 512 // whatever the disk's own sectors are

	// mostInFlight is beyond any queue. The kernel has shown 2^32 - x here after a request was completed twice.
	mostInFlight = 1 << 20
)

// number is a value of diskstats; known is false where it is missing or makes no sense.
type number struct {
	value uint64
	known bool
}

// statistics are what diskstats says of one disk.
type statistics struct {
	counters [counters]number
	inFlight number
}

// readStatistics reads diskstats by the disks' names.
func readStatistics(procfs fs.FS, skip skipFunc) (map[string]*statistics, error) {
	data, err := collectors.Read(procfs, diskstats)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("%s is empty, and there are disks", diskstats)
	}
	return parseStatistics(data, skip), nil
}

// parseStatistics reads the lines of diskstats. A line that is short, or names a disk again, is counted and costs itself; a
// number that makes no sense costs that number. The line that a file without a final newline ends in is taken for cut.
func parseStatistics(data []byte, skip skipFunc) map[string]*statistics {
	found := map[string]*statistics{}
	for len(data) > 0 {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		data = rest
		fields := bytes.Fields(line)
		switch {
		case len(fields) == 0:
		case !whole:
			skip("diskstats_cut", 1)
		case len(fields) < firstColumn+leastColumns || found[string(fields[2])] != nil:
			skip("odd_diskstats_line", 1)
		default:
			found[string(fields[2])] = newStatistics(fields[firstColumn:], skip)
		}
	}
	return found
}

func newStatistics(fields [][]byte, skip skipFunc) *statistics {
	odd := 0
	read := func(column int, most uint64) number {
		if column >= len(fields) {
			return number{}
		}
		value, err := strconv.ParseUint(string(fields[column]), 10, 63)
		if err != nil || value > most {
			odd++
			return number{}
		}
		return number{value, true}
	}
	s := &statistics{inFlight: read(inFlightColumn, mostInFlight)}
	for c, column := range columns {
		s.counters[c] = read(column, 1<<63-1)
	}
	if odd > 0 {
		skip("odd_diskstats_number", odd)
	}
	return s
}
