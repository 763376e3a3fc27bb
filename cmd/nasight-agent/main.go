// Command nasight-agent collects what a host's kernel tells of its network storage. See --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/nasight/nasight/agent"
	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/export"
)

func main() { os.Exit(run()) }

func run() int {
	// One processor is plenty for a few milliseconds of work a quarter of a minute, and spares a large host the
	// garbage collector's workers on all the others (measured: a third less processor time on two).
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return agent.Main(ctx, os.Args[1:], build(), list.Entries(), os.Stdout, os.Stderr)
}

// build reads what the toolchain noted when it built the program.
func build() export.Build {
	b := export.Build{Version: "unknown", Revision: "unknown"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version = info.Main.Version
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			b.Revision = setting.Value
		}
	}
	return b
}
