package azurenetapp

import (
	"strings"
	"testing"

	"github.com/nasight/nasight/collectors"
)

// The service sees which program asks and of which version, however long that is, before what the SDK says of itself.
func TestRequestsSayWhoTheyAreOf(t *testing.T) {
	for given, want := range map[string]string{"": "nasight", "nasight/1.2.3-rc.1.0.20261201": "nasight/1.2.3-rc.1.0.20261201"} {
		l := newLab(t, nil, nil)
		l.opts.Agent = given
		l.restart()
		for _, entry := range l.source.Entries() {
			collector, err := entry.New(collectors.Root{}, collectors.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			if result := collectors.Once(t.Context(), collector, l.clock.Now()); result.Err != nil {
				t.Errorf("%s: %v", entry.Name, result.Err)
			}
		}
		calls := l.server.Usage().Calls
		for _, one := range calls {
			name, rest, _ := strings.Cut(one.Agent, " ")
			if name != want || !strings.HasPrefix(rest, "azsdk-go-") {
				t.Errorf("%s is asked for by %q, want %q and the SDK", one.Method, one.Agent, want)
			}
		}
		if len(calls) < 3 {
			t.Errorf("only %v", calls)
		}
	}
}
