package winfs

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/yusufpapurcu/wmi"
)

const (
	smb      = `root\Microsoft\Windows\SMB`
	standard = `root\StandardCimv2`
	cimv2    = `root\cimv2`
)

// patience is how long one answer may take; a run of the collector has 10 s for all of them.
const patience = 5 * time.Second

// live is one for the whole process: a question that hangs does so for all who ask.
var live = sync.OnceValue(func() fs.FS {
	instrumentation, counters := newService(patience), newService(patience)
	files := Files{"SmbClientShares.json": func() ([]byte, error) { return counters.ask(clientShares) }}
	for name, question := range questions() {
		files[name] = func() ([]byte, error) { return instrumentation.ask(question) }
	}
	return files
})

// Live is this Windows machine. Only the questions of the SMB client may need an administrator; one that is refused
// costs itself. One that is not answered in time does, too, and nothing more is asked of WMI until it is.
func Live() fs.FS { return live() }

// questions are those that WMI answers.
func questions() Files {
	return Files{
		"SmbMultichannelConnection.json": ask[multichannelConnection](smb, "MSFT_SmbMultichannelConnection"),
		"SmbConnection.json":             ask[connection](smb, "MSFT_SmbConnection"),
		"SmbClientConfiguration.json":    ask[clientConfiguration](smb, "MSFT_SmbClientConfiguration"),
		"SmbClientNetworkInterface.json": ask[clientNetworkInterface](smb, "MSFT_SmbClientNetworkInterface"),
		"SmbMapping.json":                ask[mapping](smb, "MSFT_SmbMapping"),
		"NetAdapterRss.json":             ask[adapterRSS](standard, "MSFT_NetAdapterRssSettingData"),
		"NetworkInterface.json":          ask[networkInterface](cimv2, "Win32_PerfRawData_Tcpip_NetworkInterface"),
		"Processor.json":                 ask[processor](cimv2, "Win32_PerfRawData_PerfOS_Processor"),
	}
}

// ask makes the question for all objects of a class. Properties that an older Windows does not have are left out.
func ask[T any](namespace, class string) func() ([]byte, error) {
	return func() ([]byte, error) {
		rows := []T{}
		client := wmi.Client{AllowMissingFields: true, PtrNil: true}
		if err := client.Query("SELECT * FROM "+class, &rows, nil, namespace); err != nil {
			return nil, fmt.Errorf("query %s: %w", class, told(err))
		}
		return json.Marshal(rows)
	}
}

// told tells apart what the collectors tell apart: a class that this Windows does not have, and a question that only an
// administrator may ask. WMI gives the reason as text alone.
func told(err error) error {
	for _, row := range []struct {
		kind  error
		hint  string
		codes []string
	}{
		{fs.ErrNotExist, "this Windows does not have it", []string{"0x80041010", "0x8004100e", "invalid class", "invalid namespace"}},
		{fs.ErrPermission, "run as administrator", []string{"0x80041003", "80070005", "access is denied", "access denied"}},
	} {
		for _, code := range row.codes {
			if strings.Contains(strings.ToLower(err.Error()), code) {
				return fmt.Errorf("%w: %w (%s)", row.kind, err, row.hint)
			}
		}
	}
	return err
}
