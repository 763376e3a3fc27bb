package kernel

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Unescape undoes the octal escapes that the kernel writes for blanks, tabs, newlines, backslashes and number signs.
func Unescape(s string) string {
	next := strings.IndexByte(s, '\\')
	if next < 0 {
		return s
	}
	var out strings.Builder
	for ; next >= 0; next = strings.IndexByte(s, '\\') {
		out.WriteString(s[:next])
		if value, ok := octal(s[next+1:]); ok {
			out.WriteByte(value)
			s = s[next+4:]
		} else {
			out.WriteByte('\\')
			s = s[next+1:]
		}
	}
	out.WriteString(s)
	return out.String()
}

// octal reads three octal digits below 256.
func octal(s string) (value byte, ok bool) {
	if len(s) < 3 || s[0] > '3' {
		return 0, false
	}
	for i := range 3 {
		digit := s[i] - '0'
		if digit > 7 {
			return 0, false
		}
		value = value<<3 | digit
	}
	return value, true
}

// LabelText makes a name fit for a label value, which has to be UTF-8: other bytes are escaped as the kernel would.
func LabelText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var out strings.Builder
	for i, r := range s {
		if _, size := utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&out, `\%03o`, s[i])
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// maxMountPoints are named in a list; a superblock may have thousands.
const maxMountPoints = 128

var mountPointEscapes = strings.NewReplacer(" ", `\040`, "\t", `\011`, "\n", `\012`, `\`, `\134`)

// MountPoints writes mount points with the kernel's escapes, so that blanks can separate them. The first of very many are
// named, and how many more there are.
func MountPoints(points []string) string {
	shown := points[:min(len(points), maxMountPoints)]
	list := make([]string, 0, len(shown)+1)
	for _, point := range shown {
		list = append(list, LabelText(mountPointEscapes.Replace(point)))
	}
	if more := len(points) - len(shown); more > 0 {
		list = append(list, fmt.Sprintf("+%d", more))
	}
	return strings.Join(list, " ")
}
