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
	return Terms{Profile: profile, Settings: cfg.Detection.Settings(), Anomalies: anomalyTerms(cfg), Cloud: cfg.GCNV.Enabled() || cfg.AzureFiles.Enabled() || cfg.AzureNetApp.Enabled()}
}

func anomalyTerms(cfg config.Config) AnomalyTerms {
	a := cfg.Detection.Anomalies
	return AnomalyTerms{
		On: a.Enabled, Series: a.Series, Bands: a.Bands, Learn: time.Duration(a.Learn), Zone: a.Zone(), Expected: a.Calendar(),
		Interval: cfg.CollectionInterval(), Activity: cfg.Detection.Thresholds.Activity.Operations,
	}
}
