package winfs

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

func TestCountersThatAnOlderWindowsLacks(t *testing.T) {
	missing := fmt.Errorf("status 0xC0000BB9: %w", fs.ErrNotExist)
	added, err := addCounters(func(path string) (int, error) {
		if !strings.HasPrefix(path, `\SMB Client Shares(*)\`) {
			t.Errorf("path %s", path)
		}
		if strings.Contains(path, "Credit") || strings.Contains(path, "Metadata") {
			return 0, missing
		}
		return 7, nil
	})
	if err != nil || len(added) != len(shareCounters)-2 {
		t.Fatalf("added %v, error %v", added, err)
	}
	for property, handle := range added {
		if handle != 7 {
			t.Errorf("%s has the handle %d", property, handle)
		}
	}
	if _, err := addCounters(func(string) (int, error) { return 0, missing }); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no object: error %v", err)
	}
	if _, err := addCounters(func(string) (int, error) { return 0, fs.ErrPermission }); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("refused: error %v", err)
	}
}
