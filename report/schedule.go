package report

import (
	"cmp"
	"slices"
	"time"
)

// Due is the newest week whose report is due at a moment: so long after its end.
func Due(now time.Time, after time.Duration) Week { return LastClosed(now.Add(-after)) }

// Lacking tells whether a directory with these files lacks a week's report in one of the formats.
func Lacking(files []string, week Week, formats []string) bool {
	for _, format := range formats {
		if !slices.Contains(files, (&Weekly{Week: week}).FileName(format)) {
			return true
		}
	}
	return false
}

// Listed are the reports among a directory's files, the newest first. Files of others are left out.
func Listed(files []string) []string {
	var listed []string
	for _, name := range files {
		if _, _, ours := ParseFileName(name); ours {
			listed = append(listed, name)
		}
	}
	slices.SortFunc(listed, func(a, b string) int {
		one, _, _ := ParseFileName(a)
		other, _, _ := ParseFileName(b)
		return cmp.Or(other.From().Compare(one.From()), cmp.Compare(a, b))
	})
	return listed
}

// Outdated are the reports among a directory's files that are not of the newest weeks that are kept.
func Outdated(files []string, keep int) []string {
	var old []string
	weeks := map[Week]bool{}
	for _, name := range Listed(files) {
		week, _, _ := ParseFileName(name)
		if weeks[week] = true; len(weeks) > keep {
			old = append(old, name)
		}
	}
	return old
}
