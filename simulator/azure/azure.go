// Package azure serves what Azure serves to nasight, from a model: the part of Azure Resource Manager that tells of
// storage accounts, file shares, Azure NetApp Files and features; the metrics of Azure Monitor for one resource and in batches; and the
// table StorageFileLogs of a Log Analytics workspace. What is refused, and in which words, follows the real services as
// far as their documentation and their users' reports tell.
//
// All of it is one TLS server, as Azure's clients send credentials over nothing else. Its certificate is from a CA of
// its own, which Server.CAFile holds as PEM. A program is pointed at it by two settings: Server.URL in the place of
// https://management.azure.com and of the regional hosts of metrics (followed by /v1 in the place of
// https://api.loganalytics.io/v1), and the CA file as the roots of its HTTP client. Go clients take both from the Server:
//
//	server, err := azure.Start(ctx, nil, azure.Options{})
//	accounts, err := armstorage.NewAccountsClient(id, server.Credential(""), server.ARMOptions())
//	metrics, err := azquery.NewMetricsClient(server.Credential(""), &azquery.MetricsClientOptions{ClientOptions: server.ClientOptions()})
//	batch, err := azmetrics.NewClient(server.URL(), server.Credential(""), &azmetrics.ClientOptions{ClientOptions: server.ClientOptions()})
//
// The calls, as faults and Usage name them, are subscriptions.list, subscriptions.get, providers.get,
// storageAccounts.list, storageAccounts.get, fileServices.list, fileServices.get, shares.list, shares.get, usages.list,
// usages.get, features.list, features.get, netAppAccounts.list, netAppAccounts.get, capacityPools.list,
// capacityPools.get, volumes.list, volumes.get, metrics.query, metrics.definitions, metrics.namespaces, metrics.batch and
// logs.query. A role that lacks is a fault of kind forbidden on the calls that it would allow; a subscription that is not
// registered for a resource provider is a key of the fleet.
package azure

import (
	_ "embed"
	"fmt"
	"time"

	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

//go:embed example.yml
var example []byte

// Example is a small fleet with findings about Azure Files and Azure NetApp Files planted, and a healthy twin for each. Every call makes a new
// one.
func Example() (*model.Fleet, error) { return model.Parse("example.yml", example) }

// Options says how a fleet is served. The zero value serves it on a free loopback port.
type Options struct {
	Seed uint64 // of the fleet's noise and of the delays of its points

	// Model is that of a fleet in motion. It takes the place of the fleet, the seed and the epoch.
	Model *model.Model

	// Epoch is the moment at which the fleet's used space holds, and from which its steps and growth count. Zero is the
	// clock's time at the start, cut to the hour. Points exist for any time before and after it.
	Epoch time.Time

	// Clock is the service's time; nil is time.Now. A test sets it to move time by hand: points, and the buckets of
	// requests, follow it.
	Clock func() time.Time

	// Access maps each bearer token that is accepted to the ids of the subscriptions that it may read; an empty list is
	// all. An unknown token gives 401, another subscription 403. A nil map accepts any token, and none.
	Access map[string][]string

	Address  string // listen address; empty is a free loopback port
	CAFile   string // where the CA is written to; empty is a temporary file, which Close removes
	PageSize int    // most items of a list's page; 0 is 100
}

const defaultPage = 100

func (o *Options) complete() error {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Epoch.IsZero() {
		o.Epoch = o.Clock().Truncate(time.Hour)
	}
	if o.Address == "" {
		o.Address = "127.0.0.1:0"
	}
	if o.PageSize == 0 {
		o.PageSize = defaultPage
	}
	if o.PageSize < 0 {
		return fmt.Errorf("page size %d is out of range: at least 1", o.PageSize)
	}
	return nil
}

// Inject makes something go wrong until the returned function is called, or Times calls were hit. An error says what in
// the fault makes no sense.
func (s *Server) Inject(fault faults.Fault) (remove func(), err error) {
	id, err := s.faults.Inject(fault)
	if err != nil {
		return nil, err
	}
	return func() { s.faults.Remove(id) }, nil
}

// Heal removes every fault.
func (s *Server) Heal() { s.faults.Clear() }

// Model answers what the fleet really did: the truth behind the served points.
func (s *Server) Model() *model.Model { return s.model }

// present is the fleet as it is at the moment of a call.
func (s *Server) present(now time.Time) *model.Model { return s.model.At(now) }

// subscription is that of an id, as it is at the moment of a call; nil if there is none.
func (s *Server) subscription(id string, now time.Time) *model.Subscription {
	for _, subscription := range s.present(now).Fleet().Subscriptions {
		if subscription.ID == id {
			return subscription
		}
	}
	return nil
}

// Now is the service's time, with the clock skew that is in force.
func (s *Server) Now() time.Time { return s.clock().Add(s.faults.Skew()) }

// Usage is what clients have called so far.
func (s *Server) Usage() Usage { return s.usage.snapshot() }
