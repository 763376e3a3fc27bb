package azurefiles

import (
	"fmt"
	"strings"
	"time"

	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// Logs is what is read of the log of file operations, StorageFileLogs: samples, for the log has a row for each operation.
type Logs struct {
	// Workspaces are the ids of the Log Analytics workspaces that diagnostic settings send the log to. Without any nothing is read.
	Workspaces []string      `yaml:"workspaces"`
	Window     time.Duration `yaml:"window"`  // span of a sample, in whole minutes
	Period     time.Duration `yaml:"period"`  // from one sample to the next
	Clients    int           `yaml:"clients"` // busiest clients of a share that are told apart
}

// The bounds of what can be set. What detectors look back for has to hold a sample.
const (
	mostWorkspaces = 20
	shortestWindow = time.Minute
	longestWindow  = 15 * time.Minute
	shortestPeriod = 5 * time.Minute
	longestPeriod  = 30 * time.Minute
	mostClients    = 50
)

func (l Logs) validate(fail azureapi.FailFunc) {
	if len(l.Workspaces) > mostWorkspaces {
		fail("logs.workspaces", "%d are too many; write %d at most", len(l.Workspaces), mostWorkspaces)
	}
	seen := map[string]bool{}
	for i, id := range l.Workspaces {
		switch key := fmt.Sprintf("logs.workspaces[%d]", i); {
		case !azureapi.IsGUID(id):
			fail(key, "%q is no workspace id; write the one on the workspace's overview, 8-4-4-4-12 hexadecimal digits", id)
		case seen[strings.ToLower(id)]:
			fail(key, "%q is there twice; leave one out", id)
		}
		seen[strings.ToLower(id)] = true
	}
	switch {
	case l.Window < shortestWindow || l.Window > longestWindow || l.Window%time.Minute != 0:
		fail("logs.window", "%s is out of range; write whole minutes, %s to %s", l.Window, shortestWindow, longestWindow)
	case l.Period < shortestPeriod || l.Period > longestPeriod:
		fail("logs.period", "%s is out of range; write %s to %s", l.Period, shortestPeriod, longestPeriod)
	case l.Window > l.Period:
		fail("logs.window", "%s is longer than logs.period, %s; samples would overlap: write less", l.Window, l.Period)
	}
	if l.Clients < 1 || l.Clients > mostClients {
		fail("logs.clients", "%d is out of range; write 1 to %d", l.Clients, mostClients)
	}
}

func isLogQuery(lower string) bool {
	asked := strings.Contains(lower, "/workspaces/") || strings.Contains(lower, "/fileservices/") // a workspace, or one account's logs
	return asked && strings.HasSuffix(lower, "/query")
}
