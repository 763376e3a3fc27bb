package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// readyCommand is for where nothing else can ask: the container image holds no shell and no HTTP client.
type readyCommand struct {
	Server  string        `default:"http://localhost:9877" placeholder:"URL" help:"The nasight to ask, or a nasight-agent (${default})."`
	Timeout time.Duration `default:"5s" help:"How long the answer may take."`
}

// Help shows examples below the flags.
func (readyCommand) Help() string {
	return `Examples:
  nasight ready
  nasight ready --server=http://nasight.example.com:9877

Exit codes: 0 it is ready, 3 it is not or cannot be asked; the reasons are one line.`
}

// Run asks once.
func (c *readyCommand) Run(ctx context.Context, to streams) error {
	server, err := url.Parse(c.Server)
	if err != nil || server.Host == "" || server.Scheme != "http" && server.Scheme != "https" {
		return usageError("--server=%s is no URL: write http://HOST:PORT", c.Server)
	}
	if c.Timeout <= 0 {
		return usageError("--timeout=%s: more than 0", c.Timeout)
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	status, answer, err := ask(ctx, server.JoinPath("/-/ready").String())
	switch {
	case err != nil:
		return collectError("ask whether %s is ready: %w", server.Redacted(), err)
	case status != http.StatusOK:
		return collectError("%s is not ready: status %d: %s", server.Redacted(), status, answer)
	}
	if answer != "ready" && !strings.HasPrefix(answer, "ready; ") && !strings.Contains(answer, ": ") { // an agent has NAME: OUTCOME
		return collectError("%s answers %q, as no nasight does; write the address of one", server.Redacted(), answer)
	}
	fmt.Fprintln(to.out, answer)
	return nil
}

const mostAnswer = 4 << 10 // bytes of an answer that are shown

// ask returns the answer's lines as one.
func ask(ctx context.Context, address string) (status int, answer string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("User-Agent", agentName())
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(response.Body, mostAnswer))
	if err != nil {
		return 0, "", err
	}
	lines := strings.FieldsFunc(string(data), func(r rune) bool { return r == '\n' || r == '\r' })
	return response.StatusCode, strings.Join(lines, "; "), nil
}
