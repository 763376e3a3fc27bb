package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/nasight/nasight/detectors"
)

// thresholds checks the thresholds. The detectors tell the first that cannot work: it is replaced by its default then, and
// they are asked again, so that all are told together.
func (c *check) thresholds(detection Detection) {
	failed := map[string]bool{}
	detection.For, detection.Keep, detection.Prices, detection.Anomalies = 0, 0, nil, defaultAnomalies() // checked by themselves
	for {
		err := detection.Settings().Validate()
		if err == nil {
			break
		}
		// The message begins with the threshold's name.
		name, rest, _ := strings.Cut(strings.TrimPrefix(err.Error(), "detectors: "), " ")
		if failed[name] {
			break // it is bad beside another one
		}
		failed[name] = true
		c.fail("detection.thresholds."+name, "%s", rest)
		if !mend(&detection.Thresholds, name) {
			break
		}
	}
	for name := range failed {
		if strings.HasPrefix(name, "multichannel.") {
			return // the order of values that cannot be means nothing
		}
	}
	c.multichannel(detection.Thresholds.Multichannel)
}

// multichannel wants its numbers of requests in the order in which the detector reads them.
func (c *check) multichannel(m detectors.MultichannelSettings) {
	const key = "detection.thresholds.multichannel."
	if m.Several <= m.Single {
		c.fail(key+"several", "%g is not above single, which is %g: work would have one thread and several at once; write single < several <= many", m.Several, m.Single)
	}
	if m.Many < m.Several {
		c.fail(key+"many", "%g is below several, which is %g; write single < several <= many", m.Many, m.Several)
	}
}

// mend gives the threshold of a name, as session.busiest, its default. It tells whether there is such a threshold.
func mend(thresholds *Thresholds, name string) bool {
	value, standard := reflect.ValueOf(thresholds).Elem(), reflect.ValueOf(defaultDetection().Thresholds)
	for part := range strings.SplitSeq(name, ".") {
		at := tagged(value.Type(), part)
		if at < 0 {
			return false
		}
		value, standard = value.Field(at), standard.Field(at)
	}
	value.Set(standard)
	return true
}

// tagged is the field of a structure that a key of the file fills; -1 for none.
func tagged(t reflect.Type, key string) int {
	if t.Kind() != reflect.Struct {
		return -1
	}
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("yaml") == key {
			return i
		}
	}
	return -1
}

// prices tells all that is wrong with each row.
func (c *check) prices(rows []detectors.PriceRow) {
	for i, row := range rows {
		for _, mistake := range row.Mistakes() {
			c.section(fmt.Sprintf("detection.prices[%d]", i), errors.New(mistake))
		}
	}
}
