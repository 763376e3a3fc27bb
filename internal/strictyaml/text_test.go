package strictyaml

import (
	"strings"
	"testing"
)

// What is no text is refused at its first line, whatever it is.
func TestWhatIsNoText(t *testing.T) {
	for text, want := range map[string]string{
		"\xff\xfen\x00a\x00":         "f.yml:1: is in UTF-16; write it in UTF-8",
		"\xfe\xff\x00n\x00a":         "f.yml:1: is in UTF-16; write it in UTF-8",
		"n\x00a\x00m\x00":            "f.yml:1: is in UTF-16; write it in UTF-8",
		"\x00n\x00a":                 "f.yml:1: is in UTF-16; write it in UTF-8",
		"name: x\nb: \xe4\n":         "f.yml:2: is no text in UTF-8 here",
		"\x7fELF\x02\x01\x01\x00":    "f.yml:1: is no text in UTF-8 here",
		"name: x\x1b[0m\n":           "f.yml:1: is no text in UTF-8 here",
		"\x00\x00\x00\x00":           "f.yml:1: is no text in UTF-8 here",
		"rows:\n\t- a: 1\n":          "f.yml:2: a tab stands where YAML takes spaces alone; indent with spaces",
		"name: x\nname: y\n":         "f.yml:2: mapping key \"name\" already defined at [1:1]; keep one of them",
		"name: [x\n":                 "; look at the indentation, colons, quotes and brackets here",
		"just text\n":                "f.yml:1: expected keys with values, found a text",
		"name: é\r\nrows: []\r\n":    "",
		"name: \"\ttab\"\n# \tx\n\n": "",
	} {
		var into document
		err := Unmarshal("f.yml", []byte(text), &into)
		switch {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %s", text, err, want)
		case err != nil && strings.Contains(err.Error(), "\n"):
			t.Errorf("%q: not one line: %v", text, err)
		}
	}
}
