package serve

import "testing"

func TestWithNotice(t *testing.T) {
	for in, want := range map[string]string{
		`{}`:        `{"notice":"not \"real\""}`,
		`{"a":1}`:   `{"notice":"not \"real\"","a":1}`,
		`[1]`:       "",
		``:          "",
		`"a string`: "",
	} {
		got, err := withNotice([]byte(in), `not "real"`)
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s, %v", in, got, err)
		}
	}
}
