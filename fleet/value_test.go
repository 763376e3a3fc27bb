package fleet

import (
	"encoding/json"
	"math"
	"testing"
)

func TestMissingValueSatisfiesNoComparison(t *testing.T) {
	for name, v := range map[string]Value{"NaN": Unknown, "+Inf": Value(math.Inf(1)), "-Inf": Value(math.Inf(-1))} {
		if v.Known() || v.AtLeast(0) || v.Above(-1) || v.Below(1) {
			t.Errorf("%s: a missing value must satisfy nothing", name)
		}
		if v.Or(7) != 7 {
			t.Errorf("%s: Or gave %v, want the other value", name, v.Or(7))
		}
	}
}

func TestComparisonsAtTheBoundary(t *testing.T) {
	v := Value(0.9)
	if !v.AtLeast(0.9) || v.Above(0.9) || v.Below(0.9) || !v.Below(0.91) {
		t.Error("0.9 is at least 0.9, not above it and not below it")
	}
}

func TestOver(t *testing.T) {
	for _, c := range []struct {
		a, b  Value
		known bool
		want  float64
	}{
		{6, 3, true, 2},
		{0, 3, true, 0},
		{6, 0, false, 0},
		{6, -1, false, 0},
		{Unknown, 3, false, 0},
		{6, Unknown, false, 0},
	} {
		got := c.a.Over(c.b)
		if got.Known() != c.known || c.known && float64(got) != c.want {
			t.Errorf("%v over %v = %v, want %v (known %v)", c.a, c.b, got, c.want, c.known)
		}
	}
}

func TestPlusAddsWhatIsKnown(t *testing.T) {
	if got := Value(2).Plus(Unknown); got != 2 {
		t.Errorf("2 plus unknown = %v", got)
	}
	if got := Unknown.Plus(3); got != 3 {
		t.Errorf("unknown plus 3 = %v", got)
	}
	if Unknown.Plus(Unknown).Known() {
		t.Error("the sum of two missing values must be missing")
	}
}

func TestMissingValueIsNullInJSON(t *testing.T) {
	data, err := json.Marshal([]Value{1.5, Unknown, Value(math.Inf(1)), 0})
	if err != nil || string(data) != "[1.5,null,null,0]" {
		t.Errorf("got %s, %v", data, err)
	}
}
