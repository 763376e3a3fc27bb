package config

import (
	"github.com/nasight/nasight/export/otlp"
)

// Export is where results are pushed to, beside /metrics, which shows them in any case.
type Export struct {
	OTLP            otlp.Config       `yaml:"otlp"`            // OpenTelemetry protocol, every interval; off without an endpoint
	RemoteWrite     []RemoteWrite     `yaml:"remote_write"`    // every sample, with its own time
	VictoriaMetrics []VictoriaMetrics `yaml:"victoriametrics"` // what /metrics shows, every interval
}

func defaultExport() Export { return Export{OTLP: otlp.DefaultConfig()} }

func (c *check) export(export Export) {
	c.section("export.otlp", export.OTLP.Validate())
	for _, name := range sortedKeys(export.OTLP.HeaderFiles) {
		c.secret("export.otlp.header_files."+name, export.OTLP.HeaderFiles[name])
	}
	c.authority("export.otlp.tls.ca_file", export.OTLP.TLS.CAFile)
	c.keyPair("export.otlp.tls", export.OTLP.TLS.CertFile, export.OTLP.TLS.KeyFile)
	c.remoteWrites(export.RemoteWrite)
	c.victoriaMetrics(export.VictoriaMetrics)
}
