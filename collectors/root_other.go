//go:build !linux

package collectors

// madeByKernel says whether a directory is of a proc or sys file system, which only Linux has.
func madeByKernel(string) bool { return false }
