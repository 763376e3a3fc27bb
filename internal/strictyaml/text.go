package strictyaml

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// mostBrackets is how deep flow lists and mappings may lie in each other: the YAML library's time grows with the square of it.
const mostBrackets = 200

// check refuses what the YAML library would take without a word, or take very long for: what is no text, a byte order mark, which
// becomes part of the first key; a second document, which would be left out; thousands of brackets in each other.
func check(data []byte) *Fault {
	if fault := marked(data); fault != nil {
		return fault
	}
	depth, line, begun := 0, 0, false
	for text := range bytes.Lines(data) {
		line++
		if column := notText(text); column > 0 {
			return &Fault{Line: line, Column: column, Message: "is no text in UTF-8 here; is this the file that is meant? Write it with an editor of text"}
		}
		content := bytes.TrimSpace(text)
		switch {
		case bytes.HasPrefix(text, []byte("---")) && (len(content) == 3 || text[3] == ' ') && begun:
			return &Fault{Line: line, Column: 1, Message: "a second document begins; one file describes one thing: keep one, and leave the line --- out"}
		case len(content) > 0 && content[0] != '#' && !bytes.Equal(content, []byte("---")):
			begun = true
		}
		for column, c := range text {
			switch c {
			case '[', '{':
				depth++
			case ']', '}':
				depth--
			}
			if depth > mostBrackets {
				return &Fault{Line: line, Column: column + 1, Message: fmt.Sprintf("more than %d brackets lie in each other; close them, or write lists on lines of their own", mostBrackets)}
			}
		}
	}
	return nil
}

// marked refuses a byte order mark, and UTF-16 with and without one.
func marked(data []byte) *Fault {
	switch {
	case bytes.HasPrefix(data, []byte("\ufeff")):
		return &Fault{Line: 1, Column: 1, Message: "begins with a byte order mark; write it without one"}
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}), bytes.HasPrefix(data, []byte{0xfe, 0xff}),
		len(data) > 1 && (data[0] == 0) != (data[1] == 0): // one letter of ASCII in two bytes
		return &Fault{Line: 1, Column: 1, Message: "is in UTF-16; write it in UTF-8, without a byte order mark"}
	}
	return nil
}

// notText is the first column of a line that is no text in UTF-8; 0 for none. YAML has no control characters but tabs and the ends of
// lines.
func notText(line []byte) int {
	for at := 0; at < len(line); {
		letter, size := utf8.DecodeRune(line[at:])
		if letter == utf8.RuneError && size == 1 || letter < ' ' && letter != '\t' && letter != '\n' && letter != '\r' || letter == 0x7f {
			return at + 1
		}
		at += size
	}
	return 0
}
