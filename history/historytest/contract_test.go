package historytest_test

import (
	"testing"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/history/historytest"
)

func TestContractInMemory(t *testing.T) {
	historytest.Test(t, func(testing.TB) history.History { return history.NewMemory(history.MemoryOptions{}) }, historytest.Options{})
}

func TestContractEmbedded(t *testing.T) {
	historytest.Test(t, func(t testing.TB) history.History {
		opened, err := history.OpenEmbedded(t.Context(), history.EmbeddedOptions{Path: t.TempDir(), MinFreeBytes: 1})
		if err != nil {
			t.Fatal(err)
		}
		return opened
	}, historytest.Options{})
}
