package azurefiles

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// What a request for a resource provider's state is made of. None of the SDK's clients that nasight uses has it.
const (
	providersVersion = "2021-04-01"
	ownVersion       = "v0.0.0"
	registered       = "Registered"
	registering      = "Registering"
)

// tryProvider asks whether the subscription is registered for a resource provider.
func tryProvider(name string) func(context.Context, *session, *visit) outcome {
	return func(ctx context.Context, asks *session, v *visit) outcome {
		state, err := asks.providerState(ctx, v.sub.id, name)
		switch {
		case err != nil:
			return outcome{err: err}
		case state == registered:
			return outcome{found: state}
		case state == registering:
			return outcome{found: state, odd: []string{"it will work when that is over"}}
		}
		return outcome{err: &unregisteredError{name, state}}
	}
}

// unregisteredError is a resource provider that a subscription does not use.
type unregisteredError struct{ provider, state string }

// Error says so.
func (e *unregisteredError) Error() string { return fmt.Sprintf("%s is %s", e.provider, e.state) }

func (s *session) providerState(ctx context.Context, subscription, name string) (string, error) {
	client, err := arm.NewClient(azureapi.Agent, ownVersion, s.Credential, s.ARM())
	if err != nil {
		return "", fmt.Errorf("resource manager client: %w", err)
	}
	address := runtime.JoinPaths(client.Endpoint(), "subscriptions", url.PathEscape(subscription), "providers", name)
	request, err := runtime.NewRequest(ctx, http.MethodGet, address+"?api-version="+providersVersion)
	if err != nil {
		return "", fmt.Errorf("resource provider %s: %w", name, err)
	}
	response, err := client.Pipeline().Do(request)
	if err != nil {
		return "", fmt.Errorf("resource provider %s: %w", name, err)
	}
	defer func() { _ = response.Body.Close() }() // nothing is left to be told
	if !runtime.HasStatusCode(response, http.StatusOK) {
		return "", runtime.NewResponseError(response)
	}
	var answer struct {
		State string `json:"registrationState"`
	}
	if err := runtime.UnmarshalAsJSON(response, &answer); err != nil {
		return "", fmt.Errorf("resource provider %s: %w", name, err)
	}
	return answer.State, nil
}

// tryAccounts lists the accounts. Those that can be told apart by share come first: they have all metrics.
func (t *trial) tryAccounts(ctx context.Context, asks *session, v *visit) outcome {
	factory, err := asks.storage(v.sub.id)
	if err != nil {
		return outcome{err: err}
	}
	if err := t.listAccounts(ctx, factory.NewAccountsClient(), v.sub, v.at); err != nil {
		return outcome{err: err}
	}
	v.sub.mu.Lock()
	accounts := v.sub.sorted()
	v.sub.mu.Unlock()
	slices.SortStableFunc(accounts, func(a, b *account) int { return rank(a.details.class) - rank(b.details.class) })
	for _, a := range accounts {
		v.samples = append(v.samples, &sample{details: a.details})
	}
	got := outcome{found: connect.Count(len(accounts), "account") + " that can have file shares", odd: v.oddities()}
	if len(accounts) == 0 {
		got.odd = append(got.odd, "there is nothing to read")
	}
	return got
}

func rank(c class) int {
	if c.split() {
		return 0
	}
	return 1
}

// mostLooked is of how many accounts the shares are listed at most, to find some to try the rest on.
const mostLooked = 5

// tryShares lists the shares of some accounts, until it has seen shares of both protocols: the rest is tried on those.
func (t *trial) tryShares(ctx context.Context, asks *session, v *visit) outcome {
	if len(v.samples) == 0 {
		return outcome{absent: nothingKnown}
	}
	reader, err := asks.reader(v)
	if err != nil {
		return outcome{err: err}
	}
	looked, odd, err := t.look(ctx, reader, v)
	v.samples = chosen(looked)
	if err != nil {
		return outcome{part: looked[len(looked)-1].part(), err: err}
	}
	shares := 0
	for _, s := range looked {
		shares += len(s.shares)
	}
	got := outcome{part: looked[0].part(), found: connect.Count(shares, "share")}
	if len(looked) > 1 {
		got.part = connect.Count(len(looked), "account")
	}
	if odd > 0 {
		got.odd = append(got.odd, connect.Count(odd, "item")+" of the lists made no sense")
	}
	if shares == 0 {
		got.odd = append(got.odd, "there is no share to read")
	}
	return got
}

