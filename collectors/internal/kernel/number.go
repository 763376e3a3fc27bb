// Package kernel holds what the parsers of the kernel's files have in common: numbers that may be missing, and names.
package kernel

// Number is a counter, a state or a setting as the kernel prints it, below 2^63. A number that is missing, or that cannot be
// right, is Absent: it is never taken for zero.
type Number uint64

// Absent is the missing number. Kernels let some sums go below zero and print them as 2^64 - x or as negative, so nothing
// from 2^63 on is a real value and the mark cannot be met by one.
const Absent Number = 1 << 63

// MaxDigits is the most decimal digits that a number below 2^64 surely fits in.
const MaxDigits = 19

// Known tells whether there is a number.
func (n Number) Known() bool { return n < Absent }

// ParseNumber reads a whole word as a number. Anything else than decimal digits below 2^63 is Absent.
func ParseNumber[T ~string | ~[]byte](word T) Number {
	if len(word) == 0 || len(word) > MaxDigits {
		return Absent
	}
	n := Number(0)
	for i := range len(word) {
		digit := word[i] - '0'
		if digit > 9 {
			return Absent
		}
		n = n*10 + Number(digit)
	}
	return min(n, Absent)
}

// Sum adds what is known of numbers; it is unknown while nothing was.
type Sum struct {
	Value float64
	Known bool
}

// Add adds a number if it is known.
func (s *Sum) Add(n Number) {
	if n.Known() {
		s.Value += float64(n)
		s.Known = true
	}
}

// Join adds another sum.
func (s *Sum) Join(other Sum) {
	s.Value += other.Value
	s.Known = s.Known || other.Known
}
