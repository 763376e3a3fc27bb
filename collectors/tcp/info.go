package tcp

import "encoding/binary"

// info is what is known of a session's tcp_info. The zero value knows nothing.
type info struct {
	// data is the structure, as long as the kernel that filled it makes it: 104 bytes on Linux 2.6, 232 on 6.1, 280 on
	// 6.18. It shares the memory of the reply.
	data []byte

	lacks uint64 // the fields, by their bits, that ss did not print; none of a reply
}

// field is the place of a number in tcp_info. The kernel only ever adds fields at the end.
type field struct{ offset, size int }

// bit stands for a field in use in info.lacks: the place of its first four bytes.
func (f field) bit() uint64 { return 1 << (f.offset / 4) }

// The fields in use, by the names of linux/tcp.h without their prefix tcpi_. Times are microseconds.
var (
	fieldRTT           = field{68, 4}
	fieldCwnd          = field{80, 4}
	fieldTotalRetrans  = field{100, 4}
	fieldBytesAcked    = field{120, 8}
	fieldBytesReceived = field{128, 8}
	fieldSegsOut       = field{136, 4}
	fieldSegsIn        = field{140, 4}
	fieldNotSent       = field{144, 4}
	fieldMinRTT        = field{148, 4}
	fieldDeliveryRate  = field{160, 8}
	fieldBusyTime      = field{168, 8}
	fieldRwndLimited   = field{176, 8}
	fieldSndbufLimited = field{184, 8}
	fieldOutOfOrder    = field{224, 4}
)

// unknownRTT is what the kernel puts into min_rtt before the first measurement.
const unknownRTT = 1<<32 - 1

// value reads a field. It is absent where the kernel's structure ends before it, and where ss did not print it.
func (i info) value(f field) (uint64, bool) {
	if len(i.data) < f.offset+f.size || i.lacks&f.bit() != 0 {
		return 0, false
	}
	if f.size == 4 {
		return uint64(binary.NativeEndian.Uint32(i.data[f.offset:])), true
	}
	return binary.NativeEndian.Uint64(i.data[f.offset:]), true
}

// measured reads a field in which the kernel shows 0 until it has measured something.
func (i info) measured(f field) (uint64, bool) {
	value, ok := i.value(f)
	return value, ok && value > 0 && plausible(value)
}

// minRTT reads the kernel's windowed minimum round-trip time in microseconds, if there is one.
func (i info) minRTT() (uint64, bool) {
	value, ok := i.measured(fieldMinRTT)
	return value, ok && value != unknownRTT
}

// plausible rules out counters that went below zero: 2^64 - x.
func plausible(value uint64) bool { return value < 1<<63 }
