package main

import (
	"github.com/nasight/nasight/cli"
	"github.com/nasight/nasight/export"
)

// release is set by the linker for released builds (-X main.release=v1.2.3).
var release string

func build() export.Build { return cli.Build(release) }

func version() string { return build().Version }

// agentName is what the requests of this program say who they are of.
func agentName() string { return build().Agent("nasight") }
