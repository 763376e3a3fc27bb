//go:build !windows

package winfs

import "io/fs"

// Live is nil: this machine does not run Windows.
func Live() fs.FS { return nil }
