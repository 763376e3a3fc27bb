package fleet

import (
	"time"

	"github.com/nasight/nasight/baseline"
)

// Anomaly is one incident that the statistical baseline saw, with every series that it shows in. It stays the same while it
// lasts: its members are those that began within 15 minutes, and are kept until all of them are over.
type Anomaly struct {
	baseline.Merged
	Expected []string // the operator's windows in which it began
	Query    string   // gives the samples of the root, each of the 5 minutes before it
	Changes  []string // what changed at that time, in words: a list, not a claim of cause
	Band     *Band    // the newest sample of the root beside what is usual; nil where nothing is
}

// Band is a sample of a series beside what the series usually has at that time of day.
type Band struct {
	At     time.Time `json:"at"` // the end of the five minutes that the sample is of; of a series that is silent, now
	Signal string    `json:"signal"`
	Unit   string    `json:"unit"`  // of all four
	Value  Value     `json:"value"` // null: there is no sample
	Lower  Value     `json:"lower"` // the least that is not off; null where less is never off, as of latency
	Usual  Value     `json:"usual"`
	Upper  Value     `json:"upper"` // the most that is not off
}

// Members are all of them, the root first.
func (a Anomaly) Members() []baseline.Member {
	return append([]baseline.Member{a.Root}, a.Others...)
}

// Resource is what all members have in common: the volume, the pool, the host, or the region or service that it reaches over.
func (a Anomaly) Resource() Resource {
	resource := ResourceAt(a.Root.Place)
	for _, member := range a.Others {
		resource = resource.common(ResourceAt(member.Place))
	}
	return resource
}

// ResourceAt is the resource at a place.
func ResourceAt(p baseline.Place) Resource {
	return Resource{Cloud: p.Cloud, Service: p.Service, Project: p.Project, Location: p.Location, Pool: p.Pool, Volume: p.Volume, Host: p.Host}
}

// common keeps the fields in which two resources agree, down to the first in which they do not: a volume's name says nothing
// where the pools differ.
func (r Resource) common(other Resource) Resource {
	var same Resource
	if r.Host == other.Host {
		same.Host = r.Host
	}
	for _, level := range []func(*Resource) *string{
		func(r *Resource) *string { return &r.Cloud }, func(r *Resource) *string { return &r.Service },
		func(r *Resource) *string { return &r.Project }, func(r *Resource) *string { return &r.Location },
		func(r *Resource) *string { return &r.Pool }, func(r *Resource) *string { return &r.Volume },
	} {
		if *level(&r) != *level(&other) {
			break
		}
		*level(&same) = *level(&r)
	}
	return same
}

// Stable is the resource as samples name it at any time: where volumes have names of their own in a location, without the
// pool, which may be another tomorrow, and which a sample from before the inventory lacks.
func (r Resource) Stable() Resource {
	if r.Host == "" && r.Volume != "" && r.Service == string(ProviderGCNV) {
		r.Pool = ""
	}
	return r
}

// ResourceOf is the resource that the labels of a series name.
func ResourceOf(labels map[string]string) Resource {
	r := identityOf(labels)
	r.Host, r.Server, r.Export, r.Protocol = labels["host"], labels["server"], labels["export"], labels["protocol"]
	return r
}
