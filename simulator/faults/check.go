package faults

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kinds are all faults, those of calls first.
func Kinds() []Kind {
	return []Kind{
		Latency, TooManyRequests, Unavailable, Unauthenticated, Forbidden, ServiceDisabled, Cut, HalfPage, EmptyPage, WrongType, UnknownEnum,
		UnknownField, Unreachable, ExecutionErrors, Overloaded, MetricError, Refused, PartialError, Truncated, Late, Revised, Missing, Vanished, ClockSkew,
	}
}

func (f Fault) ofData() bool {
	return slices.Contains([]Kind{Late, Revised, Missing, Vanished, ClockSkew}, f.Kind)
}

// maxDelay keeps a forgotten fault from holding a client for good, and times within what they can hold.
const maxDelay = 7 * 24 * time.Hour

func (f Fault) check() error {
	delayed := slices.Contains([]Kind{Latency, Late, Revised, ClockSkew}, f.Kind)
	switch {
	case !slices.Contains(Kinds(), f.Kind):
		return fmt.Errorf("kind is none of %s", kindNames())
	case delayed && f.Delay == 0:
		return errors.New("delay is missing")
	case f.Delay < -maxDelay || f.Delay > maxDelay || (f.Delay < 0 && f.Kind != ClockSkew):
		return fmt.Errorf("delay %s is out of range", f.Delay)
	case f.Kind == Unreachable && f.Location == "":
		return errors.New("location is missing")
	case f.Skip < 0 || f.Times < 0:
		return errors.New("skip and times count calls: they cannot be negative")
	case f.RetryAfter < 0 || f.RetryAfter > maxDelay:
		return fmt.Errorf("retry_after %s is out of range", f.RetryAfter)
	case !(f.Share >= 0 && f.Share <= 1): // NaN fails both
		return fmt.Errorf("share %g is out of range: 0 to 1", f.Share)
	}
	return nil
}

func kindNames() string {
	names := make([]string, 0, len(Kinds()))
	for _, kind := range Kinds() {
		names = append(names, string(kind))
	}
	return strings.Join(names, ", ")
}
