package azurefiles

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/collectors/internal/azuretrial"
)

// tryAccounts lists the accounts. Those that can be told apart by share come first: they have all metrics.
func (t *trial) tryAccounts(ctx context.Context, asks *session, v *visit) outcome {
	factory, err := asks.storage(v.sub.id)
	if err != nil {
		return outcome{Err: err}
	}
	if err := t.listAccounts(ctx, factory.NewAccountsClient(), v.sub, v.at); err != nil {
		return outcome{Err: err}
	}
	v.sub.mu.Lock()
	accounts := v.sub.sorted()
	v.sub.mu.Unlock()
	slices.SortStableFunc(accounts, func(a, b *account) int { return rank(a.details.class) - rank(b.details.class) })
	for _, a := range accounts {
		v.samples = append(v.samples, &sample{details: a.details})
	}
	got := outcome{Found: connect.Count(len(accounts), "account") + " that can have file shares", Odd: v.oddities()}
	if len(accounts) == 0 {
		got.Odd = append(got.Odd, "there is nothing to read")
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
		return outcome{Absent: nothingKnown}
	}
	reader, err := asks.reader(v)
	if err != nil {
		return outcome{Err: err}
	}
	looked, odd, err := t.look(ctx, reader, v)
	v.samples = chosen(looked)
	if err != nil {
		return outcome{Part: looked[len(looked)-1].part(), Err: err}
	}
	shares := 0
	for _, s := range looked {
		shares += len(s.shares)
	}
	got := outcome{Part: looked[0].part(), Found: connect.Count(shares, "share")}
	if len(looked) > 1 {
		got.Part = connect.Count(len(looked), "account")
	}
	if odd > 0 {
		got.Odd = append(got.Odd, connect.Count(odd, "item")+" of the lists made no sense")
	}
	if shares == 0 {
		got.Odd = append(got.Odd, "there is no share to read")
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
		return outcome{Absent: nothingKnown}
	}
	s, files := v.samples[0], &fileConfig{}
	reader, err := asks.reader(v)
	if err == nil {
		err = reader.readMultichannel(ctx, s.details, files)
	}
	return outcome{Part: s.part(), Found: "multichannel is " + files.multichannel, Err: err}
}

// tryUsages reads the limits of one account.
func tryUsages(ctx context.Context, asks *session, v *visit) outcome {
	if len(v.samples) == 0 {
		return outcome{Absent: nothingKnown}
	}
	s, files := v.samples[0], &fileConfig{}
	if !s.details.class.split() {
		return outcome{Part: s.part(), Absent: "not tried: what is paid by use has no limits to read"}
	}
	reader, err := asks.reader(v)
	if err == nil {
		err = reader.readLimits(ctx, s.details, files)
	}
	got := outcome{Part: s.part(), Found: "its limits can be read", Err: err}
	if files.limits == nil {
		got.Found = "allowed; the service tells no limits of it"
	}
	return got
}

// tryFeature reads the state of a feature.
func tryFeature(name string) func(context.Context, *session, *visit) outcome {
	return func(ctx context.Context, asks *session, v *visit) outcome {
		client, err := asks.features(v.sub.id)
		if err != nil {
			return outcome{Err: fmt.Errorf("features client: %w", err)}
		}
		answer, err := client.Get(ctx, storageProvider, name, nil)
		switch {
		case azureapi.StatusOf(err) == http.StatusNotFound && azuretrial.CauseOf(err).Cause == azureapi.ReasonNotFound:
			return outcome{Odd: []string{"the service knows no such feature: its state is not told"}}
		case err != nil:
			return outcome{Err: err}
		case stateOf(answer) == "":
			return outcome{Odd: []string{"the answer has no state"}}
		}
		return outcome{Found: stateOf(answer)}
	}
}
