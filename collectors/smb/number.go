package smb

import (
	"bytes"

	"github.com/nasight/nasight/collectors/internal/kernel"
)

// Number is a counter, a state or an identifier as the kernel prints it.
type Number = kernel.Number

// Absent is the missing number.
const Absent = kernel.Absent

type sum = kernel.Sum

// parseHex reads a whole word as 0x and hexadecimal digits.
func parseHex(word []byte) Number {
	value, ok := parseID(word)
	if !ok || value >= uint64(Absent) {
		return Absent
	}
	return Number(value)
}

// parseID reads an identifier: 0x and up to 16 hexadecimal digits.
func parseID(word []byte) (id uint64, ok bool) {
	digits, ok := bytes.CutPrefix(word, []byte("0x"))
	if !ok || len(digits) == 0 || len(digits) > 16 {
		return 0, false
	}
	for _, c := range digits {
		digit, ok := hexDigit(c)
		if !ok {
			return 0, false
		}
		id = id<<4 | uint64(digit)
	}
	return id, true
}

func hexDigit(c byte) (digit byte, ok bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
