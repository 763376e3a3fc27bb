package smb

import (
	"bytes"

	"github.com/nasight/nasight/collectors/internal/kernel"
)

// words takes a text apart at blanks and line ends. Keys of these files are words, and where a line is wrapped they
// stay words, so the parsers look at words and not at lines.
type words struct {
	data []byte
	pos  int
}

// next returns the next word and whether it is the first one of its line.
func (w *words) next() (word []byte, isFirst, ok bool) {
	isFirst = w.pos == 0
	for w.pos < len(w.data) && isSpace(w.data[w.pos]) {
		isFirst = isFirst || w.data[w.pos] == '\n'
		w.pos++
	}
	start := w.pos
	for w.pos < len(w.data) && !isSpace(w.data[w.pos]) {
		w.pos++
	}
	return w.data[start:w.pos], isFirst, w.pos > start
}

// peek returns the next word and stays where it is.
func (w *words) peek() []byte {
	ahead := *w
	word, _, _ := ahead.next()
	return word
}

// value takes the next word if it can be a value: what ends in a colon is the next key.
func (w *words) value() []byte {
	ahead := *w
	word, _, ok := ahead.next()
	if !ok || word[len(word)-1] == ':' {
		return nil
	}
	*w = ahead
	return word
}

// restOfLine takes what is left of the line, without blanks around it.
func (w *words) restOfLine() []byte {
	rest := w.data[w.pos:]
	if end := bytes.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	w.pos += len(rest)
	return trimBlanks(rest)
}

// wholeWords drops the word that a text ends in without a blank or a line end: it may be the first half of one, as a
// number's first digits are.
func wholeWords(data []byte) (whole []byte, cut bool) {
	end := len(data)
	for end > 0 && !isSpace(data[end-1]) {
		end--
	}
	return data[:end], end < len(data)
}

func isSpace(c byte) bool { return c <= ' ' && (c == ' ' || c == '\t' || c == '\n' || c == '\r') }

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

func trimBlanks(line []byte) []byte {
	for len(line) > 0 && isBlank(line[0]) {
		line = line[1:]
	}
	for len(line) > 0 && isBlank(line[len(line)-1]) {
		line = line[:len(line)-1]
	}
	return line
}

// itemNumber reads "3)", which begins an item of a list.
func itemNumber(word []byte) (Number, bool) {
	digits, ok := bytes.CutSuffix(word, []byte(")"))
	if !ok {
		return Absent, false
	}
	n := kernel.ParseNumber(digits)
	return n, n.Known()
}
