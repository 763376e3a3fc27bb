package tcp

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// textInfoSize is the size of a tcp_info that has every field in use.
const textInfoSize = 232

// reader reads the value of a word that ss prints, in the unit of the kernel's field.
type reader func(value string) (uint64, bool)

// textField finds what ss prints under a name; read is nil for what is not in use.
func textField(name string) (f field, read reader) {
	switch name {
	case "rtt":
		return fieldRTT, readMilliseconds // smoothed, before the slash; its variation stands behind
	case "minrtt":
		return fieldMinRTT, readMilliseconds
	case "cwnd":
		return fieldCwnd, readCount
	case "retrans":
		return fieldTotalRetrans, readTotal
	case "bytes_acked":
		return fieldBytesAcked, readCount
	case "bytes_received":
		return fieldBytesReceived, readCount
	case "segs_out":
		return fieldSegsOut, readCount
	case "segs_in":
		return fieldSegsIn, readCount
	case "notsent":
		return fieldNotSent, readCount
	case "delivery_rate":
		return fieldDeliveryRate, readRate
	case "busy":
		return fieldBusyTime, readSpan
	case "rwnd_limited":
		return fieldRwndLimited, readSpan
	case "sndbuf_limited":
		return fieldSndbufLimited, readSpan
	case "rcv_ooopack":
		return fieldOutOfOrder, readCount
	}
	return field{}, nil
}

// readText takes in words of the form NAME:VALUE, and "delivery_rate VALUE". It returns how many values made no sense.
func (i *info) readText(words []string) (odd int) {
	for at, word := range words {
		name, value, ok := strings.Cut(word, ":")
		if word == "delivery_rate" && at+1 < len(words) {
			value, ok = words[at+1], true
		}
		f, read := textField(name)
		if !ok || read == nil {
			continue
		}
		number, ok := read(value)
		if !ok || !i.set(f, number) {
			odd++
		}
	}
	return odd
}

// set stores a field's value; the first one counts. It returns false if the kernel's field could not hold the value.
func (i *info) set(f field, value uint64) bool {
	if f.size == 4 && value > math.MaxUint32 {
		return false
	}
	if i.data == nil {
		i.data, i.lacks = make([]byte, textInfoSize), math.MaxUint64
	}
	if i.lacks&f.bit() == 0 {
		return true
	}
	i.lacks &^= f.bit()
	if f.size == 4 {
		binary.NativeEndian.PutUint32(i.data[f.offset:], uint32(value))
	} else {
		binary.NativeEndian.PutUint64(i.data[f.offset:], value)
	}
	return true
}

func readCount(value string) (uint64, bool) {
	number, err := strconv.ParseUint(value, 10, 64)
	return number, err == nil
}

// readTotal reads the second number of 0/9: all retransmissions, behind those that are not acknowledged yet.
func readTotal(value string) (uint64, bool) {
	_, total, ok := strings.Cut(value, "/")
	number, sound := readCount(total)
	return number, ok && sound
}

// readMilliseconds reads 0.165 or 0.165/0.073 as 165 microseconds.
func readMilliseconds(value string) (uint64, bool) {
	value, _, _ = strings.Cut(value, "/")
	return readScaled(value, 1000)
}

// readSpan reads 4ms or 4ms(0.3%) as 4000 microseconds.
func readSpan(value string) (uint64, bool) {
	value, _, ok := strings.Cut(value, "ms")
	number, sound := readCount(value)
	return number * 1000, ok && sound && number < math.MaxInt64/1000
}

// readRate reads bits per second, with a decimal prefix where ss was not asked for plain numbers, as bytes per second.
func readRate(value string) (uint64, bool) {
	value, ok := strings.CutSuffix(value, "bps")
	if !ok || value == "" {
		return 0, false
	}
	scale := 1.0
	switch value[len(value)-1] {
	case 'K':
		scale = 1e3
	case 'M':
		scale = 1e6
	case 'G':
		scale = 1e9
	case 'T':
		scale = 1e12
	}
	if scale > 1 {
		value = value[:len(value)-1]
	}
	return readScaled(value, scale/8)
}

// readScaled reads a decimal number and rounds its multiple to a whole one.
func readScaled(value string, scale float64) (uint64, bool) {
	number, err := strconv.ParseFloat(value, 64)
	number = math.Round(number * scale)
	if err != nil || math.IsNaN(number) || number < 0 || number >= math.MaxInt64 {
		return 0, false
	}
	return uint64(number), true
}
