package azureapi

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
)

const mostSecret = 64 << 10

// credential makes the credentials that the configuration asks for. They ask nobody yet.
func (i Identity) credential(options azcore.ClientOptions) (azcore.TokenCredential, error) {
	switch i.Kind {
	case IdentityManaged:
		managed := &azidentity.ManagedIdentityCredentialOptions{ClientOptions: options}
		if i.ClientID != "" {
			managed.ID = azidentity.ClientID(i.ClientID)
		}
		return azidentity.NewManagedIdentityCredential(managed)
	case IdentityWorkload:
		return azidentity.NewWorkloadIdentityCredential(&azidentity.WorkloadIdentityCredentialOptions{
			ClientOptions: options, ClientID: i.ClientID, TenantID: i.Tenant,
		})
	case IdentityCLI:
		return azidentity.NewAzureCLICredential(&azidentity.AzureCLICredentialOptions{TenantID: i.Tenant})
	case IdentityPrincipal:
		secret, err := i.secret()
		if err != nil {
			return nil, err
		}
		return azidentity.NewClientSecretCredential(i.Tenant, i.ClientID, secret, &azidentity.ClientSecretCredentialOptions{ClientOptions: options})
	case IdentityNone:
		return emulated{}, nil
	}
	return azidentity.NewDefaultAzureCredential(&azidentity.DefaultAzureCredentialOptions{ClientOptions: options, TenantID: i.Tenant})
}

// secret reads the file. What is in it is in no error.
func (i Identity) secret() (string, error) {
	secret, err := readSecret(i.SecretFile)
	if err != nil {
		return "", fmt.Errorf("identity.secret_file: %w", err)
	}
	return secret, nil
}

func readSecret(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(data))
	if secret == "" || len(secret) > mostSecret {
		return "", fmt.Errorf("no secret in %s; write the client secret into it", path)
	}
	if strings.ContainsFunc(secret, unicode.IsControl) {
		return "", fmt.Errorf("%s does not hold one line of text; write the client secret alone into it", path)
	}
	return secret, nil
}

// emulated is shown to an emulator, which looks at no credentials.
type emulated struct{}

// GetToken implements azcore.TokenCredential.
func (emulated) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: "none", ExpiresOn: time.Now().Add(24 * time.Hour)}, nil
}
