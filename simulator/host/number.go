package host

import (
	"math"
	"strconv"
	"time"
)

// most is the largest count that is written, the last float64 below 2^63: from there on a number passes for one that fell
// below zero.
const most = 1<<63 - 1024

// whole is a count as the kernel holds it: the nearest whole number, never below 0.
func whole(count float64) uint64 {
	count = math.Round(count)
	switch {
	case !(count > 0): // or no number
		return 0
	case count >= most:
		return most
	}
	return uint64(count)
}

// millis is a time of so many seconds in milliseconds.
func millis(seconds float64) uint64 { return whole(seconds * 1000) }

// micros is a time in microseconds; below 0 is 0.
func micros(d time.Duration) uint64 { return uint64(max(d, 0) / time.Microsecond) }

// wrapped is a count in four bytes, where the kernel begins again at 0 after the last.
func wrapped(count float64) uint32 { return uint32(whole(count)) }

// appendCounts adds numbers, each behind a blank.
func appendCounts(out []byte, counts ...uint64) []byte {
	for _, count := range counts {
		out = strconv.AppendUint(append(out, ' '), count, 10)
	}
	return out
}
