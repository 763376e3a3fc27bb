package config

import (
	"strings"

	"github.com/goccy/go-yaml/printer"
	"github.com/goccy/go-yaml/token"
)

// What is quoted of a file is cut, in characters: a minified file has one line of any length.
const (
	longestLine    = 200
	longestValue   = 100
	longestMessage = 500
)

// show quotes the lines around a token. Where the token lies beyond what is quoted of its line, the line that points at it
// is left out.
func (p *Problem) show(tok *token.Token) {
	if tok == nil {
		return
	}
	var quoted printer.Printer
	lines := strings.Split(strings.TrimRight(quoted.PrintErrorToken(tok, false), "\n"), "\n")
	kept := lines[:0]
	for _, line := range lines {
		if strings.Trim(line, " ^") == "" && len(line) > longestLine {
			continue
		}
		kept = append(kept, cut(line, longestLine))
	}
	p.Excerpt = strings.Join(kept, "\n")
}

// cut shortens a text to a number of characters and says that it did.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	letters := []rune(text)
	if len(letters) <= most {
		return text
	}
	return string(letters[:most]) + "..."
}
