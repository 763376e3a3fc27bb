package kernel

import "testing"

func TestParseNumber(t *testing.T) {
	for word, want := range map[string]Number{
		"0": 0, "007": 7, "9223372036854775807": 1<<63 - 1, "9223372036854775808": Absent, "18446744073709551615": Absent,
		"": Absent, "-1": Absent, "+1": Absent, "1.5": Absent, "0x10": Absent, "99999999999999999999": Absent,
	} {
		if got := ParseNumber(word); got != want {
			t.Errorf("%q is %d, not %d", word, uint64(got), uint64(want))
		}
	}
}
