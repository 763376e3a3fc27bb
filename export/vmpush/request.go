package vmpush

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/nasight/nasight/internal/redirect"
)

const mostAnswer = 64 << 10 // bytes of an answer that are read

// newClient makes a client that follows no redirection: the headers and the data would be told to whom the receiver names. The
// library's own push follows them, and cannot be told not to; so the library writes the text, and the request is made here.
func newClient() *http.Client {
	transport := http.DefaultTransport
	if standard, ok := transport.(*http.Transport); ok {
		transport = standard.Clone() // connections of its own, which end with it
	}
	return &http.Client{Transport: redirect.Refuse(transport)}
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

func (p *Pusher) body() (*bytes.Buffer, error) {
	body := &bytes.Buffer{}
	if p.cfg.DisableCompression {
		p.set.WritePrometheus(body)
		return body, nil
	}
	zipped := gzip.NewWriter(body)
	p.set.WritePrometheus(zipped)
	if err := zipped.Close(); err != nil {
		return nil, fmt.Errorf("compress what is pushed: %w", err)
	}
	return body, nil
}

// write writes what the source gives, as the library asks for it: in the text format, without times.
func (p *Pusher) write(w io.Writer) {
	families, err := p.cfg.Source.Gather()
	if err != nil {
		p.cfg.Logger.Debug("not all metrics can be pushed", "err", err)
	}
	encoder := expfmt.NewEncoder(w, expfmt.NewFormat(expfmt.TypeTextPlain))
	for _, family := range families {
		if err := encoder.Encode(p.labelled(family)); err != nil { // a buffer never fails; what is left is a family that cannot be written
			p.cfg.Logger.Debug("a metric cannot be pushed", "family", family.GetName(), "err", err)
		}
	}
}

// labelled is a family with the extra labels. What the source gave stays as it is: others read it too.
func (p *Pusher) labelled(family *dto.MetricFamily) *dto.MetricFamily {
	if len(p.extra) == 0 {
		return family
	}
	labelled := &dto.MetricFamily{Name: family.Name, Help: family.Help, Type: family.Type, Unit: family.Unit}
	for _, m := range family.GetMetric() {
		labelled.Metric = append(labelled.Metric, &dto.Metric{
			Label: slices.Concat(p.extra, m.GetLabel()), Gauge: m.Gauge, Counter: m.Counter, Summary: m.Summary, Untyped: m.Untyped,
			Histogram: m.Histogram, TimestampMs: m.TimestampMs,
		})
	}
	return labelled
}

func pairs(labels map[string]string) []*dto.LabelPair {
	made := make([]*dto.LabelPair, 0, len(labels))
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		value := labels[name]
		made = append(made, &dto.LabelPair{Name: &name, Value: &value})
	}
	return made
}
