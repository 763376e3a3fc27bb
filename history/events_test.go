package history

import (
	"log/slog"
	"strings"
	"testing"
)

// Of what the database says that is passed on which an operator can act on, and nothing that comes every second.
func TestTheDatabasesLogIsSorted(t *testing.T) {
	var log strings.Builder
	events := newEventHandler(slog.NewTextHandler(&log, nil))
	logger := events.logger()
	for range 3 {
		logger.Error("Failed to encode series state", "err", "no space left on device")
		logger.Warn("Overlapping blocks found during reloadBlocks")
		logger.Info("Head GC completed")
	}
	if log.Len() > 0 {
		t.Errorf("logged %s", log.String())
	}
	logger.Error("Failed to log out of order samples into the WAL")
	logger.Warn("Encountered WAL read error, attempting repair")
	if text := log.String(); strings.Count(text, "\n") != 2 || events.lostLate() != 1 || !events.repaired() {
		t.Errorf("%d lost, repaired: %v, logged %s", events.lostLate(), events.repaired(), text)
	}
}
