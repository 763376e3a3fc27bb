package gcnv

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"google.golang.org/api/googleapi"
)

// Bounds of one list.
const (
	mostPages    = 10_000
	mostRepeats  = 10 // of one page token: a page without items may lead to itself for a while
	mostPageByte = 64 << 20
	pageSize     = "1000"
)

// page is one page of a list: its items stay as they came, so that an odd one costs itself alone.
type page struct {
	items       []json.RawMessage
	next        string
	unreachable []string
}

// list reads all pages of a list and hands out each item. It returns the locations that the service could not reach.
func (r *rest) list(ctx context.Context, project, method, path, key string, query url.Values, each func(json.RawMessage)) ([]string, error) {
	var unreachable []string
	token, seen := "", map[string]int{}
	for range mostPages {
		var p page
		err := r.gate.call(ctx, project, method, func(ctx context.Context) error {
			var err error
			p, err = r.page(ctx, path, key, token, query)
			return err
		})
		if err != nil {
			return unreachable, err
		}
		for _, item := range p.items {
			each(item)
		}
		unreachable = append(unreachable, p.unreachable...)
		if p.next == "" {
			return unreachable, nil
		}
		if seen[p.next] > mostRepeats {
			return unreachable, fmt.Errorf("%s: %w: page token %.40q comes again", method, errInvalid, p.next)
		}
		token = p.next
		seen[token]++
	}
	return unreachable, fmt.Errorf("%s: %w: more than %d pages", method, errInvalid, mostPages)
}

func (r *rest) page(ctx context.Context, path, key, token string, query url.Values) (page, error) {
	values := url.Values{"alt": {"json"}, "pageSize": {pageSize}}
	for name, value := range query {
		values[name] = value
	}
	if token != "" {
		values.Set("pageToken", token)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+path+"?"+values.Encode(), http.NoBody)
	if err != nil {
		return page{}, fmt.Errorf("%s: %w", path, err)
	}
	response, err := r.client.Do(request)
	if err != nil {
		return page{}, fmt.Errorf("%s: %w", path, err)
	}
	defer func() { _ = response.Body.Close() }()
	if err := googleapi.CheckResponse(response); err != nil {
		return page{}, err
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, mostPageByte))
	if err != nil {
		return page{}, fmt.Errorf("%s: %w", path, err)
	}
	return parsePage(body, key)
}

// parsePage reads a page. What it does not know it leaves alone. A body that is cut off is a syntax error, which is worth
// another request.
func parsePage(body []byte, key string) (page, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return page{}, fmt.Errorf("answer of %d bytes: %w", len(body), err)
	}
	var p page
	for name, into := range map[string]any{key: &p.items, "nextPageToken": &p.next, "unreachable": &p.unreachable} {
		if raw, ok := fields[name]; ok {
			if err := json.Unmarshal(raw, into); err != nil {
				return page{}, fmt.Errorf("%w: %s: %w", errInvalid, name, err)
			}
		}
	}
	return p, nil
}

// object is one resource as the API tells it, field by field.
type object map[string]json.RawMessage

// decode reads a resource into a struct of the API's client. Fields of the wrong type are left out and counted: one odd
// field costs itself alone. What the struct does not know is left alone.
func decode[T any](raw json.RawMessage) (value *T, fields object, odd int, err error) {
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, nil, 0, fmt.Errorf("%w: %w", errInvalid, err)
	}
	value = new(T)
	if json.Unmarshal(raw, value) == nil {
		return value, fields, 0, nil
	}
	for name, field := range fields {
		if single, err := json.Marshal(object{name: field}); err != nil || json.Unmarshal(single, new(T)) != nil {
			delete(fields, name)
			odd++
		}
	}
	rest, err := json.Marshal(fields)
	if err != nil {
		return nil, nil, odd, fmt.Errorf("%w: %w", errInvalid, err)
	}
	value = new(T)
	if err := json.Unmarshal(rest, value); err != nil {
		return nil, nil, odd, fmt.Errorf("%w: %w", errInvalid, err)
	}
	return value, fields, odd, nil
}

// has says whether the API told a field: a missing one is not zero.
func (o object) has(name string) bool {
	raw, ok := o[name]
	return ok && string(raw) != "null"
}
