package collectors

import "context"

// LinuxOnly makes an entry whose collectors have no data on a Windows host, which has no /proc and /sys to read.
func LinuxOnly(entry Entry) Entry {
	wrapped := entry
	wrapped.New = func(root Root, settings Settings) (Collector, error) {
		if root.Windows != nil {
			return absent{}, nil
		}
		return entry.New(root, settings)
	}
	return wrapped
}

// absent is a collector whose source does not exist.
type absent struct{}

// Collect returns ErrNoData.
func (absent) Collect(context.Context, Sink) error { return ErrNoData }
