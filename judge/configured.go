package judge

import (
	"time"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/fleet"
)

// Configured are the terms of a configuration.
func Configured(cfg config.Config) Terms {
	profile := fleet.Spacing(time.Duration(cfg.Detection.Window), cfg.CollectionInterval())
	profile.Cloud = cfg.Cloud
	profile.Provider = func(server, name string) fleet.Provider { return cfg.ProviderOf(server, name) }
	return Terms{Profile: profile, Settings: cfg.Detection.Settings(), Cloud: cfg.GCNV.Enabled() || cfg.AzureFiles.Enabled() || cfg.AzureNetApp.Enabled()}
}
