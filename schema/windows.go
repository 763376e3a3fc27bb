package schema

// WindowsRecordingAge is of hosts that a directory of recordings tells of.
var WindowsRecordingAge = &Family{
	Name: "nasight_windows_recording_age_seconds", Type: Gauge, Unit: Seconds, Labels: hostLabels,
	Help:   "Age of the newest file that a Windows host recorded into the directory; an old recording gives no other sample.",
	Source: "windows.directory of the configuration", Grain: HostGrain,
}
