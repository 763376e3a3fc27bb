// Package faults is what can go wrong at a cloud API on request: each fault names what it does, which calls or which
// data it hits, and how often.
package faults

import "time"

// Kind is what a fault does.
type Kind string

// The faults of calls: they hit the calls that Fault's Method and Project select.
const (
	Latency         Kind = "latency"           // the call waits for Delay first
	TooManyRequests Kind = "too_many_requests" // 429 or RESOURCE_EXHAUSTED, with Retry-After
	Unavailable     Kind = "unavailable"       // 503 or UNAVAILABLE, with Retry-After
	Unauthenticated Kind = "unauthenticated"   // 401 or UNAUTHENTICATED
	Forbidden       Kind = "forbidden"         // 403 or PERMISSION_DENIED
	Cut             Kind = "cut"               // the connection is closed instead of an answer
	HalfPage        Kind = "half_page"         // REST: the body ends half way. gRPC: half of the page, the rest on the next
	EmptyPage       Kind = "empty_page"        // no items, and a token that leads to them
	WrongType       Kind = "wrong_type"        // REST: capacityGib holds text. gRPC: points of another value type
	UnknownEnum     Kind = "unknown_enum"      // REST: serviceLevel, protocols, type and state carry names of a later API
	UnknownField    Kind = "unknown_field"     // REST: fields of a later API
	Unreachable     Kind = "unreachable"       // REST: Location is listed as unreachable and its items are missing
	ExecutionErrors Kind = "execution_errors"  // ListTimeSeries: every other series is missing, said in executionErrors
)

// The faults of data: they hit the points, or the volume, that Fault's Project, Location, Volume and Metric select.
const (
	Late      Kind = "late"       // points become visible Delay later than usual
	Revised   Kind = "revised"    // points show half of their value until Delay after they became visible
	Missing   Kind = "missing"    // points never become visible
	Vanished  Kind = "vanished"   // the volume is in no list, and has no points from the injection on
	ClockSkew Kind = "clock_skew" // the service's clock is off by Delay, which may be negative
)

// Fault is one thing that goes wrong. Selectors that are empty match everything.
type Fault struct {
	Kind Kind

	// Method is the call's name: ListTimeSeries, ListMetricDescriptors, GetMetricDescriptor, locations.list,
	// storagePools.list, storagePools.get, volumes.list, volumes.get, replications.list, replications.get or metadata.
	Method   string
	Project  string // id
	Location string // of the resource; faults of calls other than Unreachable ignore it
	Volume   string // name; faults of data only
	Metric   string // metric type; faults of data only

	Skip       int           // matching calls that pass before the fault begins; faults of calls only
	Times      int           // calls that it hits; 0 for all until it is removed; faults of calls only
	Delay      time.Duration // Latency, Late, Revised, ClockSkew
	RetryAfter time.Duration // TooManyRequests, Unavailable; whole seconds over HTTP; 0 for none
	Share      float64       // of the points that Late, Revised and Missing hit, 0 to 1; 0 for all
}
