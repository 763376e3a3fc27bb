package deploy_test

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nasight/nasight/config"
)

// instruction is one of a Dockerfile, with its continuation lines joined.
type instruction struct{ name, arguments string }

func dockerfile(t *testing.T) (text string, instructions []instruction) {
	t.Helper()
	data, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	text = string(data)
	joined := strings.ReplaceAll(text, "\\\n", " ")
	for line := range strings.Lines(joined) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, arguments, _ := strings.Cut(line, " ")
		instructions = append(instructions, instruction{name, strings.Join(strings.Fields(arguments), " ")})
	}
	return text, instructions
}

func arguments(instructions []instruction, name string) []string {
	var found []string
	for _, each := range instructions {
		if each.name == name {
			found = append(found, each.arguments)
		}
	}
	return found
}

func TestImageHoldsStaticProgramsAlone(t *testing.T) {
	_, all := dockerfile(t)
	from := arguments(all, "FROM")
	if len(from) != 2 || from[1] != "scratch" {
		t.Fatalf("FROM %q, want a build stage and scratch", from)
	}
	build := strings.Join(arguments(all, "RUN"), "\n")
	for _, want := range []string{"CGO_ENABLED=0", "-trimpath"} {
		if !strings.Contains(build, want) {
			t.Errorf("the build lacks %s", want)
		}
	}
	if last := slices.IndexFunc(all, func(i instruction) bool { return i.arguments == "scratch" }); arguments(all[last:], "RUN") != nil {
		t.Error("the last stage runs a command; scratch has nothing to run")
	}
	if arguments(all, "ADD") != nil {
		t.Error("ADD fetches and unpacks; use COPY")
	}
}

func TestImageRunsUnprivileged(t *testing.T) {
	_, all := dockerfile(t)
	users := arguments(all, "USER")
	if len(users) != 1 {
		t.Fatalf("USER %q, want one", users)
	}
	for part := range strings.SplitSeq(users[0], ":") {
		// A number, as an orchestrator can tell only from a number that it is not root.
		if id, err := strconv.Atoi(part); err != nil || id == 0 {
			t.Errorf("USER %s, want numbers above 0", users[0])
		}
	}
	for _, name := range []string{"VOLUME", "WORKDIR"} {
		if !slices.Contains(arguments(all, name), "/var/lib/nasight") {
			t.Errorf("%s is not /var/lib/nasight", name)
		}
	}
	for _, name := range []string{"ENTRYPOINT", "CMD"} {
		if got := arguments(all, name); len(got) != 1 || !strings.HasPrefix(got[0], "[") {
			t.Errorf("%s %q, want one in exec form: there is no shell", name, got)
		}
	}
}

// A toolchain older than go.mod asks for does not build; a tag without a version is another image each month.
func TestImageBuildsWithTheModulesGo(t *testing.T) {
	_, all := dockerfile(t)
	data, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	need := regexp.MustCompile(`(?m)^go (\d+)\.(\d+)\.(\d+)$`).FindStringSubmatch(string(data))
	have := regexp.MustCompile(`^golang:(\d+)\.(\d+)\.(\d+)-\w+ AS build$`).FindStringSubmatch(arguments(all, "FROM")[0])
	if need == nil || have == nil {
		t.Fatalf("go.mod asks for %q and the image has %q, want three numbers each", need, have)
	}
	if slices.Compare(numbers(t, have[1:]), numbers(t, need[1:])) < 0 {
		t.Errorf("the image builds with Go %s, go.mod asks for %s", have[1:], need[1:])
	}
}

func numbers(t *testing.T, texts []string) []int {
	t.Helper()
	values := make([]int, len(texts))
	for i, text := range texts {
		value, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		values[i] = value
	}
	return values
}

// The configuration that the comment shows is one that nasight takes, and names the paths that the command mounts.
func TestCommentsConfigurationIsValid(t *testing.T) {
	text, _ := dockerfile(t)
	var lines []string
	for line := range strings.Lines(text) {
		if after, ok := strings.CutPrefix(line, "#   "); ok && (strings.HasPrefix(after, "hosts:") || len(lines) > 0) {
			lines = append(lines, after)
		} else if len(lines) > 0 {
			break
		}
	}
	parsed, err := config.Parse([]byte(strings.Join(lines, "")), "Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	if len(parsed.Hosts) != 1 {
		t.Fatalf("hosts: %v, want one", parsed.Hosts)
	}
	host := parsed.Hosts[0]
	for _, mount := range []string{"/proc:" + host.Procfs, "/sys:" + host.Sysfs, "/etc/modprobe.d:" + host.Modprobe} {
		if !strings.Contains(text, "-v "+mount+":ro") {
			t.Errorf("the command does not mount %s", mount)
		}
	}
}
