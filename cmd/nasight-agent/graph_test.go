package main

import (
	"os/exec"
	"strings"
	"testing"
)

// The agent stays small: no cloud library, no time series database, none of the Prometheus server.
func TestAgentNeedsNoServerAndNoCloudPackages(t *testing.T) {
	output, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, output)
	}
	packages := strings.Fields(string(output))
	if len(packages) < 100 {
		t.Fatalf("only %d packages: %s", len(packages), output)
	}
	for _, name := range packages {
		for _, unwanted := range []string{
			"github.com/prometheus/prometheus/", "cloud.google.com/", "google.golang.org/api", "google.golang.org/grpc",
			"github.com/Azure/", "github.com/aws/", "k8s.io/", "go.opentelemetry.io/",
		} {
			if strings.HasPrefix(name, unwanted) {
				t.Errorf("needs %s", name)
			}
		}
	}
}
