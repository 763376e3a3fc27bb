package detectors

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/nasight/nasight/fleet"
)

// id names a condition of a resource for good: readable, and the same in every process and version. What a host sees keeps
// its id whether or not the cloud's inventory, which may come late or not be read at all, has given it a name as well.
func id(name Name, resource fleet.Resource) string {
	if resource.Host != "" {
		resource = fleet.Resource{Host: resource.Host, Server: resource.Server, Export: resource.Export, Protocol: resource.Protocol}
	}
	sum := sha256.Sum256([]byte(strings.Join(fields(resource), "\x00")))
	return name.String() + "/" + hex.EncodeToString(sum[:6])
}

// fields lists what names a resource, from the cloud down to the protocol.
func fields(r fleet.Resource) []string {
	return []string{r.Cloud, r.Service, r.Project, r.Location, r.Pool, r.Volume, r.Host, r.Server, r.Export, r.Protocol}
}

// covers tells whether inner is outer or lies beneath it: a host covers its endpoints, an endpoint its mounts.
func covers(outer, inner fleet.Resource) bool {
	within, named := fields(inner), false
	for i, value := range fields(outer) {
		if value == "" {
			continue
		}
		if named = true; value != within[i] {
			return false
		}
	}
	return named
}

// chained tells whether one of two resources lies beneath the other, so that one's trouble may be the other's cause.
func chained(a, b fleet.Resource) bool { return covers(a, b) || covers(b, a) }

func compareResources(a, b fleet.Resource) int {
	other := fields(b)
	for i, value := range fields(a) {
		if order := cmp.Compare(value, other[i]); order != 0 {
			return order
		}
	}
	return 0
}
