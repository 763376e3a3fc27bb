package nfs

import (
	"strings"

	"github.com/nasight/nasight/collectors/internal/kernel"
)

// Options are the options of an NFS mount as the kernel prints them: names, or names and values, between commas.
type Options string

// Get returns the value of an option, empty if it has none, and whether the option is there.
func (o Options) Get(name string) (value string, ok bool) {
	for option := range strings.SplitSeq(string(o), ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(option), "=")
		if key == name {
			return value, true
		}
	}
	return "", false
}

// Number returns the value of an option as a number.
func (o Options) Number(name string) Number {
	value, _ := o.Get(name)
	return kernel.ParseNumber(value)
}

// Version is the NFS version as major.minor, or 3 and 2 alone; empty if the options do not say. Old kernels print
// vers=4,minorversion=1 for 4.1.
func (o Options) Version() string {
	version, _ := o.Get("vers")
	if version != "4" {
		return version
	}
	if minor, ok := o.Get("minorversion"); ok {
		return "4." + minor
	}
	return "4.0"
}

// bounded cuts the options at a comma so that they fit into limit bytes.
func (o Options) bounded(limit int) string {
	if len(o) <= limit {
		return string(o)
	}
	return string(o[:max(strings.LastIndexByte(string(o[:limit+1]), ','), 0)])
}

// splitSource takes server:/path or [IPv6 address]:/path apart. The path keeps a trailing slash.
func splitSource(source string) (host, path string) {
	if rest, ok := strings.CutPrefix(source, "["); ok {
		if host, path, ok = strings.Cut(rest, "]:"); ok {
			return host, path
		}
	}
	if i := strings.Index(source, ":/"); i >= 0 {
		return source[:i], source[i+1:]
	}
	if host, path, ok := strings.Cut(source, ":"); ok {
		return host, path
	}
	return "", source
}
