package cli

import (
	"runtime/debug"

	"github.com/nasight/nasight/export"
)

// Build tells which build this is: the release that the linker was given (empty for none), else what the toolchain
// noted of the source.
func Build(release string) export.Build {
	b := export.Build{Version: "unknown", Revision: "unknown"}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = info.Main.Version
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				b.Revision = setting.Value
			}
		}
	}
	if release != "" {
		b.Version = release
	}
	return b
}
