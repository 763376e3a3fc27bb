package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What serve would refuse, or would have refused by the receiver with every request, is told with the line where it is named.
func TestFilesHoldWhatTheyAreNamedFor(t *testing.T) {
	directory := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(directory, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	secret, program, empty := file("secret", "hunter2\n"), file("recv.py", "import sys\nprint('hunter2')\n"), file("empty", " \n")
	for name, c := range map[string]struct{ text, want string }{
		"two lines of authorization": {"export: {victoriametrics: [{url: http://example.com, authorization_file: %s}]}", "export.victoriametrics[0].authorization_file: %s does not hold one line"},
		"an empty one":               {"export: {victoriametrics: [{url: http://example.com, authorization_file: " + empty + "}]}", "is empty; write the secret into it"},
		"no token":                   {"export: {remote_write: [{url: http://example.com, bearer_token_file: %s}]}", "export.remote_write[0].bearer_token_file: %s does not hold one line"},
		"no password":                {"export: {remote_write: [{url: http://example.com, basic_auth: {username: a, password_file: %s}}]}", "export.remote_write[0].basic_auth.password_file: %s does not hold one line"},
		"no authority":               {"export: {remote_write: [{url: https://example.com, ca_file: %s}]}", "export.remote_write[0].ca_file: %s holds no certificate"},
		"of an Alertmanager":         {"alerting: {alertmanagers: [{url: https://example.com, ca_file: %s}]}", "alerting.alertmanagers[0].ca_file: %s holds no certificate"},
		"its token":                  {"alerting: {alertmanagers: [{url: https://example.com, bearer_token_file: %s}]}", "alerting.alertmanagers[0].bearer_token_file: %s does not hold one line"},
		"of a history":               {"history: {url: https://example.com, write_url: https://example.com/w, ca_file: %s}", "history.ca_file: %s holds no certificate"},
		"of a Prometheus":            {"promhost: [{url: https://example.com, tls: {ca_file: %s}}]", "promhost[0].tls.ca_file: %s holds no certificate"},
		"no key":                     {"promhost: [{url: https://example.com, tls: {cert_file: %[1]s, key_file: %[1]s}}]", "promhost[0].tls.cert_file: %[1]s and key_file %[1]s are no certificate and its key"},
		"OTLP's header":              {"export: {otlp: {endpoint: \"https://example.com\", header_files: {X-A: %s}}}", "export.otlp.header_files.X-A: %s does not hold one line"},
		"OTLP's authority":           {"export: {otlp: {endpoint: \"https://example.com\", tls: {ca_file: %s}}}", "export.otlp.tls.ca_file: %s holds no certificate"},
		"OTLP's key":                 {"export: {otlp: {endpoint: \"https://example.com\", tls: {cert_file: %[1]s, key_file: %[1]s}}}", "export.otlp.tls.cert_file: %[1]s and key_file %[1]s are no certificate and its key"},
		"Azure's authority":          {"azurefiles: {subscriptions: [11111111-2222-3333-4444-555555555555], endpoints: {ca_file: %s}}", "azurefiles.endpoints.ca_file: %s holds no certificate"},
		"a device":                   {"export: {remote_write: [{url: http://example.com, bearer_token_file: " + os.DevNull + "}]}", "is a directory or a device"},
		"the protocol's header":      {"export: {remote_write: [{url: http://example.com, headers: {content-encoding: gzip}}]}", "export.remote_write[0].headers: content-encoding is set by nasight itself"},
		"Authorization":              {"export: {remote_write: [{url: http://example.com, headers: {Authorization: a}}]}", "export.remote_write[0].headers: Authorization belongs into a file"},
		"beside a token":             {"export: {remote_write: [{url: http://example.com, headers: {Authorization: a}, bearer_token_file: " + secret + "}]}", "export.remote_write[0].headers: Authorization belongs into a file"},
		"of the history's":           {"history: {url: http://example.com, write_url: http://example.com/w, headers: {User-Agent: a}}", "history.headers: User-Agent is set by nasight itself"},
		"of a push":                  {"export: {victoriametrics: [{url: http://example.com, headers: {Content-Encoding: gzip}}]}", "export.victoriametrics[0].headers: Content-Encoding is set by nasight itself"},
		"authorized twice":           {"export: {victoriametrics: [{url: http://example.com, headers: {authorization: a}, authorization_file: " + secret + "}]}", "export.victoriametrics[0].headers: authorization is in authorization_file already"},
		"authorized once":            {"export: {victoriametrics: [{url: http://example.com, headers: {Authorization: a}}]}", ""},
	} {
		text, want := c.text, c.want
		if strings.Contains(text, "%") {
			text, want = fmt.Sprintf(text, program), fmt.Sprintf(want, program)
		}
		_, err := Parse([]byte(text+"\n"), "nasight.yml")
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "nasight.yml:1:")):
			t.Errorf("%s: %v, want %q", name, err, want)
		case err != nil && strings.Contains(err.Error(), "hunter2"):
			t.Errorf("%s: shows what is in the file: %v", name, err)
		}
	}
}
