package evaluate

import (
	"slices"
	"strings"
	"testing"

	"github.com/nasight/nasight/internal/strictyaml"
)

const twoHosts = `fleet:
  hosts:
  - &web
    name: web-1
    cores: 8
    mounts:
    - {path: /data, sessions: 1, load: {threads: 8, block_kib: 64}}
    - {path: /logs, sessions: 1}
  - {name: web-2, mounts: [{path: /data}]}
`

// Each row sets something of a host or mount; the text is what the fleet then says.
func TestSet(t *testing.T) {
	for _, row := range []struct {
		name, set string
		target    Target
		want      string // part of the fleet's text, blanks left out; or the error
	}{
		{"a host", "cores: 2", Target{Host: "web-1"}, "name:web-1cores:2"},
		{"what is not there yet", "steal: 0.2", Target{Host: "web-2"}, "steal:0.2"},
		{"a mount", "sessions: 16", Target{Host: "web-1", Mount: "/data"}, "{path:/data,sessions:16,"},
		{"a part of a part", "load: {threads: 64}", Target{Host: "web-1", Mount: "/data"}, "load:{threads:64,block_kib:64}"},
		{"no such host", "cores: 2", Target{Host: "web-3"}, `error: there is no "web-3" in the fleet's hosts`},
		{"no such mount", "sessions: 2", Target{Host: "web-2", Mount: "/logs"}, `error: there is no "/logs" in the fleet's mounts`},
		{"a mount without host", "sessions: 2", Target{Mount: "/data"}, `error: names "/data" without what holds it`},
		{"another name", "name: web-9", Target{Host: "web-1"}, "error: sets name: what is named so cannot be renamed"},
		{"no projects", "number: 2", Target{Project: "p"}, `error: there is no "p" in the fleet's projects`},
	} {
		p := &scenarioParser{file: "f.yml", data: []byte(twoHosts)}
		root, err := p.parseFleet()
		if err != nil {
			t.Fatal(err)
		}
		values, err := strictyaml.Parse("set", []byte(row.set))
		if err != nil {
			t.Fatal(err)
		}
		var got string
		if err := row.target.set(root, values.Docs[0].Body); err != nil {
			got = "error: " + err.Error()
		} else {
			got = strings.NewReplacer(" ", "", "\n", "").Replace(root.String())
		}
		if !strings.Contains(got, row.want) {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}

func TestPathsOfHosts(t *testing.T) {
	p := &scenarioParser{file: "f.yml", data: []byte(twoHosts)}
	if err := strictyaml.Unmarshal("f.yml", p.data, &p.document); err != nil {
		t.Fatal(err)
	}
	if err := p.checkHosts(); err != nil {
		t.Fatal(err)
	}
	for target, want := range map[Target][]string{
		{Host: "web-1"}: {"/data", "/logs"}, {Host: "web-1", Mount: "/logs"}: {"/logs"},
		{Host: "web-2", Mount: "/logs"}: nil, {Project: "web-1"}: nil,
	} {
		if got := p.hosts.paths(target); !slices.Equal(got, want) {
			t.Errorf("%+v mounts %v, want %v", target, got, want)
		}
	}
	if !p.hosts.has("web-2") || p.hosts.has("web-3") {
		t.Error("hosts are not those of the file")
	}
}
