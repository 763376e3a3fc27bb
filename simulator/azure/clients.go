package azure

import (
	"context"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"
	"github.com/Azure/azure-sdk-for-go/sdk/monitor/query/azmetrics"
)

// Address is the HOST:PORT that the emulator listens on.
func (s *Server) Address() string { return s.listener.Addr().String() }

// URL is https:// and Address: the endpoint of Resource Manager, of metrics and of batches.
func (s *Server) URL() string { return "https://" + s.Address() }

// LogsURL is the endpoint of Log Analytics.
func (s *Server) LogsURL() string { return s.URL() + "/v1" }

// CAFile is the file with the certificate that clients have to trust, as PEM.
func (s *Server) CAFile() string { return s.authority.file }

// Client trusts the server's CA. It is one client for all callers; Close ends its connections.
func (s *Server) Client() *http.Client { return s.client }

// Cloud is the server's place in the clients' configuration of clouds.
func (s *Server) Cloud() cloud.Configuration {
	manager := cloud.ServiceConfiguration{Audience: "https://management.azure.com", Endpoint: s.URL()}
	return cloud.Configuration{
		ActiveDirectoryAuthorityHost: s.URL(),
		Services: map[cloud.ServiceName]cloud.ServiceConfiguration{
			cloud.ResourceManager:      manager,
			azquery.ServiceNameMetrics: manager,
			azquery.ServiceNameLogs:    {Audience: "https://api.loganalytics.io", Endpoint: s.LogsURL()},
			azmetrics.ServiceName:      {Audience: "https://metrics.monitor.azure.com", Endpoint: s.URL()},
		},
	}
}

// ClientOptions make the clients of metrics and logs talk to this server. The caller may change the copy.
func (s *Server) ClientOptions() azcore.ClientOptions {
	return azcore.ClientOptions{Cloud: s.Cloud(), Transport: s.client, Telemetry: policy.TelemetryOptions{Disabled: true}}
}

// ARMOptions are ClientOptions for the clients of Resource Manager. They never register a resource provider: the emulator
// serves only what reads.
func (s *Server) ARMOptions() *arm.ClientOptions {
	return &arm.ClientOptions{ClientOptions: s.ClientOptions(), DisableRPRegistration: true}
}

// Credential shows a bearer token with each call, or some token where it is empty.
func (s *Server) Credential(token string) azcore.TokenCredential {
	if token == "" {
		token = "any"
	}
	return bearer(token)
}

type bearer string

// GetToken is the token, whatever it is asked for.
func (b bearer) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: string(b), ExpiresOn: time.Now().Add(time.Hour)}, nil
}
