package host

import "strconv"

// appendHex writes a key and a number in hexadecimal.
func appendHex(out []byte, key string, value uint64) []byte {
	return strconv.AppendUint(append(append(out, key...), "0x"...), value, 16)
}

// appendCount writes a key and a number.
func appendCount(out []byte, key string, value uint64) []byte {
	return strconv.AppendUint(append(out, key...), value, 10)
}

// natural is a number of things; what is below zero is none.
func natural(number int) uint64 { return uint64(max(number, 0)) }
