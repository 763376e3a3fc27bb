package gce

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

const (
	flavour     = "Metadata-Flavor"
	google      = "Google"
	longest     = 1 << 10 // bytes of a value; the longest that is asked for has about a hundred
	longestHead = 16 << 10
)

// server is a metadata server. Google's client for it is not used: it is one of the cloud's libraries, which the agent
// does without, and it reads an answer of any length. What is asked here is three lines of text.
type server struct {
	address string
	client  *http.Client
}

// newServer makes a client that goes past any proxy, follows nobody elsewhere and keeps no connection for an hour.
func newServer(address string) *server {
	return &server{address: address, client: &http.Client{
		Transport: &http.Transport{DisableKeepAlives: true, MaxResponseHeaderBytes: longestHead},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}
}

// get asks for one value, empty where the server does not have it. The flavour is sent, as the server wants it, and
// wanted back: another server at the address does not know it.
func (s *server) get(ctx context.Context, path string) (string, error) {
	at := url.URL{Scheme: "http", Host: s.address, Path: "/computeMetadata/v1/" + path}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), http.NoBody)
	if err != nil {
		return "", fmt.Errorf("metadata server %s: %w", s.address, err)
	}
	request.Header.Set(flavour, google)
	response, err := s.client.Do(request)
	if err != nil {
		return "", fmt.Errorf("metadata server: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	switch {
	case response.StatusCode == http.StatusNotFound:
		return "", nil
	case response.StatusCode != http.StatusOK:
		return "", fmt.Errorf("metadata server: get %s: it answers %s", &at, response.Status)
	case response.Header.Get(flavour) != google:
		return "", fmt.Errorf("metadata server: get %s: the answer lacks %s: %s, so it is not Google's", &at, flavour, google)
	}
	return read(response.Body, &at)
}

func read(body io.Reader, at *url.URL) (string, error) {
	data, err := io.ReadAll(io.LimitReader(body, longest+1))
	if err != nil {
		return "", fmt.Errorf("metadata server: read %s: %w", at, err)
	}
	if len(data) > longest {
		return "", fmt.Errorf("metadata server: get %s: the answer is longer than %d bytes", at, longest)
	}
	return string(data), nil
}
