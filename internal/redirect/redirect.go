// Package redirect is for clients that follow no redirection: what they send, and the headers that they authenticate with, are for
// the server that the configuration names, and not for whom that server names.
package redirect

import (
	"fmt"
	"net/http"
)

// Refuse makes an answer that leads elsewhere an error, which says where to. Nothing is sent there.
func Refuse(next http.RoundTripper) http.RoundTripper { return refusing{next} }

type refusing struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (r refusing) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err != nil || response.StatusCode/100 != 3 || response.StatusCode == http.StatusNotModified {
		return response, err
	}
	_ = response.Body.Close()
	return nil, fmt.Errorf("the server answered %d and leads to %q, which is not followed; configure the address that is meant",
		response.StatusCode, response.Header.Get("Location"))
}

// CloseIdleConnections lets http.Client reach the transport beneath.
func (r refusing) CloseIdleConnections() {
	if next, ok := r.next.(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}
