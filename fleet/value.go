package fleet

import (
	"encoding/json"
	"math"
)

// Value is a measured number that may be missing. A missing value is not zero: it satisfies no comparison, so a rule
// that needs it does not fire, and a guard that should pass without it has to say so.
type Value float64

// Unknown is the missing value.
var Unknown = Value(math.NaN())

// Known tells whether there is a value.
func (v Value) Known() bool { return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0) }

// AtLeast is v >= limit, false if v is missing.
func (v Value) AtLeast(limit float64) bool { return v.Known() && float64(v) >= limit }

// Above is v > limit, false if v is missing.
func (v Value) Above(limit float64) bool { return v.Known() && float64(v) > limit }

// Below is v < limit, false if v is missing.
func (v Value) Below(limit float64) bool { return v.Known() && float64(v) < limit }

// Or is v, or other if v is missing.
func (v Value) Or(other float64) float64 {
	if v.Known() {
		return float64(v)
	}
	return other
}

// Over is the ratio v/w: missing if either is missing or w is not positive.
func (v Value) Over(w Value) Value {
	if !v.Known() || !w.Above(0) {
		return Unknown
	}
	return v / w
}

// Plus adds what is known of v and w; the sum of two missing values is missing.
func (v Value) Plus(w Value) Value {
	if !v.Known() {
		return w
	}
	return v + Value(w.Or(0))
}

// MarshalJSON writes a missing value as null.
func (v Value) MarshalJSON() ([]byte, error) {
	if !v.Known() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(v))
}

// UnmarshalJSON reads null as the missing value.
func (v *Value) UnmarshalJSON(data []byte) error {
	number := (*float64)(nil)
	if err := json.Unmarshal(data, &number); err != nil {
		return err
	}
	*v = Unknown
	if number != nil {
		*v = Value(*number)
	}
	return nil
}
