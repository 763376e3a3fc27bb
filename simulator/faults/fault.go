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
	ServiceDisabled Kind = "service_disabled"  // 403 or PERMISSION_DENIED, with the reason that the API is not enabled in the project
	Cut             Kind = "cut"               // the connection is closed instead of an answer
	HalfPage        Kind = "half_page"         // REST: the body ends half way. gRPC: half of the page, the rest on the next
	EmptyPage       Kind = "empty_page"        // no items, and a token that leads to them
	WrongType       Kind = "wrong_type"        // REST: capacityGib holds text. gRPC: points of another value type
	UnknownEnum     Kind = "unknown_enum"      // REST: serviceLevel, protocols, type and state carry names of a later API
	UnknownField    Kind = "unknown_field"     // REST: fields of a later API
	Unreachable     Kind = "unreachable"       // REST: Location is listed as unreachable and its items are missing
	ExecutionErrors Kind = "execution_errors"  // ListTimeSeries: every other series is missing, said in executionErrors
	Overloaded      Kind = "overloaded"        // Azure: 529, with Retry-After
	MetricError     Kind = "metric_error"      // Azure metrics: 200, in which Metric has the errorCode Throttled and no series
	Refused         Kind = "refused"           // Azure: 400, the call is not taken in this form
	PartialError    Kind = "partial_error"     // Azure logs: 200 with half of the rows, and an error beside them
	Truncated       Kind = "truncated"         // Azure metrics: every other series is missing, and nothing says so
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
	// storagePools.list, storagePools.get, volumes.list, volumes.get, replications.list, replications.get or metadata; those
	// of Azure are in package azure.
	Method   string
	Project  string // id; on Azure the subscription's
	Location string // of the resource; faults of calls other than Unreachable ignore it
	Volume   string // name; on Azure the share's; faults of data only
	Metric   string // metric type; faults of data and MetricError only

	Skip       int           // matching calls that pass before the fault begins; faults of calls only
	Times      int           // calls that it hits; 0 for all until it is removed; faults of calls only
	Delay      time.Duration // Latency, Late, Revised, ClockSkew
	RetryAfter time.Duration // TooManyRequests, Unavailable; whole seconds over HTTP; 0 for none, but for Azure's 429, which then says 0
	Share      float64       // of the points that Late, Revised and Missing hit, 0 to 1; 0 for all
}
