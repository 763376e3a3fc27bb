package serve

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strings"

	"github.com/nasight/nasight/export"
)

// viaHeader lists the nasights that a request has gone through, by what each calls itself while it runs. Whoever finds itself
// in it refuses: histories that lie in each other would ask for ever.
const viaHeader = "Nasight-Via"

// mostHops is how many nasights a request may go through.
const mostHops = 8

// via marks requests by the name that this process has while it runs, and says which program it is.
type via struct{ self, agent string }

func newVia(agent string) via { return via{rand.Text(), agent} }

// agentOf is what the requests of a program say who they are of.
func agentOf(build export.Build) string { return build.Agent("nasight") }

type hopsKey struct{}

// hopsOf are the nasights that the request behind a context has gone through; none where it comes from elsewhere.
func hopsOf(ctx context.Context) []string {
	hops, _ := ctx.Value(hopsKey{}).([]string)
	return hops
}

// guard refuses requests that have been here, and remembers the way of the others.
func (v via) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := r.Header.Get(viaHeader)
		if text == "" {
			next.ServeHTTP(w, r)
			return
		}
		hops := strings.SplitN(text, ",", mostHops+1)
		if slices.Contains(hops, v.self) || len(hops) > mostHops {
			fail(w, http.StatusLoopDetected, "this request has gone in a circle: history.url or export.remote_write of a nasight leads back to it; write another address there")
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), hopsKey{}, hops)))
	})
}

type wrapper = func(http.RoundTripper) http.RoundTripper

// wrap marks every request.
func (v via) wrap(next http.RoundTripper) http.RoundTripper { return marking{v, next} }

type marking struct {
	via
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (m marking) RoundTrip(r *http.Request) (*http.Response, error) {
	hops := hopsOf(r.Context())
	r = r.Clone(r.Context())
	r.Header.Set(viaHeader, strings.Join(append(hops[:len(hops):len(hops)], m.self), ","))
	return m.next.RoundTrip(r)
}

// CloseIdleConnections lets http.Client reach the transport beneath.
func (m marking) CloseIdleConnections() {
	if next, ok := m.next.(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}
