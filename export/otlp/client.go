package otlp

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
)

// What the SDK's exporters would take from environment variables is set here in every case, so that they have no part. Repetitions
// are this package's own, which counts them. Over HTTP so is the compression, which the transport does.

// none are the headers that the exporters add themselves.
func none() map[string]string { return map[string]string{} }

// metrics makes the SDK's exporter of metrics over the transport.
func (t *transport) metrics(ctx context.Context, cfg Config) (metricExporter, error) {
	var exporter metricExporter
	var err error
	if t.conn != nil {
		exporter, err = otlpmetricgrpc.New(ctx, otlpmetricgrpc.WithGRPCConn(t.conn), otlpmetricgrpc.WithHeaders(none()),
			otlpmetricgrpc.WithTimeout(cfg.Timeout), otlpmetricgrpc.WithRetry(otlpmetricgrpc.RetryConfig{}))
	} else {
		exporter, err = otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(t.url("metrics")),
			otlpmetrichttp.WithHTTPClient(t.client), otlpmetrichttp.WithTLSClientConfig(nil), otlpmetrichttp.WithHeaders(none()),
			otlpmetrichttp.WithTimeout(cfg.Timeout), otlpmetrichttp.WithCompression(otlpmetrichttp.NoCompression), otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{}))
	}
	if err != nil {
		return nil, fmt.Errorf("exporter of metrics: %w", err)
	}
	return exporter, nil
}

// traces makes the SDK's exporter of spans over the transport.
func (t *transport) traces(ctx context.Context, cfg Config) (*otlptrace.Exporter, error) {
	var client otlptrace.Client
	if t.conn != nil {
		client = otlptracegrpc.NewClient(otlptracegrpc.WithGRPCConn(t.conn), otlptracegrpc.WithHeaders(none()),
			otlptracegrpc.WithTimeout(cfg.Timeout), otlptracegrpc.WithRetry(otlptracegrpc.RetryConfig{}))
	} else {
		client = otlptracehttp.NewClient(otlptracehttp.WithEndpointURL(t.url("traces")), otlptracehttp.WithEncoding(otlptracehttp.EncodingProtobuf),
			otlptracehttp.WithHTTPClient(t.client), otlptracehttp.WithTLSClientConfig(nil), otlptracehttp.WithHeaders(none()),
			otlptracehttp.WithTimeout(cfg.Timeout), otlptracehttp.WithCompression(otlptracehttp.NoCompression), otlptracehttp.WithRetry(otlptracehttp.RetryConfig{}))
	}
	exporter, err := otlptrace.New(ctx, client) // connects to nothing
	if err != nil {
		return nil, fmt.Errorf("exporter of spans: %w", err)
	}
	return exporter, nil
}
