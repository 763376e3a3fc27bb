package fleet

import (
	"slices"
	"strings"
)

func unknownLoad() ShareLoad {
	return ShareLoad{
		Egress: Unknown, Ingress: Unknown, Availability: Unknown,
		Operations: map[string]Value{}, Server: map[string]Value{}, EndToEnd: map[string]Value{}, Responses: map[string][]Value{},
	}
}

// Rate is how many operations of a class there are in a second, missing where none was counted.
func (l ShareLoad) Rate(class APIClass) Value {
	sum := Unknown
	for name, rate := range l.Operations {
		if ClassOf(name) == class {
			sum = sum.Plus(rate)
		}
	}
	return sum
}

// Total is the rate of all operations, those that set sessions up included.
func (l ShareLoad) Total() Value {
	sum := Unknown
	for _, rate := range l.Operations {
		sum = sum.Plus(rate)
	}
	return sum
}

// Latency is the mean of some operations' times, weighted by their rate; of those of which both are known.
func (l ShareLoad) Latency(times map[string]Value, which func(api string) bool) Value {
	sum, count := Unknown, Unknown
	for name, seconds := range times {
		if rate := l.Operations[name]; which(name) && rate.Above(0) && seconds.Known() {
			sum, count = sum.Plus(rate*seconds), count.Plus(rate)
		}
	}
	return sum.Over(count)
}

// Working tells whether an operation works on files, and is not a session's or a wait for changes, which lasts as long as
// nothing happens.
func Working(api string) bool {
	class := ClassOf(api)
	return class != APISession && class != APINotify
}

// Told tells whether the service said anything of the last five minutes.
func (l ShareLoad) Told() bool {
	newest := func(values []Value) bool { return slices.ContainsFunc(values[max(0, len(values)-5):], Value.Known) }
	for _, values := range l.Responses {
		if newest(values) {
			return true
		}
	}
	return slices.ContainsFunc(l.Recent[max(0, len(l.Recent)-5):], func(m ShareMoment) bool {
		return m.Peak.Known() || m.PeakBytes.Known() || m.Credits.Known()
	})
}

// Throttles tells whether a response type is one that the service delays or refuses: some protocols put a word before it.
func Throttles(response string) bool {
	return strings.HasSuffix(response, "Throttling") || strings.HasSuffix(response, "ThrottlingError")
}

// holding is the part of the requests of five minutes from which the service holds a share back.
const holding = 0.01

// Throttled tells whether the service delayed or refused at least one request in a hundred of the last five minutes.
func (l ShareLoad) Throttled() bool {
	throttled, all := Unknown, Unknown
	for response, rates := range l.Responses {
		for _, rate := range rates[max(0, len(rates)-5):] {
			if all = all.Plus(Value(rate.Or(0))); Throttles(response) {
				throttled = throttled.Plus(Value(rate.Or(0)))
			}
		}
	}
	return throttled.Over(all).AtLeast(holding)
}

// Throttled tells whether the service holds the share back now, or its account, which is all that is known of shares paid by use.
func (s *Share) Throttled() bool {
	return s.Load.Throttled() || s.Of != nil && s.Of.ByUse() && s.Of.Load.Throttled()
}
