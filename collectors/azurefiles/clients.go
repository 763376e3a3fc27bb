package azurefiles

import (
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/resources/armfeatures"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/storage/armstorage/v2"

	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// clients make sessions.
type clients struct{ *azureapi.Clients }

// session is what one run asks with.
type session struct{ *azureapi.Session }

// use hands out a session.
func (c *clients) use() (*session, error) {
	shared, err := c.Use()
	if err != nil {
		return nil, err
	}
	return &session{shared}, nil
}

func (s *session) storage(subscription string) (*armstorage.ClientFactory, error) {
	return armstorage.NewClientFactory(subscription, s.Credential, s.ARM())
}

func (s *session) features(subscription string) (*armfeatures.Client, error) {
	return armfeatures.NewClient(subscription, s.Credential, s.ARM())
}
