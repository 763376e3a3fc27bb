// Package apitrace writes a span for every request to a cloud's API: to whom, for what, how it was answered, how many series came
// back and what they cost. Where nothing is traced a request costs it some hundred nanoseconds.
package apitrace

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// The attributes of a request's span. What is not known of a request is absent, and is not zero.
const (
	CloudProvider  = attribute.Key("cloud.provider")          // gcp or azure
	CloudAccount   = attribute.Key("cloud.account.id")        // project or subscription
	CloudService   = attribute.Key("nasight.service")         // as the label of the metrics
	API            = attribute.Key("nasight.api")             // as the label of nasight_cloud_api_requests_total
	Code           = attribute.Key("nasight.code")            // likewise
	SeriesReturned = attribute.Key("nasight.series_returned") // time series in the answer
	CostUSD        = attribute.Key("nasight.cost_usd")        // list price of the answer
)

const longestMessage = 300 // bytes of an error

// Call is one request.
type Call struct {
	Cloud, Service, Account, API string
}

// Span is the span of one request.
type Span struct{ span trace.Span }

// Start begins the span of a request, beneath that of the collection cycle which the context has, if any.
func Start(ctx context.Context, tracer trace.Tracer, call Call) (context.Context, Span) {
	ctx, span := tracer.Start(ctx, call.API, trace.WithSpanKind(trace.SpanKindClient))
	if span.IsRecording() {
		span.SetAttributes(CloudProvider.String(call.Cloud), CloudService.String(call.Service), CloudAccount.String(call.Account), API.String(call.API))
	}
	return ctx, Span{span}
}

// Recording says whether anybody will see the span.
func (s Span) Recording() bool { return s.span.IsRecording() }

// Returned notes how many time series the answer has.
func (s Span) Returned(series int) { s.span.SetAttributes(SeriesReturned.Int(series)) }

// End ends the span with the code that the request is counted under, and with the error, if any.
func (s Span) End(code string, err error) {
	if s.span.IsRecording() {
		s.span.SetAttributes(Code.String(code))
		if err != nil {
			s.span.SetStatus(codes.Error, cut(err.Error()))
		}
	}
	s.span.End()
}

// Billed notes in the span of the request that the context belongs to how many time series came back and what they cost in USD at
// the list price.
func Billed(ctx context.Context, series int, usd float64) {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.SetAttributes(SeriesReturned.Int(series), CostUSD.Float64(usd))
	}
}

func cut(text string) string {
	if len(text) > longestMessage {
		return text[:longestMessage] + "..."
	}
	return text
}
