package compose

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const text = `
x-service: &service
  restart: unless-stopped
  cap_drop: [ALL]
services:
  one:
    <<: *service
    image: example:1.2
    command: ${COMMAND:-demo --flag=1}
    volumes: ["./a.yml:/etc/a.yml:ro", "data:/var/lib/data"]
  two:
    <<: *service
    command: [run, "--file=a b"]
volumes: {data: {}}
`

func parse(t *testing.T, text string, values map[string]string) File {
	t.Helper()
	file, err := Parse("docker-compose.yml", []byte(text), values)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestParse(t *testing.T) {
	file := parse(t, text, nil)
	one, two := file.Services["one"], file.Services["two"]
	if one.Restart != "unless-stopped" || !cmp.Equal(one.CapDrop, []string{"ALL"}) || one.Image != "example:1.2" {
		t.Errorf("one: %+v, want its own image and the template's keys", one)
	}
	if diff := cmp.Diff(Words{"demo", "--flag=1"}, one.Command); diff != "" {
		t.Errorf("the default command (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Words{"run", "--file=a b"}, two.Command); diff != "" {
		t.Errorf("a command that is a list (-want +got):\n%s", diff)
	}
	mounts, err := one.Mounts()
	want := []Mount{{"./a.yml", "/etc/a.yml", true}, {"data", "/var/lib/data", false}}
	if diff := cmp.Diff(want, mounts); diff != "" || err != nil {
		t.Errorf("error %v, mounts (-want +got):\n%s", err, diff)
	}
	if !mounts[0].Bind() || mounts[1].Bind() {
		t.Errorf("mounts %+v: want a file and a volume", mounts)
	}
	serving := parse(t, text, map[string]string{"COMMAND": "serve --config.file=a.yml"})
	if diff := cmp.Diff(Words{"serve", "--config.file=a.yml"}, serving.Services["one"].Command); diff != "" {
		t.Errorf("the command of a variable (-want +got):\n%s", diff)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"an unknown key":              {"services:\n  one: {imagine: x}\n", "docker-compose.yml:2"},
		"a key written twice":         {"volumes: {}\nvolumes: {}\n", "docker-compose.yml:2"},
		"a variable without a value":  {"services:\n  one:\n    image: ${NAME}\n", "NAME"},
		"a command that is a mapping": {"services:\n  one: {command: {a: b}}\n", "command"},
	} {
		if _, err := Parse("docker-compose.yml", []byte(c.text), nil); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want %q in it", name, err, c.says)
		}
	}
	if mounts, err := (Service{Volumes: []string{"./a:/b:rw"}}).Mounts(); err == nil {
		t.Errorf("a mount with another option: %+v, want an error", mounts)
	}
}

func TestEnvironment(t *testing.T) {
	values, err := Environment([]byte("# why\n\nA=serve --x=y\n#B=1\nC=\n"))
	if diff := cmp.Diff(map[string]string{"A": "serve --x=y", "C": ""}, values); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	if _, err := Environment([]byte("A=1\nB\n")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a line without =: error %v, want its number", err)
	}
}

func TestVariables(t *testing.T) {
	if diff := cmp.Diff([]string{"A", "B_C"}, Variables([]byte("${A} ${B_C:-x} $D"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
