package trust

import (
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Whatever is wrong with certificates, the error ends with the setting to look at, and stays the error that it was.
func TestFailuresNameTheSetting(t *testing.T) {
	keys := Keys{Address: "a.url", Authority: "a.ca_file", ServerName: "a.server_name", Client: "a.cert_file and a.key_file"}
	for name, test := range map[string]struct {
		plain   bool
		trusted bool
		name    string
		keys    Keys
		want    string
	}{
		"trusted":              {trusted: true, keys: keys},
		"an unknown authority": {keys: keys, want: "name its authority's certificate in a.ca_file"},
		"the system's alone":   {keys: Keys{Address: "a.url"}, want: "add its authority's certificate to the system's, or name it in the environment variable SSL_CERT_FILE"},
		"another name":         {trusted: true, name: "other.test", keys: keys, want: "write a name that the certificate has into a.url or a.server_name"},
		"another, fixed":       {trusted: true, name: "other.test", keys: Keys{Address: "a.url"}, want: "write a name that the certificate has into a.url"},
		"no TLS":               {plain: true, keys: keys, want: "write http:// in a.url"},
	} {
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
		settings := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: test.name}
		var address string
		if test.plain {
			server.Start()
			address = strings.Replace(server.URL, "http:", "https:", 1)
		} else {
			server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
			server.StartTLS()
			address = server.URL
			if test.trusted {
				settings.RootCAs = x509.NewCertPool()
				settings.RootCAs.AddCert(server.Certificate())
			}
		}
		client := &http.Client{Transport: Explain(&http.Transport{TLSClientConfig: settings}, test.keys)}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.HasSuffix(err.Error(), "; "+test.want) && !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
		client.CloseIdleConnections()
		server.Close()
	}
}

// By words alone: whether an alert comes before the end of the connection is up to the network, and the time is what it is.
func TestAdviceByWords(t *testing.T) {
	keys := Keys{Address: "a", Authority: "c", Client: "d"}
	for text, want := range map[string]string{
		"connection refused": "", "context deadline exceeded": "", "EOF": "",
		"tls: handshake failure": "name its authority's certificate in c, and look at a",
		"x509: certificate has expired or is not yet valid: current time": "renew the server's certificate, or set the clock of this machine right; " +
			"name its authority's certificate in c if that is another",
		"remote error: tls: certificate required": "the server wants a certificate of its clients: name one in d",
	} {
		if got := keys.Advice(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	const none = "the server wants a certificate of its clients, which a has no setting for: let it take a token or a password"
	if got := (Keys{Address: "a"}).Advice("remote error: tls: bad certificate"); got != none {
		t.Errorf("%q, want %q", got, none)
	}
}
