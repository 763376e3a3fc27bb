package strictyaml

import (
	"strings"
	"testing"
)

type document struct {
	Name string            `yaml:"name"`
	Rows []struct{ A int } `yaml:"rows"`
}

func TestErrorsNameFileAndLine(t *testing.T) {
	for text, want := range map[string]string{
		"name: x\nnam: y\n":                              `f.yml:2: nam: no such setting; did you mean name?`,
		"name: x\nrows:\n- a: 1\n- a: 1\n  b: 2\n":       `f.yml:5: rows[1].b: no such setting; there are a`,
		"name: x\nname: y\n":                             `f.yml:2: `,
		"\ufeffname: x\n":                                "f.yml:1: begins with a byte order mark",
		"# a\n---\nname: x\n---\nname: y\n":              "f.yml:4: a second document begins",
		"name: x\nrows: " + strings.Repeat("[", 100_000): "f.yml:2: more than 200 brackets",
		"name: x\nrows: {a\n":                            `f.yml:2: `,
		"name: x\nrows:\n- a: many\n":                    `f.yml:3: `,
	} {
		var into document
		err := Unmarshal("f.yml", []byte(text), &into)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s…", text, err, want)
		}
	}
}

func TestDecodePart(t *testing.T) {
	file, err := Parse("f.yml", []byte("other: 1\npart:\n  name: x\n  size: 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	var into document
	part := find(file, "part")
	if err := Decode("f.yml", part, &into); err == nil || err.Error() != "f.yml:4: size: no such setting; there are name, rows" {
		t.Errorf("%v", err)
	}
	if !Loose(part, &into) || into.Name != "x" || Loose(part, new(int)) {
		t.Errorf("read loosely: %+v", into)
	}
	if _, err := Parse("f.yml", []byte("a: [")); err == nil || !strings.HasPrefix(err.Error(), "f.yml:1: ") {
		t.Errorf("%v", err)
	}
}

func TestLineOf(t *testing.T) {
	data := []byte("name: x\nrows:\n- a: 1\n- a: 2\n")
	for key, want := range map[string]int{"name": 1, "rows[1].a": 4, "rows[1].b": 4, "rows[7]": 3, "none": 1, "": 1} {
		if got := LineOf(data, key); got != want {
			t.Errorf("line of %q is %d, want %d", key, got, want)
		}
	}
}
