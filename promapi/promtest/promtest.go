// Package promtest reads with Prometheus's own code what nasight shows and sends, for tests.
package promtest

import (
	"errors"
	"fmt"
	"io"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
)

// Sample is one value of a series.
type Sample struct {
	Labels map[string]string // the name is under __name__; labels without a value are not there
	Value  float64
	Time   int64  // milliseconds since 1970; 0 where none is told
	Type   string // counter, gauge, summary, histogram; "" where none is told
}

// Exposition reads what is scraped, or pushed in the same format. The content type says which format that is.
func Exposition(body []byte, contentType string) ([]Sample, error) {
	parser, err := textparse.New(body, contentType, labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		return nil, fmt.Errorf("read an exposition of type %q: %w", contentType, err)
	}
	var samples []Sample
	kind := ""
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			return samples, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read an exposition, after %d samples: %w", len(samples), err)
		}
		switch entry {
		case textparse.EntryType:
			_, told := parser.Type()
			kind = string(told)
		case textparse.EntrySeries:
			_, at, value := parser.Series()
			one := Sample{Value: value, Type: kind}
			if at != nil {
				one.Time = *at
			}
			var series labels.Labels
			parser.Labels(&series)
			one.Labels = plain(series)
			samples = append(samples, one)
		default:
		}
	}
}

// plain are labels as a map, without those that have no value.
func plain(series labels.Labels) map[string]string {
	all := map[string]string{}
	series.Range(func(label labels.Label) {
		if label.Value != "" {
			all[label.Name] = label.Value
		}
	})
	return all
}
