package psout

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// looksLikeJSON tells JSON from other text by its beginning. A prompt of a remote host begins with a bracket, too.
func looksLikeJSON(text []byte) bool {
	if text[0] == '{' || bytes.Equal(text, []byte("null")) {
		return true
	}
	rest := bytes.TrimLeft(text[1:], " \t\r\n")
	return text[0] == '[' && len(rest) > 0 && bytes.IndexByte([]byte(`{]["0123456789ntf-`), rest[0]) >= 0 && !prompt.Match(text)
}

// parseJSON reads one or more documents, one behind the other.
func parseJSON(text []byte) (records []Record, odd int) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	for {
		var document any
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return records, odd
		}
		if err != nil {
			return records, odd + 1
		}
		records, odd = appendValue(records, odd, document, 0)
		if len(records) > maxRecords {
			return records, odd
		}
	}
}

// maxNesting is of arrays around the objects; ConvertTo-Json writes two at most.
const maxNesting = 4

// appendValue takes an object, an array of them, or what ConvertTo-Json makes of a wrapped array: value and Count.
// What Get-Counter gives holds its samples one level deeper.
func appendValue(records []Record, odd int, value any, depth int) ([]Record, int) {
	if depth > maxNesting {
		return records, odd + 1
	}
	switch value := value.(type) {
	case nil:
		return records, odd
	case []any:
		for _, element := range value {
			records, odd = appendValue(records, odd, element, depth+1)
		}
		return records, odd
	case map[string]any:
		for _, wrapper := range []string{"value", "CounterSamples"} {
			inner, ok := value[wrapper].([]any)
			_, counted := value["Count"]
			if ok && (counted || wrapper != "value") {
				return appendValue(records, odd, inner, depth+1)
			}
		}
		return append(records, object(value)), odd
	}
	return records, odd + 1
}

func object(value map[string]any) Record {
	record := Record{}
	record.setAll(value)
	record.setInstance(value["CimInstanceProperties"])
	return record
}

func (r Record) setAll(properties map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if text, ok := scalar(properties[name]); ok && !noise[Named(name)] {
			r.set(name, text)
		}
	}
}

// setInstance takes properties that a deep ConvertTo-Json lists apart: by name and value, or as objects.
func (r Record) setInstance(properties any) {
	list, _ := properties.([]any)
	for _, element := range list {
		property, ok := element.(map[string]any)
		if !ok {
			continue
		}
		if name, named := property["Name"].(string); named && len(property) > 1 {
			if text, ok := scalar(property["Value"]); ok {
				r.set(name, text)
			}
			continue
		}
		r.setAll(property)
	}
}

// scalar is a value as a list would print it; a list of values has braces. An object has no text.
func scalar(value any) (string, bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case bool:
		return strconv.FormatBool(value), true
	case json.Number:
		return number(value), true
	case []any:
		var parts []string
		for _, element := range value {
			if text, ok := scalar(element); ok {
				parts = append(parts, text)
			}
		}
		return "{" + strings.Join(parts, ", ") + "}", len(parts) > 0
	}
	return "", false
}

// number keeps whole numbers to the last digit. Others get an exponent, so that no point in them is ever taken for the
// mark between groups of digits that a printed number has in some languages.
func number(value json.Number) string {
	text := value.String()
	if !strings.ContainsAny(text, ".eE") {
		return text
	}
	parsed, err := value.Float64()
	if err != nil {
		return text
	}
	if parsed == math.Trunc(parsed) && math.Abs(parsed) < 1<<53 {
		return strconv.FormatFloat(parsed, 'f', -1, 64)
	}
	return strconv.FormatFloat(parsed, 'e', -1, 64)
}
