package windows

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The script cannot run here. What can be held against the code is: the files that it writes, their properties, and
// that no question goes on after an error, which would be recorded as "there are none".
func TestScriptWritesWhatIsRead(t *testing.T) {
	data, err := os.ReadFile("../../deploy/windows/capture.ps1")
	if err != nil {
		t.Fatal(err)
	}
	script := string(data)
	var written []string
	for _, match := range regexp.MustCompile(`Name = '(\w+)'`).FindAllStringSubmatch(script, -1) {
		written = append(written, match[1])
	}
	for _, row := range kindRows {
		if !slices.Contains(written, row.file) {
			t.Errorf("%s is not written", row.file)
		}
		for _, property := range row.all {
			if !strings.Contains(script, "'"+property+"'") {
				t.Errorf("%s: %s is not recorded", row.file, property)
			}
		}
	}
	for _, name := range written {
		if _, ok := kindOfFile(name + ".json"); !ok {
			t.Errorf("%s is not read", name)
		}
	}
	for _, row := range counterRows {
		if !strings.Contains(script, "'"+row.property+"'") {
			t.Errorf("%s is not recorded", row.property)
		}
	}
	for line := range strings.Lines(script) {
		if asks := regexp.MustCompile(`[{(] *(Get-(Smb|NetAdapter|CimInstance|Counter)\w*)`).FindStringSubmatch(line); asks != nil && !strings.Contains(line, "-ErrorAction Stop") {
			t.Errorf("%s goes on after an error", asks[1])
		}
	}
	code := regexp.MustCompile(`'[^'\n]*'`).ReplaceAllString(script, "")
	for _, pair := range []string{"{}", "()", "[]"} {
		if strings.Count(code, pair[:1]) != strings.Count(code, pair[1:]) {
			t.Errorf("%s are not balanced", pair)
		}
	}
}
