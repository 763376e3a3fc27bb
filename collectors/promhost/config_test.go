package promhost

import (
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
)

func TestValidate(t *testing.T) {
	tests := map[string]struct {
		change func(*Config)
		want   string // the key of the only problem; empty for none
	}{
		"least": {func(*Config) {}, ""},
		"all": {func(c *Config) {
			c.Match = `job="node", instance!~'a\'b.*'`
			c.HostLabel = "nodename"
			c.Interval = time.Minute
		}, ""},
		"no URL":          {func(c *Config) { c.URL = "prometheus:9090" }, "url"},
		"user in the URL": {func(c *Config) { c.URL = "http://a:secret@example.com" }, "url"},
		"query":           {func(c *Config) { c.URL = "http://example.com/?a=b" }, "url"},
		"braces":          {func(c *Config) { c.Match = `{job="node"}` }, "match"},
		"no value":        {func(c *Config) { c.Match = `job=` }, "match"},
		"injection":       {func(c *Config) { c.Match = `job="a"} or up{job="b"` }, "match"},
		"label":           {func(c *Config) { c.HostLabel = "a-b" }, "host_label"},
		"too often":       {func(c *Config) { c.Interval = time.Second }, "interval"},
		"too rarely":      {func(c *Config) { c.Interval = time.Hour }, "interval"},
		"user alone":      {func(c *Config) { c.BasicAuth.Username = "a" }, "basic_auth"},
		"two credentials": {func(c *Config) { c.BasicAuth = BasicAuth{"a", "b"}; c.BearerTokenFile = "c" }, "bearer_token_file"},
		"half a pair":     {func(c *Config) { c.TLS.CertFile = "a" }, "tls"},
		"reserved header": {func(c *Config) { c.Headers = map[string]string{"Authorization": "x"} }, "headers"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cfg := Config{URL: "http://prometheus.example.com:9090/path"}
			test.change(&cfg)
			err := cfg.Validate()
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), test.want+": ") || strings.Contains(err.Error(), "secret") {
				t.Errorf("error %v, want one of %s", err, test.want)
			}
			if _, err := New(cfg, "nasight/1.2"); err == nil {
				t.Error("a source of it is made")
			}
		})
	}
}

// The server sees the credentials and headers, over TLS with an authority of its own.
func TestCredentials(t *testing.T) {
	seen := make(chan http.Header, 100)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header
		say(200, `{"status":"success","data":{"resultType":"matrix","result":[]}}`)(nil, w, r)
	}))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // of handshakes that fail on purpose
	t.Cleanup(server.Close)
	file := func(name, content string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	authority := file("ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	for want, change := range map[string]func(*Config){
		"Bearer token-1":     func(c *Config) { c.BearerTokenFile = file("token", "token-1\n") },
		"Basic dXNlcjpwYXNz": func(c *Config) { c.BasicAuth = BasicAuth{"user", file("password", "pass\n")} },
		"":                   func(c *Config) { c.Headers = map[string]string{"X-Scope-OrgID": "team-a"} },
	} {
		cfg := Config{URL: server.URL, TLS: TLS{CAFile: authority}}
		change(&cfg)
		s, err := New(cfg, "nasight/1.2")
		if err != nil {
			t.Fatal(err)
		}
		if result := collect(t, s); !result.Success() {
			t.Fatal(result.Err)
		}
		header := <-seen
		for range len(s.groups) - 1 {
			<-seen
		}
		if header.Get("Authorization") != want || want == "" && header.Get("X-Scope-OrgID") != "team-a" {
			t.Errorf("headers %v, want %q", header, want)
		}
		_ = s.Close()
	}
	distrusted, err := New(Config{URL: server.URL}, "nasight/1.2")
	if err != nil {
		t.Fatal(err)
	}
	if result := collect(t, distrusted); result.Success() {
		t.Error("a certificate of nobody is trusted")
	}
	_ = distrusted.Close()
	if _, err := New(Config{URL: server.URL, BearerTokenFile: filepath.Join(t.TempDir(), "none")}, "nasight/1.2"); collectors.ReasonOf(err) != collectors.ReasonNotFound {
		t.Errorf("missing token: error %v", err)
	}
}

func TestEntry(t *testing.T) {
	s := newPrometheus(t).source()
	entry := s.Entry("promhost")
	if entry.Name != "promhost" || entry.Interval != defaultInterval || entry.Timeout > entry.Interval {
		t.Errorf("entry %+v", entry)
	}
	if c, err := entry.New(collectors.Root{}, collectors.Settings{}); err != nil || c != collectors.Collector(s) {
		t.Errorf("collector %v, error %v", c, err)
	}
}
