package history

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// childRole is set in the environment of a copy of this test binary that plays a part in a test.
const childRole = "NASIGHT_TEST_HISTORY_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		os.Exit(runChild(role, os.Args[len(os.Args)-1]))
	}
	goleak.VerifyTestMain(m)
}
