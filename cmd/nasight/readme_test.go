package main

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the examples in README.md")

// example finds the commands whose output the README shows: the marker and the fenced block below it.
var example = regexp.MustCompile("<!-- example: (.*) -->\n```\n(?s:(.*?))```\n")

// TestReadmeShowsRealOutput runs every example of the README.
func TestReadmeShowsRealOutput(t *testing.T) {
	t.Chdir("../..")
	data, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(data)
	blocks := example.FindAllStringSubmatch(readme, -1)
	if len(blocks) == 0 {
		t.Fatal("README.md shows no output of a command")
	}
	for _, block := range blocks {
		got := nasight(t, strings.Fields(block[1])...)
		if *update {
			readme = strings.Replace(readme, block[0], "<!-- example: "+block[1]+" -->\n```\n"+got.out+"```\n", 1)
			continue
		}
		if diff := cmp.Diff(strings.Split(block[2], "\n"), strings.Split(got.out, "\n")); diff != "" {
			t.Errorf("the output of nasight %s changed (-README +now), go test ./cmd/nasight -update:\n%s", block[1], diff)
		}
	}
	if *update {
		if err := os.WriteFile("README.md", []byte(readme), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A command that is left behind in the background races with what is printed below it.
func TestReadmeLeavesNothingInTheBackground(t *testing.T) {
	for _, page := range []string{"../../README.md", "../../docs/google-cloud.md", "../../docs/azure.md", "../../docs/configuration.md"} {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if found := regexp.MustCompile(`(?m)^(bin/)?nasight [^#\n]*&\s*(#.*)?$`).Find(data); found != nil {
			t.Errorf("%s: %s", page, found)
		}
	}
}