func (s *session) reader(v *visit) (accountReader, error) {
	factory, err := s.storage(v.sub.id)
	if err != nil {
		return accountReader{}, fmt.Errorf("storage client: %w", err)
	}
	return accountReader{shares: factory.NewFileSharesClient(), services: factory.NewFileServicesClient(), now: v.at}, nil
}

// look lists shares. Of the accounts that it gives the last one is that of the error, if there is one.
func (t *trial) look(ctx context.Context, reader accountReader, v *visit) (looked []*sample, odd int, err error) {
	smb, nfs := false, false
	for _, s := range v.samples[:min(mostLooked, len(v.samples))] {
		looked = append(looked, s)
		files, strange, err := reader.list(ctx, s.details)
		if err != nil {
			return looked, odd, err
		}
		s.files, odd = files, odd+strange
		for _, name := range slices.Sorted(maps.Keys(files.shares)) {
			if t.wanted.share(v.sub.id, s.details.name, name) {
				s.shares = append(s.shares, name)
			}
		}
		smb, nfs = smb || s.has("smb"), nfs || s.has("nfs")
		if smb && nfs {
			break
		}
	}
	return looked, odd, nil
}

// chosen are an account with SMB shares and one with NFS shares, as far as there are any; else the first one.
func chosen(looked []*sample) []*sample {
	var found []*sample
	for _, protocol := range []string{"smb", "nfs"} {
		i := slices.IndexFunc(looked, func(s *sample) bool { return s.has(protocol) })
		if i >= 0 && !slices.Contains(found, looked[i]) {
			found = append(found, looked[i])
		}
	}
	if len(found) == 0 {
		return looked[:1]
	}
	return found
}

// nothingKnown is why a need of an account cannot be tried.
const nothingKnown = "cannot be tried: no account is known"

// tryService reads the settings of one account's file service.
func tryService(ctx context.Context, asks *session, v *visit) outcome {
	if len(v.samples) == 0 {
		return outcome{absent: nothingKnown}
	}
	s, files := v.samples[0], &fileConfig{}
	reader, err := asks.reader(v)
	if err == nil {
		err = reader.readMultichannel(ctx, s.details, files)
	}
	return outcome{part: s.part(), found: "multichannel is " + files.multichannel, err: err}
}

// tryUsages reads the limits of one account.
func tryUsages(ctx context.Context, asks *session, v *visit) outcome {
	if len(v.samples) == 0 {
		return outcome{absent: nothingKnown}
	}
	s, files := v.samples[0], &fileConfig{}
	if !s.details.class.split() {
		return outcome{part: s.part(), absent: "not tried: what is paid by use has no limits to read"}
	}
	reader, err := asks.reader(v)
	if err == nil {
		err = reader.readLimits(ctx, s.details, files)
	}
	got := outcome{part: s.part(), found: "its limits can be read", err: err}
	if files.limits == nil {
		got.found = "allowed; the service tells no limits of it"
	}
	return got
}

// tryFeature reads the state of a feature.
func tryFeature(name string) func(context.Context, *session, *visit) outcome {
	return func(ctx context.Context, asks *session, v *visit) outcome {
		client, err := asks.features(v.sub.id)
		if err != nil {
			return outcome{err: fmt.Errorf("features client: %w", err)}
		}
		answer, err := client.Get(ctx, storageProvider, name, nil)
		switch {
		case azureapi.StatusOf(err) == http.StatusNotFound && causeOf(err).cause == azureapi.ReasonNotFound:
			return outcome{odd: []string{"the service knows no such feature: its state is not told"}}
		case err != nil:
			return outcome{err: err}
		case stateOf(answer) == "":
			return outcome{odd: []string{"the answer has no state"}}
		}
		return outcome{found: stateOf(answer)}
	}
}
