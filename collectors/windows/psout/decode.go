package psout

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"unicode/utf16"
)

var (
	markUTF8  = []byte{0xEF, 0xBB, 0xBF}
	markUTF16 = []byte{0xFF, 0xFE}
	markBig   = []byte{0xFE, 0xFF}
)

// colours are the escape sequences that PowerShell 7 prints around headers.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// decode turns a file into UTF-8: Windows PowerShell redirects to UTF-16 and marks UTF-8. What is no UTF-8 after all is
// the code page of some country; its foreign letters are replaced, everything else is the same.
func decode(data []byte) (text []byte, ok bool) {
	switch {
	case bytes.HasPrefix(data, markUTF16):
		text, ok = fromUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, markBig):
		text, ok = fromUTF16(data[2:], binary.BigEndian)
	default:
		text, ok = bytes.TrimPrefix(data, markUTF8), true
	}
	text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	if bytes.IndexByte(text, 0) >= 0 {
		return nil, false // no text
	}
	return colours.ReplaceAll(text, nil), ok
}

func fromUTF16(data []byte, order binary.ByteOrder) ([]byte, bool) {
	if len(data)%2 != 0 {
		return nil, false
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units))), true
}
