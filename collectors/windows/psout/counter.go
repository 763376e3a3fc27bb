package psout

import (
	"regexp"
	"strings"
)

// counterPath is how Get-Counter prints one counter; the value is on the line below.
var counterPath = regexp.MustCompile(`(\\\\[^\\]+\\[^\\(]+\((.+)\)\\[^\\:]+?) :\s*$`)

// parseCounters reads the text of Get-Counter: computed values by the path of their counter, without a table's columns.
// A text that has none is no text of Get-Counter.
func parseCounters(text string) (records []Record, odd int) {
	path, instance := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if path != "" && line != "" {
			if _, ok := decimal(line); ok && len(records) < maxRecords {
				records = append(records, Record{Named("Path"): path, Named("InstanceName"): instance, Named("CookedValue"): line})
			} else {
				odd++
			}
			path = ""
			continue
		}
		if found := counterPath.FindStringSubmatch(line); found != nil {
			path, instance = found[1], found[2]
		}
	}
	return records, odd
}
