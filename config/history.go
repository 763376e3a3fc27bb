package config

import (
	"fmt"
	"net/url"
	"reflect"
)

// Remote tells whether history is a server of its own.
func (h History) Remote() bool { return h.URL != "" }

// remoteHistory checks a server that is to be history.
func (c *check) remoteHistory(h History) {
	if !h.Remote() {
		if len(h.QueryParams) == 0 && len(h.Headers) == 0 {
			h.QueryParams, h.Headers = nil, nil // written, and empty
		}
		local := History{Path: h.Path, Retention: h.Retention, MaxBytes: h.MaxBytes, OutOfOrder: h.OutOfOrder}
		if !reflect.DeepEqual(h, local) {
			c.fail("history.url", "missing, and there are other keys of a remote history; write its URL, or leave them out")
		}
		return
	}
	const read, write = "http://prometheus.example.com:9090", "http://prometheus.example.com:9090/api/v1/write"
	c.address("history.url", h.URL, read)
	if parsed, err := url.Parse(h.URL); err == nil && (parsed.RawQuery != "" || parsed.Fragment != "") {
		c.fail("history.url", "has something behind the path; write parameters under query_params")
	}
	if h.WriteURL == "" {
		c.fail("history.write_url", "missing; write the address of the server's remote-write receiver, as %s", write)
	} else {
		c.address("history.write_url", h.WriteURL, write)
	}
	for _, name := range sortedKeys(h.QueryParams) {
		switch name {
		case "", "query", "time", "start", "end", "step":
			c.fail("history.query_params", "%q is what nasight sets itself; leave it out", name)
		}
	}
	c.protocol("history.write_protocol", h.WriteProtocol)
	c.timeout("history.timeout", h.Timeout)
	c.headers("history.headers", h.Headers)
	c.ownHeaders("history.headers", h.Headers, credentialsInFiles)
	c.credentials("history", h.BasicAuth, h.BearerTokenFile)
	c.authority("history.ca_file", h.CAFile)
}

// Where says in words where history lies.
func (h History) Where() string {
	if h.Remote() {
		return fmt.Sprintf("history in %s, state in %s", h.URL, h.Path)
	}
	return fmt.Sprintf("history in %s for %s", h.Path, h.Retention)
}
