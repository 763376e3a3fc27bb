package main

import (
	"fmt"
	"os"
	"strings"
)

const (
	listBegin = "<!-- panels: made by \"make dashboards\" from dashboards/generate -->\n"
	listEnd   = "<!-- end of panels -->\n"
)

// writeList puts the list of the panels between its marks in the page about dashboards.
func writeList(page string) error {
	data, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, begins := strings.Cut(string(data), listBegin)
	_, after, ends := strings.Cut(rest, listEnd)
	if !begins || !ends {
		return fmt.Errorf("%s: the marks of the list of panels are missing", page)
	}
	return os.WriteFile(page, []byte(before+listBegin+list()+listEnd+after), 0o644)
}

func list() string {
	var text strings.Builder
	for _, b := range boards() {
		fmt.Fprintf(&text, "\n### %s\n\n%s\n\n", strings.TrimPrefix(b.title, "nasight / "), b.description)
		for _, section := range b.sections {
			for _, p := range section.panels {
				fmt.Fprintf(&text, "- **%s** (%s). %s\n", p.title, section.title, p.description)
			}
		}
	}
	return text.String() + "\n"
}
