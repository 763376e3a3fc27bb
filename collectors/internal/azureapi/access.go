package azureapi

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"
)

// The kinds of identity.
const (
	IdentityDefault   = "default"
	IdentityManaged   = "managed"
	IdentityWorkload  = "workload"
	IdentityCLI       = "cli"
	IdentityPrincipal = "service_principal"
	IdentityNone      = "none"
)

// Identity is who asks.
type Identity struct {
	// Kind is default (environment, workload identity, managed identity, command line tools, in this order), managed,
	// workload, cli, service_principal, or none: an emulator that is shown no credentials.
	Kind string `yaml:"kind"`
	// Tenant is the directory: of service_principal, and of workload and cli where theirs is another.
	Tenant string `yaml:"tenant"`
	// ClientID is the application of service_principal and workload, or a user-assigned managed identity.
	ClientID string `yaml:"client_id"`
	// SecretFile has the secret of service_principal. It is read again when credentials are refused.
	SecretFile string `yaml:"secret_file"`
}

// Endpoints replace the addresses of the APIs, for tests and private access. Empty is the cloud's. All are https.
type Endpoints struct {
	ResourceManager string `yaml:"resource_manager"` // URL
	Metrics         string `yaml:"metrics"`          // URL of metrics by resource
	Batch           string `yaml:"batch"`            // URL of metrics by region; {region} stands for the region
	Logs            string `yaml:"logs"`             // URL of the log service's query API
	CAFile          string `yaml:"ca_file"`          // certificates in PEM that are trusted beside the system's
}

// Access is where a source asks and as whom.
type Access struct {
	Cloud     string // public, usgov or china
	Identity  Identity
	Endpoints Endpoints
}

// FailFunc takes a complaint about a key of the configuration: what is wrong and what to write instead.
type FailFunc func(key, format string, arguments ...any)

// Validate complains about everything that is wrong.
func (a Access) Validate(fail FailFunc) {
	oneOf(fail, "cloud", a.Cloud, "public", "usgov", "china")
	a.Identity.validate(fail)
	a.Endpoints.validate(fail)
	if a.Identity.Kind == IdentityNone && a.Endpoints.ResourceManager == "" {
		fail("identity.kind", "none is for an emulator; set endpoints.resource_manager, or write default")
	}
}

// mostSubscriptions bounds what one source reads.
const mostSubscriptions = 1000

var guid = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// ValidateScope complains about ids that are none, and about expressions.
func ValidateScope(fail FailFunc, subscriptions, include, exclude []string) {
	if len(subscriptions) > mostSubscriptions {
		fail("subscriptions", "%d are too many; write %d at most", len(subscriptions), mostSubscriptions)
	}
	seen := map[string]bool{}
	for i, id := range subscriptions {
		switch key := fmt.Sprintf("subscriptions[%d]", i); {
		case !guid.MatchString(id):
			fail(key, "%q is no subscription id; write it as the portal shows it, 8-4-4-4-12 hexadecimal digits", id)
		case seen[strings.ToLower(id)]:
			fail(key, "%q is there twice; leave one out", id)
		}
		seen[strings.ToLower(id)] = true
	}
	validatePatterns(fail, "include", include)
	validatePatterns(fail, "exclude", exclude)
}

// IsGUID says whether a text is an id as Azure writes those of subscriptions, workspaces, applications and people.
func IsGUID(text string) bool { return guid.MatchString(text) }

func oneOf(fail FailFunc, key, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		fail(key, "%q is not known; write %s", value, strings.Join(allowed, ", "))
	}
}

func (i Identity) validate(fail FailFunc) {
	oneOf(fail, "identity.kind", i.Kind, IdentityDefault, IdentityManaged, IdentityWorkload, IdentityCLI, IdentityPrincipal, IdentityNone)
	if i.Kind == IdentityPrincipal {
		for key, value := range map[string]string{"tenant": i.Tenant, "client_id": i.ClientID, "secret_file": i.SecretFile} {
			if value == "" {
				fail("identity."+key, "missing; write it, as service_principal needs tenant, client_id and secret_file")
			}
		}
	} else if i.SecretFile != "" {
		fail("identity.secret_file", "is for service_principal alone; write kind: service_principal or leave it out")
	}
	if i.ClientID != "" && !guid.MatchString(i.ClientID) {
		fail("identity.client_id", "%q is no client id; write 8-4-4-4-12 hexadecimal digits", i.ClientID)
	}
	i.validateSecret(fail)
}

// validateSecret looks into the file as well, so that an empty one is not first heard of in the collectors' errors.
func (i Identity) validateSecret(fail FailFunc) {
	const key = "identity.secret_file"
	if !regular(fail, key, i.SecretFile) || i.Kind != IdentityPrincipal {
		return
	}
	if _, err := readSecret(i.SecretFile); err != nil {
		fail(key, "%v", err)
	}
}

func (e Endpoints) validate(fail FailFunc) {
	for key, text := range map[string]string{
		"resource_manager": e.ResourceManager, "metrics": e.Metrics, "batch": strings.ReplaceAll(e.Batch, "{region}", "region"), "logs": e.Logs,
	} {
		address, err := url.Parse(text)
		if text != "" && (err != nil || address.Host == "" || address.Scheme != "https") {
			fail("endpoints."+key, "%q is no https URL; write https://HOST/ and the certificate's authority into endpoints.ca_file", text)
		}
	}
	regular(fail, "endpoints.ca_file", e.CAFile)
}

// regular complains about a file that is named and not there, and tells whether there is one.
func regular(fail FailFunc, key, path string) bool {
	if path == "" {
		return false
	}
	if info, err := os.Stat(path); err != nil {
		fail(key, "cannot be read: %v; write the path of a file", err)
	} else if info.IsDir() {
		fail(key, "%s is a directory; write the path of a file", path)
	} else {
		return true
	}
	return false
}

// cloud is the cloud's own addresses, but for those that the configuration replaces.
func (a Access) cloud() cloud.Configuration {
	base := map[string]cloud.Configuration{
		"public": cloud.AzurePublic, "usgov": cloud.AzureGovernment, "china": cloud.AzureChina,
	}[a.Cloud]
	base.Services = maps.Clone(base.Services)
	for name, endpoint := range map[cloud.ServiceName]string{
		cloud.ResourceManager: a.Endpoints.ResourceManager, azquery.ServiceNameMetrics: a.Endpoints.Metrics,
		azquery.ServiceNameLogs: a.Endpoints.Logs,
	} {
		if endpoint != "" {
			service := base.Services[name]
			service.Endpoint = strings.TrimSuffix(endpoint, "/")
			base.Services[name] = service
		}
	}
	return base
}

// batchEndpoint is where the metrics of a region's resources are asked for.
func (a Access) batchEndpoint(region string) string {
	if a.Endpoints.Batch != "" {
		return strings.TrimSuffix(strings.ReplaceAll(a.Endpoints.Batch, "{region}", region), "/")
	}
	domain := map[string]string{"public": "com", "usgov": "us", "china": "cn"}[a.Cloud]
	return "https://" + region + ".metrics.monitor.azure." + domain
}
