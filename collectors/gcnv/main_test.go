package gcnv

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if config := os.Getenv(childConfig); config != "" {
		os.Exit(runChild(config))
	}
	goleak.VerifyTestMain(m)
}
