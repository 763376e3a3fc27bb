package faults

// Help says in a few words what a fault does; empty for a kind that there is not.
func (k Kind) Help() string {
	return map[Kind]string{
		Latency:         "the call waits for delay first",
		TooManyRequests: "429 or RESOURCE_EXHAUSTED, with retry_after",
		Unavailable:     "503 or UNAVAILABLE, with retry_after",
		Unauthenticated: "401 or UNAUTHENTICATED",
		Forbidden:       "403 or PERMISSION_DENIED",
		ServiceDisabled: "403 or PERMISSION_DENIED, as the API is not enabled in the project",
		Cut:             "the connection is closed instead of an answer",
		HalfPage:        "the answer ends half way",
		EmptyPage:       "no items, and a token that leads to them",
		WrongType:       "values of another type than documented",
		UnknownEnum:     "names of a later API as values",
		UnknownField:    "fields of a later API",
		Unreachable:     "location is listed as unreachable, its items are missing",
		ExecutionErrors: "every other time series is missing, said in executionErrors",
		Late:            "points become visible delay later than usual",
		Revised:         "points show half of their value until delay after they became visible",
		Missing:         "points never become visible",
		Vanished:        "the volume is in no list and has no points from then on",
		Overloaded:      "529, Azure Monitor's own word for too many requests",
		MetricError:     "a metric fails inside an answer of 200",
		Refused:         "400, the call is not taken in this form",
		PartialError:    "a log query of 200 has half of its rows, and an error beside them",
		Truncated:       "every other time series is missing, and nothing says so",
		ClockSkew:       "the service's clock is off by delay, which may be negative",
	}[k]
}
