package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever is named in the place of a configuration file is one line that says what it is and what to do, and exit code 2.
func TestConfigCheckOfWhatIsNoConfiguration(t *testing.T) {
	t.Chdir(t.TempDir())
	large, err := os.Create("large.yml")
	if err != nil {
		t.Fatal(err)
	}
	if err := large.Truncate(100 << 20); err != nil { // 100 MiB that take no space
		t.Fatal(err)
	}
	if err := large.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"binary.yml": "\x7fELF\x02\x01\x01\x00", "utf16.yml": "\xff\xfew\x00e\x00b\x00:\x00", "unmarked.yml": "w\x00e\x00b\x00:\x00",
		"marked.yml": "\ufeffweb:\n", "latin.yml": "cloud: gce\n# \xe4\n", "text.yml": "not a configuration\n", "tab.yml": "web:\n\tlisten_address: \":1\"\n",
		"key.yml": "history: {retension: 1d}\n", "number.yml": "report: {keep: 1.5}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"":             "nasight.yml: there is no such configuration file; write the path of one that is there",
		"none.yml":     "none.yml: there is no such configuration file; write the path of one that is there",
		".":            ".: is a directory and no configuration file; write the path of a file, such as nasight.yml",
		"large.yml":    "large.yml: has more than 4 MiB and is no configuration file; write the path of one",
		"binary.yml":   "binary.yml:1:1: is no text in UTF-8 here; ",
		"utf16.yml":    "utf16.yml:1:1: is in UTF-16; write it in UTF-8, without a byte order mark",
		"unmarked.yml": "unmarked.yml:1:1: is in UTF-16; write it in UTF-8",
		"marked.yml":   "marked.yml:1:1: begins with a byte order mark; write it without one",
		"latin.yml":    "latin.yml:2:3: is no text in UTF-8 here; ",
		"text.yml":     "text.yml:1:1: expected keys with values, found a text",
		"tab.yml":      "tab.yml:2:1: a tab stands where YAML takes spaces alone; indent with spaces",
		"key.yml":      "key.yml:1:11: history.retension: no such setting; did you mean retention?",
		"number.yml":   "number.yml:1:16: report.keep: 1.5 is no whole number; write 1 or 2",
	} {
		args := []string{"config", "check"}
		if name != "" {
			args = append(args, name)
		}
		got := nasight(t, args...)
		if got.code != exitUsage || !strings.HasPrefix(got.err, "nasight: "+want) || strings.Count(got.err, "\n") != 1 || got.out != "" {
			t.Errorf("%s: %+v, want %s", name, got, want)
		}
	}
	if os.PathSeparator == '/' {
		if got := nasight(t, "config", "check", "/dev/zero"); got.code != exitUsage || !strings.Contains(got.err, "has more than 4 MiB") {
			t.Errorf("a device without an end: %+v", got)
		}
	}
}

// A file that sets nothing is the defaults, as no file is, and that is said: it may have been meant otherwise.
func TestConfigCheckOfNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "nasight.yml")
	for text, note := range map[string]bool{"": true, "# a comment\n": true, "\n\n": true, "cloud: gce\n": false} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := nasight(t, "config", "check", file)
		if got.code != exitOK || strings.Contains(got.out, "sets nothing: every key has its default") != note {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// Numbers and times of flags are in plain digits and finite.
func TestFlagsInOddDigits(t *testing.T) {
	for _, line := range []string{
		"capture --out=x --moments=0x10", "check --moments=017", "check --interval=-1s", "check --interval=NaN", "capture --out=x --duration=1e400s", "demo --seed=1_000",
		"demo --speed=Inf", "demo --speed=1e400", "evaluate --workers=1.5", "plan --headroom=NaN", "plan --reserve=-Inf", "ready --timeout=5", "config check --timeout=-1s",
		"rules export --poll-interval=9999999w", "emulator --seed=-1",
	} {
		args := strings.Fields(line)
		flag, _, _ := strings.Cut(args[len(args)-1], "=")
		got := nasight(t, args...)
		_, last, _ := strings.Cut(got.err, "nasight: ")
		if got.code != exitUsage || !strings.HasPrefix(last, flag+": ") || !strings.Contains(last, "write ") || strings.Count(last, "\n") != 1 {
			t.Errorf("%s: exit code %d, %s", line, got.code, got.err)
		}
	}
}
