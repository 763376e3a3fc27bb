// Package psout reads what PowerShell prints or writes of objects: JSON of ConvertTo-Json, lists of Format-List, tables
// of Format-Table, and the text of Get-Counter, of Windows PowerShell 5.1 and of PowerShell 7. A text may hold several
// of them, with prompts between. The kind of an object is not looked at: a record is a set of properties.
package psout

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"unicode"
)

const (
	maxRecords    = 100_000 // of one text
	maxProperties = 1_000   // of one record
)

// Record is the properties of one object. Names are compared by their letters and digits alone, in lower case, so that
// the column "Client RSS Capable" is the property ClientRSSCapable, and the counter "Read Bytes/sec" is the property
// ReadBytesPersec. A property without a value is absent.
type Record map[string]string

// Parse reads all records of a text. What is no part of a record, or makes none, is counted as odd and costs itself:
// a line, a row of a table, an element of an array. Nothing at all is zero records.
func Parse(data []byte) (records []Record, odd int) {
	text, ok := decode(data)
	if !ok {
		return nil, 1
	}
	trimmed := bytes.TrimSpace(text)
	switch {
	case len(trimmed) == 0:
		return nil, 0
	case looksLikeJSON(trimmed):
		records, odd = parseJSON(trimmed)
	default:
		records, odd = parseText(string(text))
	}
	if extra := len(records) - maxRecords; extra > 0 {
		records, odd = records[:maxRecords], odd+extra
	}
	return records, odd
}

// Text is the value of a property, empty where there is none.
func (r Record) Text(property string) string { return r[Named(property)] }

// Names are the names of the properties, in the form in which they are compared, sorted.
func (r Record) Names() []string { return slices.Sorted(maps.Keys(r)) }

// Has tells whether the record has a value for every one of the properties.
func (r Record) Has(properties ...string) bool {
	for _, property := range properties {
		if _, ok := r[Named(property)]; !ok {
			return false
		}
	}
	return true
}

// set keeps the first value of a property.
func (r Record) set(property, value string) {
	name, value := Named(property), strings.TrimSpace(value)
	if _, twice := r[name]; name != "" && value != "" && !twice && len(r) < maxProperties {
		r[name] = value
	}
}

// Named is the form in which names of properties are compared: letters and digits in lower case, "per" for a slash.
func Named(property string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, strings.ReplaceAll(property, "/", "per"))
}

// Truncated tells whether a value was cut to fit a table: by three dots, or by their character.
func Truncated(value string) bool {
	return strings.HasSuffix(value, "...") || strings.HasSuffix(value, "…")
}

// noise are properties that the cmdlets add to what they print of CIM instances.
var noise = map[string]bool{
	"cimclass": true, "cimsystemproperties": true, "ciminstanceproperties": true, "runspaceid": true,
	"psshowcomputername": true,
}
