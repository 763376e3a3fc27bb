package simulator

import (
	"context"
	"net/http"

	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
)

// GRPCAddress is the HOST:PORT of Cloud Monitoring.
func (s *Server) GRPCAddress() string { return s.grpcListener.Addr().String() }

// HTTPAddress is the HOST:PORT of the NetApp API, the metadata server (for GCE_METADATA_HOST) and /emulator/.
func (s *Server) HTTPAddress() string { return s.httpListener.Addr().String() }

// URL is http:// and HTTPAddress.
func (s *Server) URL() string { return "http://" + s.HTTPAddress() }

// ClientOptions make the real monitoring client (apiv3/v2 NewMetricClient) talk to this server without credentials.
func (s *Server) ClientOptions() []option.ClientOption {
	return []option.ClientOption{
		option.WithEndpoint(s.GRPCAddress()),
		option.WithoutAuthentication(),
		option.WithTelemetryDisabled(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())),
	}
}

// ClientOptionsAs are ClientOptions for a client that shows a bearer token. The client library itself refuses to send
// one over a connection without TLS.
func (s *Server) ClientOptionsAs(token string) []option.ClientOption {
	show := func(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
		return invoke(metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token), method, request, reply, conn, options...)
	}
	return append(s.ClientOptions(), option.WithGRPCDialOption(grpc.WithChainUnaryInterceptor(show)))
}

// RESTOptions make the real NetApp client (google.golang.org/api/netapp/v1 NewService) talk to this server without
// credentials.
func (s *Server) RESTOptions() []option.ClientOption {
	return []option.ClientOption{option.WithEndpoint(s.URL()), option.WithoutAuthentication(), option.WithTelemetryDisabled()}
}

// RESTOptionsAs are RESTOptions for a client that shows a bearer token. Its HTTP client keeps no connection open between
// calls, so that nothing is left when the caller is done.
func (s *Server) RESTOptionsAs(token string) []option.ClientOption {
	client := &http.Client{Transport: bearer{token, &http.Transport{DisableKeepAlives: true}}}
	return []option.ClientOption{option.WithEndpoint(s.URL()), option.WithHTTPClient(client)}
}

// bearer shows a token with each request.
type bearer struct {
	token string
	next  http.RoundTripper
}

// RoundTrip sends a copy of the request that carries the token.
func (b bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(request)
}
