package plan

import (
	"errors"
	"net/url"
	"slices"
	"strconv"

	"github.com/nasight/nasight/internal/numerals"
)

// parameter is one of the parameters of /api/v1/plan, which mean what the flags of `nasight plan` do.
type parameter struct {
	name  string
	many  bool // may be repeated
	parse func(r *Request, text string) error
}

func parameters() []parameter {
	return []parameter{
		{"failover_ready", false, func(r *Request, text string) (err error) { r.FailoverReady, err = boolean(text); return err }},
		{"floor", true, func(r *Request, text string) error { r.Floors = append(slices.Clip(r.Floors), text); return nil }},
		{"headroom", false, func(r *Request, text string) (err error) { r.Headroom, err = factor(text); return err }},
		{"pool", false, func(r *Request, text string) (err error) { r.Pool, err = named(text); return err }},
		{"project", false, func(r *Request, text string) (err error) { r.Project, err = named(text); return err }},
		{"protect", true, func(r *Request, text string) error { r.Protect = append(slices.Clip(r.Protect), text); return nil }},
		{"reserve", false, func(r *Request, text string) (err error) { r.Reserve, err = factor(text); return err }},
	}
}

// Parameters are the names that Query reads.
func Parameters() []string {
	var names []string
	for _, p := range parameters() {
		names = append(names, p.name)
	}
	return names
}

// Query gives the request with what the parameters say in place of its own values. It ignores parameters of other names.
// An error, a *RequestError or one about Options, is one line.
func (r Request) Query(query url.Values) (Request, error) {
	for _, p := range parameters() {
		values := query[p.name]
		if len(values) > 1 && !p.many {
			return r, &RequestError{Parameter: p.name, Value: values[1], Problem: "given more than once; write it once"}
		}
		for _, text := range values {
			if err := p.parse(&r, text); err != nil {
				return r, &RequestError{Parameter: p.name, Value: text, Problem: err.Error()}
			}
		}
	}
	return r, r.Check()
}

func named(text string) (string, error) {
	if text == "" {
		return "", errors.New("write a name, or leave the parameter out")
	}
	return text, nil
}

func factor(text string) (float64, error) {
	value, err := numerals.Real(text)
	if err != nil {
		return 0, errors.New("write a number in plain digits, such as 1.2")
	}
	return value, nil
}

func boolean(text string) (bool, error) {
	value, err := strconv.ParseBool(text)
	if err != nil {
		return false, errors.New("write true or false")
	}
	return value, nil
}
