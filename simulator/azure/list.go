package azure

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/nasight/nasight/simulator/faults"
)

// list is one page of a list as Resource Manager writes it.
type list[T any] struct {
	Value    []T     `json:"value"`
	NextLink *string `json:"nextLink,omitempty"`
}

// paged cuts the page out of all items that the call asks for. What comes next is a whole address, as Azure has it.
func paged[T any](c *call, all []T) (any, *failure) {
	from, failure := c.number("$skiptoken", 0)
	if failure != nil {
		return nil, failure
	}
	size, failure := c.number("$maxpagesize", c.server.page)
	if failure != nil {
		return nil, failure
	}
	from = min(from, len(all))
	to := min(from+max(1, min(size, c.server.page)), len(all))
	if c.hit(faults.EmptyPage) {
		to = from
	}
	page := list[T]{Value: append([]T{}, all[from:to]...)}
	if to < len(all) || c.hit(faults.EmptyPage) {
		next := c.next(to)
		page.NextLink = &next
	}
	return page, nil
}

func (c *call) next(from int) string {
	query := url.Values{"$skiptoken": {strconv.Itoa(from)}}
	for name, values := range c.request.URL.Query() {
		if !strings.EqualFold(name, "$skiptoken") {
			query[name] = values
		}
	}
	return c.server.URL() + c.request.URL.EscapedPath() + "?" + query.Encode()
}

func (c *call) number(name string, otherwise int) (int, *failure) {
	text := c.query.Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, failed(http.StatusBadRequest, "InvalidQueryParameterValue", "The query parameter %s has the value %q, which is no whole number of at least 0.", name, text)
	}
	return n, nil
}
