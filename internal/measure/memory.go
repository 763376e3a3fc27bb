package measure

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Memory is a value of this process's /proc/self/status in bytes: VmRSS, RssAnon, VmHWM. An error says that there is none,
// as on everything but Linux.
func Memory(name string) (uint64, error) {
	const status = "/proc/self/status"
	text, err := os.ReadFile(status)
	if err != nil {
		return 0, fmt.Errorf("ask for the memory of this process: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		value, found := strings.CutPrefix(line, name+":")
		if fields := strings.Fields(value); found && len(fields) == 2 && fields[1] == "kB" {
			kilobytes, err := strconv.ParseUint(fields[0], 10, 44)
			if err != nil {
				return 0, fmt.Errorf("%s of %s: %w", name, status, err)
			}
			return kilobytes * 1024, nil
		}
	}
	return 0, fmt.Errorf("%s has no %s in kB", status, name)
}
