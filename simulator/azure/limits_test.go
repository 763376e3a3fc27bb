package azure_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"

	"github.com/nasight/nasight/simulator/azure"
)

// burst calls until a call is refused and tells how many were served.
func burst(t *testing.T, most int, call func() error) (served int, refused *azcore.ResponseError) {
	t.Helper()
	for ; served < most; served++ {
		if err := call(); err != nil {
			if !errors.As(err, &refused) || refused.StatusCode != http.StatusTooManyRequests {
				t.Fatal(err)
			}
			return served, refused
		}
	}
	return served, nil
}

// 250 reads at once, 25 more each second, for each principal in each subscription.
func TestReadsAreLimited(t *testing.T) {
	f := start(t, azure.Options{})
	client := f.metrics(f.once())
	read := func(resource string) func() error {
		return func() error {
			options := ask("Transactions", "", azquery.AggregationTypeTotal)
			options.ResultType = ptr(azquery.ResultTypeMetadata)
			_, err := client.QueryResource(t.Context(), resource, options)
			return err
		}
	}
	served, refused := burst(t, 300, read(payg))
	if served != 250 || refused == nil || refused.RawResponse.Header.Get("Retry-After") != "1" {
		t.Fatalf("%d reads served, %v", served, refused)
	}
	if served, _ := burst(t, 1, read(ssd)); served != 1 {
		t.Error("another subscription is limited too")
	}
	f.move(now.Add(2 * time.Second))
	if served, _ := burst(t, 300, read(payg)); served != 50 {
		t.Errorf("%d reads served after two seconds, want 50", served)
	}
	usage := f.Usage()
	if got := usage.Of("metrics.query"); got != 250+1+1+50+1 {
		t.Errorf("%d calls counted", got)
	}
	f.move(now.Add(time.Minute))
	var left string
	note := headers(func(h http.Header) { left = h.Get("X-Ms-Ratelimit-Remaining-Subscription-Reads") })
	options := f.once()
	options.PerCallPolicies = append(options.PerCallPolicies, note)
	client = f.metrics(options)
	if err := read(payg)(); err != nil || left != "249" {
		t.Errorf("%s reads left, %v", left, err)
	}
}

// headers looks at each answer's headers.
type headers func(http.Header)

func (look headers) Do(request *policy.Request) (*http.Response, error) {
	response, err := request.Next()
	if err == nil {
		look(response.Header)
	}
	return response, err
}

// Microsoft.Storage lets 100 lists through in five minutes, long before reads run out.
func TestListsOfStorageAreLimited(t *testing.T) {
	f := start(t, azure.Options{})
	client := f.storage(archive, "").NewAccountsClient()
	list := func() error {
		_, err := client.NewListPager(nil).NextPage(t.Context())
		return err
	}
	served, refused := burst(t, 120, list)
	if served != 100 || refused == nil || refused.RawResponse.Header.Get("Retry-After") != "3" {
		t.Fatalf("%d lists served, %v", served, refused)
	}
	f.move(now.Add(5 * time.Minute))
	if served, _ := burst(t, 120, list); served != 100 {
		t.Errorf("%d lists served after five minutes", served)
	}
}
