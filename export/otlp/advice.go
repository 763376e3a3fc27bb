package otlp

import (
	"errors"
	"net/http"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/nasight/nasight/internal/trust"
)

// What to look at, by the reason of a failure.
const (
	lookAtAddress  = "look at export.otlp.endpoint (http or https, HOST:PORT) and export.otlp.protocol: receivers take grpc on port 4317 and http/protobuf on 4318 as a rule"
	lookAtReceiver = "look at the receiver's own log"
)

// adviceOn is what to look at after a failure; the status is HTTP's, 0 for none.
func adviceOn(reason string, answered int, err error) string {
	var unread *headersError
	switch reason {
	case reasonTLS:
		return adviceOnTLS(err)
	case reasonCredentials:
		if errors.As(err, &unread) {
			return "write the header's value into the file that export.otlp.header_files names, on one line"
		}
		return "look at export.otlp.header_files and export.otlp.headers: the receiver wants other credentials, or a tenant"
	case reasonTimeout:
		return "look at whether the receiver keeps up, or write a longer export.otlp.timeout"
	case reasonThrottled:
		return "write a longer export.otlp.interval, or let the receiver take more"
	case reasonServer:
		return lookAtReceiver
	case reasonRefused:
		return adviceOnRefusal(answered, err)
	}
	return lookAtAddress
}

// adviceOnRefusal tells an address where nobody takes OTLP from a receiver that does not want what it got.
func adviceOnRefusal(answered int, err error) string {
	code := status.Code(err)
	switch {
	case answered/100 == 3:
		return "write the address that is meant into export.otlp.endpoint: redirections are not followed"
	case answered == http.StatusRequestEntityTooLarge:
		return "let the receiver, or a proxy before it, take requests of 4 MiB"
	case answered == http.StatusUnsupportedMediaType:
		return "look at export.otlp.compression and export.otlp.protocol"
	case answered/100 == 2, answered == http.StatusNotFound, answered == http.StatusMethodNotAllowed,
		answered == 0 && (code == codes.Unimplemented || code == codes.NotFound):
		return lookAtAddress
	}
	return lookAtReceiver
}

func adviceOnTLS(err error) string {
	keys := trust.Keys{
		Address: "export.otlp.endpoint", Authority: "export.otlp.tls.ca_file", ServerName: "export.otlp.tls.server_name",
		Client: "export.otlp.tls.cert_file and key_file",
	}
	if advice := keys.Advice(err.Error()); advice != "" {
		return advice
	}
	return strings.Join([]string{"look at", keys.Address, "and", keys.Authority}, " ")
}
