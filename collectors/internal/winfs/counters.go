package winfs

import (
	"errors"
	"fmt"
	"io/fs"
)

// shareCounters are those of "SMB Client Shares", by their English names, and the property that WMI calls each by.
var shareCounters = []struct{ name, property string }{
	{"Read Bytes/sec", "ReadBytesPersec"},
	{"Write Bytes/sec", "WriteBytesPersec"},
	{"Read Requests/sec", "ReadRequestsPersec"},
	{"Write Requests/sec", "WriteRequestsPersec"},
	{"Metadata Requests/sec", "MetadataRequestsPersec"},
	{"Avg. Read Queue Length", "AvgReadQueueLength"},
	{"Avg. Write Queue Length", "AvgWriteQueueLength"},
	{"Credit Stalls/sec", "CreditStallsPersec"},
	{"Current Data Queue Length", "CurrentDataQueueLength"},
}

const object = "SMB Client Shares"

// addCounters adds the counters of all shares to a query, by their property. Those that an older Windows does not have are
// left out; where it has none the error is fs.ErrNotExist: there is no such object.
func addCounters[H any](add func(path string) (H, error)) (map[string]H, error) {
	added := map[string]H{}
	for _, counter := range shareCounters {
		path := `\` + object + `(*)\` + counter.name
		handle, err := add(path)
		switch {
		case err == nil:
			added[counter.property] = handle
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("add counter %s: %w", path, err)
		}
	}
	if len(added) == 0 {
		return nil, fmt.Errorf("counters of %s: %w", object, fs.ErrNotExist)
	}
	return added, nil
}
