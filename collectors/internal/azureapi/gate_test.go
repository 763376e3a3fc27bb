package azureapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"golang.org/x/time/rate"

	"github.com/nasight/nasight/collectors/budget"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// taken is how many requests a limiter lets through in the first seconds when all want to go at once.
func taken(limiter *rate.Limiter, seconds int) int {
	n := 0
	for second := range seconds {
		for limiter.AllowN(noon.Add(time.Duration(second)*time.Second), 1) {
			n++
		}
	}
	return n
}

// Neither the bucket of 250 reads with 25 a second nor the 100 lists in 5 minutes can be used up, whatever is asked for.
func TestPaceStaysWithinTheServicesLimits(t *testing.T) {
	for _, seconds := range []int{1, 10, 60, 300, 3600} {
		if n := taken(newPace(true).reads, seconds); n > 250+25*(seconds-1) || n < readsPerSecond*(seconds-1) {
			t.Errorf("%d reads in %d seconds", n, seconds)
		}
	}
	if n := taken(newPace(true).lists, 301); n > 100 || n < 60 {
		t.Errorf("%d lists in 5 minutes", n)
	}
}

func TestRetryAfter(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 0, "17": 17 * time.Second, "-3": 0, "soon": 0, "99999": longestPause, "99999999999999999999": 0,
		noon.Add(time.Minute).Format(http.TimeFormat): time.Minute, noon.Add(-time.Minute).Format(http.TimeFormat): 0,
	} {
		if got := retryAfter(text, noon); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// A pause that one answer asks for holds for the whole subscription, and for no other one. What would wait longer than it
// may is not sent, and says so at once.
func TestPauseHoldsForTheSubscription(t *testing.T) {
	g := newGate(ClientOptions{Budget: budget.New(budget.Options{}), API: func(string) string { return "metrics.get" }}, time.Now)
	g.heed("a", &http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"60"}}})
	g.heed("b", &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Retry-After": {"60"}}})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	begun := time.Now()
	if _, err := g.enter(ctx, "a", "metrics.get"); !Paced(err) || ReasonOf(err) != ReasonRateLimited {
		t.Errorf("the paused subscription gives %v", err)
	}
	leave, err := g.enter(ctx, "b", "metrics.get")
	if err != nil {
		t.Fatal(err)
	}
	leave()
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestReasons(t *testing.T) {
	status := func(code int) error {
		return fmt.Errorf("asked: %w", &azcore.ResponseError{StatusCode: code})
	}
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"bad request":        {status(400), ReasonInvalid},
		"who is it":          {status(401), ReasonAuthentication},
		"not allowed":        {status(403), ReasonPermission},
		"gone":               {status(404), ReasonNotFound},
		"too many":           {status(429), ReasonRateLimited},
		"monitor too busy":   {status(529), ReasonRateLimited},
		"broken":             {status(500), ReasonUnavailable},
		"slow":               {status(504), ReasonTimeout},
		"odd":                {status(302), ReasonOther},
		"no credentials":     {azidentity.NewCredentialUnavailableError("none"), ReasonAuthentication},
		"refused by Entra":   {&azidentity.AuthenticationFailedError{}, ReasonAuthentication},
		"no secret":          {&identityError{io.ErrUnexpectedEOF}, ReasonAuthentication},
		"metric is broken":   {&MetricError{"Egress", "InternalError", ""}, ReasonIncomplete},
		"metric has to wait": {&MetricError{"Egress", "Throttled", ""}, ReasonRateLimited},
		"cut off":            {io.ErrUnexpectedEOF, ReasonUnavailable},
		"deadline":           {context.DeadlineExceeded, ReasonTimeout},
		"another":            {errors.New("no idea"), ReasonOther},
	} {
		if got := ReasonOf(test.err); got != test.want {
			t.Errorf("%s is %s, want %s", name, got, test.want)
		}
	}
	nested := Join(Join(status(403), status(529)), status(403))
	if got := ReasonsOf(nested); len(got) != 2 || !got[ReasonPermission] || !got[ReasonRateLimited] || !Refused(nested) {
		t.Errorf("several are %v", got)
	}
}
