package promapi

import (
	"fmt"

	"github.com/prometheus/prometheus/promql/parser"
)

// maxTokens bounds a query outside of its braces: names, numbers, operators, parentheses. The time to prepare a query grows
// with the square of how deep these nest, and every operator nests.
const maxTokens = 5000

// checkSize refuses a query that would take long before anything is evaluated.
func checkSize(query string) error {
	lexer := parser.Lex(query)
	var item parser.Item
	for count, braces := 0, 0; ; {
		switch lexer.NextItem(&item); item.Typ {
		case parser.EOF, parser.ERROR: // the parser says what is wrong
			return nil
		case parser.LEFT_BRACE:
			braces++
		case parser.RIGHT_BRACE:
			braces--
		}
		if braces > 0 {
			continue
		}
		if count++; count > maxTokens {
			return badParameter("query", fmt.Errorf("more than %d names, numbers, operators and parentheses: ask for less at a time", maxTokens))
		}
	}
}
