package gcnv

import (
	"strings"
	"testing"

	"github.com/nasight/nasight/collectors"
)

// The service sees which program asks and of which version, however long that is, and what the libraries add.
func TestRequestsSayWhoTheyAreOf(t *testing.T) {
	for given, want := range map[string]string{"": "nasight", "nasight/1.2.3-rc.1.0.20261201": "nasight/1.2.3-rc.1.0.20261201"} {
		l := newLab(t, fleetOf("alpha"), nil)
		config := l.config
		config.Endpoints = Endpoints{Monitoring: l.server.GRPCAddress(), NetApp: l.server.URL(), ResourceManager: l.server.URL(), Insecure: true}
		source, err := New(config, Options{Clock: l.clock.Now, Agent: given})
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range source.Entries() {
			collector, err := entry.New(collectors.Root{}, collectors.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			if result := collectors.Once(t.Context(), collector, l.clock.Now()); result.Err != nil {
				t.Errorf("%s: %v", entry.Name, result.Err)
			}
		}
		source.Close()
		usage := l.server.Usage()
		for method, adds := range map[string]string{"ListTimeSeries": " grpc-go/", "ListMetricDescriptors": " grpc-go/", "volumes.list": "", "storagePools.list": ""} {
			got := usage.Agent(method)
			if name, rest, _ := strings.Cut(got, " "); name != want || !strings.HasPrefix(" "+rest, adds) {
				t.Errorf("%s is asked for by %q, want %q and %q", method, got, want, adds)
			}
		}
	}
}
