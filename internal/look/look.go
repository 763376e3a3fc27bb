// Package look is what nasight's pages have in common: the built-in page, the list of reports and the reports themselves.
package look

import _ "embed"

//go:embed base.css
var base string

// Style is a page's own style sheet behind the one of all pages: colours for light and dark, headings, tables, marks of severity.
func Style(own string) string { return base + own }
