package detectors

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
)

// Views for tests. Every number starts as missing, so that a test says all that a rule may see.

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

const ms = 0.001

// unknown makes every number of a view's part missing.
func unknown[T any](part *T) *T {
	forget(reflect.ValueOf(part).Elem())
	return part
}

func forget(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[fleet.Value]():
		v.SetFloat(float64(fleet.Unknown))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			forget(v.Field(i))
		}
	}
}

func aClient(endpoints ...*fleet.Endpoint) *fleet.Client {
	client := unknown(&fleet.Client{})
	client.Host, client.Coverage = "client.example.com", 1
	return with(client, endpoints...)
}

func with(client *fleet.Client, endpoints ...*fleet.Endpoint) *fleet.Client {
	for _, endpoint := range endpoints {
		endpoint.Host, endpoint.Client = client.Host, client
		for _, mount := range endpoint.Mounts {
			mount.Host = client.Host
		}
		client.Endpoints = append(client.Endpoints, endpoint)
		client.Mounts = append(client.Mounts, endpoint.Mounts...)
	}
	return client
}

func anEndpoint(mounts ...*fleet.Mount) *fleet.Endpoint {
	endpoint := unknown(&fleet.Endpoint{})
	endpoint.Server, endpoint.Protocol, endpoint.Mounts = "192.0.2.10", "nfs", mounts
	return endpoint
}

func aMount() *fleet.Mount {
	mount := unknown(&fleet.Mount{})
	mount.Server, mount.ServerName, mount.Export = "192.0.2.10", "files.example.com", "/vol1"
	mount.Protocol, mount.Version, mount.MountPoints = "nfs", "3", []string{"/mnt/a"}
	mount.Classes, mount.ClockAdvance, mount.Samples = map[string]fleet.Class{}, 10, 4
	return mount
}

func aTransport() *fleet.Transport {
	transport := unknown(&fleet.Transport{})
	transport.Version = "3"
	return transport
}

func aSession(rate fleet.Value) *fleet.Session {
	session := unknown(&fleet.Session{})
	session.Rate = rate
	return session
}

// spread makes n sessions of which the first carries a share of the bytes and the rest what is left, evenly.
func spread(n int, busiest, total fleet.Value) []*fleet.Session {
	sessions := []*fleet.Session{aSession(total * busiest)}
	for range n - 1 {
		sessions = append(sessions, aSession(total*(1-busiest)/fleet.Value(n-1)))
	}
	for i, session := range sessions {
		session.Local = fmt.Sprintf("192.0.2.1:%d", 700+i)
	}
	return sessions
}

func aView(clients ...*fleet.Client) *fleet.Fleet {
	return &fleet.Fleet{
		At: noon, Window: time.Minute, Clients: clients,
		Query: func(feature string, resource fleet.Resource) string {
			return feature + "/" + resource.Host + resource.Export
		},
	}
}

// profiles are the two ways of judging; a rule's truth does not depend on which.
func profiles() map[string]Settings {
	snapshot := DefaultSettings()
	snapshot.Snapshot = true
	return map[string]Settings{"windowed": DefaultSettings(), "snapshot": snapshot}
}

// names lists what was found, in alphabetical order.
func names(findings []Finding) []string {
	list := []string{}
	for _, finding := range findings {
		list = append(list, finding.Name().String())
	}
	slices.Sort(list)
	return list
}

// only returns the finding of a name, and fails if there is none.
func only(t *testing.T, findings []Finding, name string) Finding {
	t.Helper()
	for _, finding := range findings {
		if finding.Name().String() == name {
			return finding
		}
	}
	t.Fatalf("no finding %s among %v", name, names(findings))
	return Finding{}
}
