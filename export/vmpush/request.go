package vmpush

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"

	"github.com/klauspost/compress/gzip"
	dto "github.com/prometheus/client_model/go"

	"github.com/nasight/nasight/internal/redirect"
	"github.com/nasight/nasight/internal/trust"
)

const mostAnswer = 64 << 10 // bytes of an answer that are read

// newClient makes a client that follows no redirection: the headers and the data would be told to whom the receiver names. The
// library's own push follows them, and cannot be told not to; so the library writes the text, and the request is made here.
func newClient() *http.Client {
	transport := http.DefaultTransport
	if standard, ok := transport.(*http.Transport); ok {
		transport = standard.Clone() // connections of its own, which end with it
	}
	return &http.Client{Transport: trust.Explain(redirect.Refuse(transport), trust.Keys{Address: "url"})}
}

// push makes one request.
func (p *Pusher) push(ctx context.Context) error {
	request, err := p.request(ctx)
	if err != nil {
		return err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return err // it names the URL, without a password
	}
	defer func() { _ = response.Body.Close() }()
	said, err := io.ReadAll(io.LimitReader(response.Body, mostAnswer))
	switch status := response.StatusCode; {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fmt.Errorf("%s answered %d, look at authorization_file and headers of this receiver: %q", request.URL.Redacted(), status, said)
	case status/100 != 2:
		return fmt.Errorf("%s answered %d: %q", request.URL.Redacted(), status, said)
	case err != nil:
		return fmt.Errorf("read the answer of %s: %w", request.URL.Redacted(), err)
	}
	return nil
}

// request is what is to be pushed now, with the credentials of now.
func (p *Pusher) request(ctx context.Context) (*http.Request, error) {
	secret, err := p.secret()
	if err != nil {
		return nil, err
	}
	body, err := p.body()
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.cfg.URL, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "text/plain")
	request.Header.Set("User-Agent", p.cfg.UserAgent)
	for name, value := range p.cfg.Headers {
		request.Header.Set(name, value)
	}
	if secret != "" {
		request.Header.Set("Authorization", secret)
	}
	if !p.cfg.DisableCompression {
		request.Header.Set("Content-Encoding", "gzip")
	}
	return request, nil
}

// body is the text of now. Its buffer is new each time, as a request may be read from after its answer.
func (p *Pusher) body() (*bytes.Buffer, error) {
	body := bytes.NewBuffer(make([]byte, 0, p.size+p.size/8))
	if p.cfg.DisableCompression {
		p.set.WritePrometheus(body)
	} else {
		p.zipped.Reset(body)
		p.set.WritePrometheus(p.zipped)
		if err := p.zipped.Close(); err != nil {
			return nil, fmt.Errorf("compress what is pushed: %w", err)
		}
	}
	p.size = body.Len()
	return body, nil
}

// newZipped makes what compresses at the least effort: lines are so alike that more of it takes five times as long for little.
func newZipped() (*gzip.Writer, error) { return gzip.NewWriterLevel(nil, gzip.BestSpeed) }

// write writes what the source gives, as the library asks for it: in the text format, without times.
func (p *Pusher) write(w io.Writer) {
	families, err := p.cfg.Source.Gather()
	if err != nil {
		p.cfg.Logger.Debug("not all metrics can be pushed", "err", err)
	}
	p.text.begin()
	for _, family := range families {
		if err := p.text.write(w, family); err != nil { // a buffer never fails; what is left is a family that cannot be written
			p.cfg.Logger.Debug("a metric cannot be pushed", "family", family.GetName(), "err", err)
		}
	}
}

func pairs(labels map[string]string) []*dto.LabelPair {
	made := make([]*dto.LabelPair, 0, len(labels))
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		value := labels[name]
		made = append(made, &dto.LabelPair{Name: &name, Value: &value})
	}
	return made
}
