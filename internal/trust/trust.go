// Package trust says what to do where a server's certificate, or the client's, keeps a connection from being made: which setting, of
// whoever asks.
package trust

import (
	"fmt"
	"net/http"
	"strings"
)

// Keys are the settings that decide over a connection, as the configuration calls them.
type Keys struct {
	Address    string // of the server
	Authority  string // the file with certificates of authorities; empty where only the system's are trusted
	ServerName string // the name that the certificate has; empty where that cannot be set
	Client     string // the client's own certificate; empty where it has none
}

// Advice is what to do about a failure of TLS; empty for others. It goes by the words of Go's TLS: gRPC keeps the words alone.
func (k Keys) Advice(failure string) string {
	authority := "name its authority's certificate in " + k.Authority
	if k.Authority == "" {
		authority = "add its authority's certificate to the system's, or name it in the environment variable SSL_CERT_FILE"
	}
	for _, row := range []struct {
		words  []string
		advice string
	}{
		{[]string{"expired or is not yet valid", "certificate has expired", "certificate is expired"}, "renew the server's certificate, or set the clock of this machine right; " + authority + " if that is another"},
		{[]string{"certificate is valid for", "SANs", "not valid for any names", "certificate name does not match"}, k.name()},
		{[]string{"signed by unknown authority", "is not trusted", "failed to verify certificate"}, authority},
		{[]string{"does not look like a TLS handshake", "gave HTTP response to HTTPS client"}, "the server speaks no TLS there: write http:// in " + k.Address + ", or its other port"},
		{[]string{"certificate required", "bad certificate"}, k.client()},
		{[]string{"tls: ", "x509: ", "authentication handshake failed"}, authority + ", and look at " + k.Address},
	} {
		for _, words := range row.words {
			if strings.Contains(failure, words) {
				return row.advice
			}
		}
	}
	return ""
}

func (k Keys) name() string {
	if k.ServerName == "" {
		return fmt.Sprintf("write a name that the certificate has into %s", k.Address)
	}
	return fmt.Sprintf("write a name that the certificate has into %s or %s", k.Address, k.ServerName)
}

func (k Keys) client() string {
	if k.Client == "" {
		return "the server wants a certificate of its clients, which " + k.Address + " has no setting for: let it take a token or a password"
	}
	return "the server wants a certificate of its clients: name one in " + k.Client
}

// Explained is an error with the advice behind it, where there is any.
func (k Keys) Explained(err error) error {
	if err == nil {
		return nil
	}
	if advice := k.Advice(err.Error()); advice != "" {
		return fmt.Errorf("%w; %s", err, advice)
	}
	return err
}

// Explain adds the advice to failures of requests.
func Explain(next http.RoundTripper, keys Keys) http.RoundTripper { return explaining{next, keys} }

type explaining struct {
	next http.RoundTripper
	keys Keys
}

// RoundTrip implements http.RoundTripper.
func (e explaining) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := e.next.RoundTrip(request)
	return response, e.keys.Explained(err)
}

// CloseIdleConnections lets http.Client reach the transport beneath.
func (e explaining) CloseIdleConnections() {
	if next, ok := e.next.(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}
