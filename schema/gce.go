package schema

// What a host on Google Compute Engine knows of itself.
var (
	GCEInstanceInfo = &Family{
		Name: "nasight_gce_instance_info", Type: Info, Labels: with(hostLabels, "zone", "machine_type", "nic_type"),
		Help: "A virtual machine of Google Compute Engine: its zone, machine type and the type of its first network " +
			"interface; a label is empty where the metadata server does not tell.",
		Source: "metadata server instance/zone, instance/machine-type, instance/network-interfaces/0/nic-type", Grain: ConfigGrain,
	}
)
