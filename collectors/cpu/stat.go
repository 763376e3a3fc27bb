package cpu

import (
	"bytes"
	"strconv"
	"strings"
)

// hertz is the number of clock ticks a second that /proc counts in (USER_HZ), the same on every platform.
const hertz = 100

// maxCores bounds the lines taken from one file; Linux supports 8192 cores.
const maxCores = 8192

// The columns of a cpu line behind its name. The time of guests is part of user and nice.
const (
	columnUser = iota
	columnNice
	columnSystem
	columnIdle
	columnIOWait
	columnIRQ
	columnSoftIRQ
	columnSteal // since Linux 2.6.11
	columns
)

// times are what one line says, in seconds.
type times struct {
	name                       string // number of the core, empty for all cores
	busy, softirq, idle, steal float64
	hasSteal                   bool
}

// stat is what the file says.
type stat struct {
	total *times
	cores []times
}

// parse reads the cpu lines. A line that makes no sense, or names a core again, is counted and costs itself.
func parse(data []byte) (found stat, odd int) {
	seen := map[string]bool{}
	for line := range bytes.Lines(data) {
		name, isCPU := strings.CutPrefix(string(firstField(line)), "cpu")
		if !isCPU {
			continue
		}
		parsed, ok := parseLine(name, line)
		switch {
		case !ok || seen[name] || len(found.cores) == maxCores:
			odd++
		case name == "":
			found.total = &parsed
			seen[name] = true
		default:
			found.cores = append(found.cores, parsed)
			seen[name] = true
		}
	}
	return found, odd
}

func firstField(line []byte) []byte {
	if end := bytes.IndexAny(line, " \t\n"); end >= 0 {
		return line[:end]
	}
	return line
}

func parseLine(name string, line []byte) (times, bool) {
	if name != "" {
		if _, err := strconv.ParseUint(name, 10, 16); err != nil {
			return times{}, false
		}
	}
	fields := strings.Fields(string(line))[1:]
	if len(fields) <= columnSoftIRQ {
		return times{}, false
	}
	var ticks [columns]float64
	for i, field := range fields[:min(len(fields), columns)] {
		value, err := strconv.ParseUint(field, 10, 63)
		if err != nil {
			return times{}, false
		}
		ticks[i] = float64(value)
	}
	busy := ticks[columnUser] + ticks[columnNice] + ticks[columnSystem] +
		ticks[columnIRQ] + ticks[columnSoftIRQ] + ticks[columnSteal]
	return times{
		name: name, busy: busy / hertz, softirq: ticks[columnSoftIRQ] / hertz,
		idle:  (ticks[columnIdle] + ticks[columnIOWait]) / hertz,
		steal: ticks[columnSteal] / hertz, hasSteal: len(fields) > columnSteal,
	}, true
}
