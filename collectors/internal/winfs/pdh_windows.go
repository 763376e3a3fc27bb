package winfs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"unsafe"

	"golang.org/x/sys/windows"
)

// clientShares reads the running counts of all shares: one record for each instance. The English names work in every
// language of Windows; the objects of WMI depend on a second registration that is often broken.
func clientShares() ([]byte, error) {
	query, err := openQuery()
	if err != nil {
		return nil, err
	}
	defer query.close()
	added, err := addCounters(query.add)
	if err != nil {
		return nil, err
	}
	if err := query.collect(); err != nil {
		return nil, fmt.Errorf("collect counters of %s: %w", object, err)
	}
	rows := map[string]map[string]any{}
	for property, counter := range added {
		items, err := counter.values()
		if err != nil {
			return nil, fmt.Errorf("read counter %s of %s: %w", property, object, err)
		}
		for name, value := range items {
			if rows[name] == nil {
				rows[name] = map[string]any{"Name": name}
			}
			rows[name][property] = value
		}
	}
	list := []map[string]any{}
	for _, row := range rows {
		list = append(list, row)
	}
	return json.Marshal(list)
}

// The functions of pdh.dll, found when the first is called.
func procedure(name string) *windows.LazyProc {
	return windows.NewLazySystemDLL("pdh.dll").NewProc(name)
}

// status is what the functions return; 0 is success.
type status uint32

// Statuses that are told apart.
const (
	errMoreData     status = 0x800007D2
	errNoInstance   status = 0x800007D1
	errNoData       status = 0x800007D5
	errNoObject     status = 0xC0000BB8
	errNoCounter    status = 0xC0000BB9
	errAccessDenied status = 0xC0000BDB
)

// Error is the status as a number, which the documentation of PDH lists.
func (s status) Error() string { return fmt.Sprintf("PDH status %#x", uint32(s)) }

// Is tells of kinds of failures that collectors tell apart.
func (s status) Is(target error) bool {
	switch target {
	case fs.ErrNotExist:
		return s == errNoObject || s == errNoCounter
	case fs.ErrPermission:
		return s == errAccessDenied
	}
	return false
}

func call(name string, arguments ...uintptr) error {
	proc := procedure(name)
	if err := proc.Find(); err != nil {
		return err
	}
	result, _, _ := proc.Call(arguments...)
	if s := status(result); s != 0 {
		return s
	}
	return nil
}

type handle uintptr

func openQuery() (handle, error) {
	var query handle
	if err := call("PdhOpenQueryW", 0, 0, uintptr(unsafe.Pointer(&query))); err != nil {
		return 0, fmt.Errorf("open query: %w", err)
	}
	return query, nil
}

func (h handle) close() { _ = call("PdhCloseQuery", uintptr(h)) }

func (h handle) add(path string) (handle, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	var counter handle
	err = call("PdhAddEnglishCounterW", uintptr(h), uintptr(unsafe.Pointer(name)), 0, uintptr(unsafe.Pointer(&counter)))
	return counter, err
}

// collect takes the values of all counters. That there is no share is no failure.
func (h handle) collect() error {
	err := call("PdhCollectQueryData", uintptr(h))
	if errors.Is(err, errNoData) || errors.Is(err, errNoInstance) {
		return nil
	}
	return err
}

// rawItem is PDH_RAW_COUNTER_ITEM_W as 64-bit Windows lays it out.
type rawItem struct {
	name       *uint16
	status     uint32
	time       [2]uint32
	_          uint32
	first      int64
	second     int64
	multiCount uint32
	_          uint32
}

const (
	mostBytes = 64 << 20 // of the answer for one counter
	valid     = 0        // statuses of a value: old and new data
	validNew  = 1
)

// values are the running counts by instance. Of two instances with one name PDH tells both; they are added up.
func (h handle) values() (map[string]uint64, error) {
	var size, count uint32
	var buffer []uint64 // no pointers for the collector of garbage: names stand behind the items
	for range 3 {       // instances may come while the room for them is made
		var first unsafe.Pointer
		if len(buffer) > 0 {
			first = unsafe.Pointer(&buffer[0])
		}
		err := call("PdhGetRawCounterArrayW", uintptr(h), uintptr(unsafe.Pointer(&size)), uintptr(unsafe.Pointer(&count)), uintptr(first))
		switch {
		case errors.Is(err, errNoData), errors.Is(err, errNoInstance):
			return nil, nil
		case errors.Is(err, errMoreData) && size <= mostBytes:
			buffer = make([]uint64, size/8+1)
			size = uint32(8 * len(buffer))
			continue
		case err != nil:
			return nil, err
		case len(buffer) == 0 || count == 0:
			return nil, nil
		}
		room := 8 * len(buffer) / int(unsafe.Sizeof(rawItem{}))
		found := sums(unsafe.Slice((*rawItem)(first), min(int(count), room)))
		runtime.KeepAlive(buffer)
		return found, nil
	}
	return nil, errMoreData
}

func sums(items []rawItem) map[string]uint64 {
	values := map[string]uint64{}
	for _, item := range items {
		if item.name == nil || item.first < 0 || item.status != valid && item.status != validNew {
			continue
		}
		values[windows.UTF16PtrToString(item.name)] += uint64(item.first)
	}
	return values
}
