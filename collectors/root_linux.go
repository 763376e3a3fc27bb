package collectors

import "golang.org/x/sys/unix"

// madeByKernel says whether a directory is of a proc or sys file system.
func madeByKernel(path string) bool {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return false
	}
	return fs.Type == unix.PROC_SUPER_MAGIC || fs.Type == unix.SYSFS_MAGIC
}
