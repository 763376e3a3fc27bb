package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExportsAndRemoteHistory(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(t.TempDir(), "none")
	for text, want := range map[string]string{
		"export: {remote_write: [{url: http://example.com/api/v1/write, protocol: \"1.0\", bearer_token_file: " + secret + "}]}":   "",
		"export: {remote_write: [{url: http://a.example.com/w}, {url: http://b.example.com/w}]}":                                   "",
		"export: {remote_write: [{url: http://a.example.com/w}, {url: http://a.example.com/v}]}":                                   `export.remote_write[1].url: is called "a.example.com" after its host, as is export.remote_write[0]; give each of one host a name`,
		"export: {remote_write: [{name: a, url: http://a.example.com/w}, {name: b, url: http://a.example.com/v}]}":                 "",
		"export: {remote_write: [{url: example.com}]}":                                                                             "export.remote_write[0].url: this is no http or https URL",
		"export: {remote_write: [{url: \"http://u:secret@example.com\"}]}":                                                         "export.remote_write[0].url: has a user or a password",
		"export: {remote_write: [{url: http://example.com, protocol: \"3\"}]}":                                                     `"3" is not known; write 2.0, 1.0`,
		"export: {remote_write: [{url: http://example.com, timeout: 1ms}]}":                                                        "export.remote_write[0].timeout: 1ms is out of range",
		"export: {remote_write: [{url: http://example.com, basic_auth: {username: a}}]}":                                           "takes both username and password_file",
		"export: {remote_write: [{url: http://example.com, bearer_token_file: " + none + "}]}":                                     "there is no file",
		"export: {remote_write: [{url: http://example.com, headers: {\"a b\": c}}]}":                                               "is no name of a header",
		"export: {remote_write: [{url: http://example.com, queue: 1}]}":                                                            "export.remote_write[0].queue: no such setting; there are name, url",
		"export: {victoriametrics: [{url: http://example.com:8428/api/v1/import/prometheus, interval: 1s, extra_labels: {a: b}}]}": "",
		"export: {victoriametrics: [{url: http://example.com, interval: 2h}]}":                                                     "interval: 2h0m0s is out of range",
		"export: {victoriametrics: [{url: http://example.com, extra_labels: {host: b}}]}":                                          `"host" is a label that series of nasight have`,
		"export: {victoriametrics: [{url: http://example.com, extra_labels: {\"a-b\": b}}]}":                                       "is no name of a label",
		"export: {victoriametrics: [{url: http://example.com}, {url: http://example.com}]}":                                        "as is export.victoriametrics[0]; give each of one host a name",
		"export: {victoriametrics: [{url: http://example.com, authorization_file: " + none + "}]}":                                 "there is no file",
		"alerting: {rule_files: [\"" + secret + "*\"]}":                                                                            "",
		"alerting: {rule_files: [\"" + none + "/*.yml\"]}":                                                                         "alerting.rule_files[0]: no file matches " + none + "/*.yml",
		"history: {url: http://example.com:9090, write_url: http://example.com:9090/api/v1/write}":                                 "",
		"history: {url: http://example.com, query_params: {nocache: \"1\"}, write_url: http://example.com/w}":                      "",
		"history: {url: http://example.com}":                                                                                       "history.write_url: missing",
		"history: {write_url: http://example.com}":                                                                                 "history.url: missing",
		"history: {url: example.com, write_url: http://example.com}":                                                               "history.url: this is no http or https URL",
		"history: {url: \"http://example.com/?a=b\", write_url: http://example.com}":                                               "history.url: has something behind the path",
		"history: {url: http://example.com, write_url: \"http://u:secret@example.com\"}":                                           "history.write_url: has a user or a password",
		"history: {url: http://example.com, write_url: http://example.com, query_params: {time: \"1\"}}":                           `"time" is what nasight sets itself`,
		"history: {url: http://example.com, write_url: http://example.com, write_protocol: \"2\"}":                                 "history.write_protocol",
	} {
		_, err := Parse([]byte(text+"\n"), "nasight.yml")
		var wrong *Error
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %v, want %q", text, err, want)
		case errors.As(err, &wrong) && strings.Contains(wrong.Line(), "secret@"):
			t.Errorf("%s: shows a password: %v", text, err)
		}
	}
}

// What is written and does nothing is told of.
func TestWhatDoesNothingIsNoted(t *testing.T) {
	here := t.TempDir()
	for text, want := range map[string]string{
		"export: {otlp: {traces: true}}":                                        "export.otlp has no endpoint",
		"export: {otlp: {traces: true, endpoint: \"http://otel.example.com\"}}": "",
		"export: {otlp: {}}":                                                    "",
		"hosts: [{procfs: /nope, sysfs: " + here + "}]":                         "hosts[0].procfs: there is no directory /nope",
		"hosts: [{procfs: " + here + ", sysfs: " + here + "}]":                  "",
	} {
		cfg := parse(t, text+"\n")
		if got := strings.Join(cfg.Warnings(), "\n"); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
