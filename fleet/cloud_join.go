package fleet

import (
	"cmp"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// joinKey is what a mount and a volume have in common: the kind of protocol, the server's address or name, and the export,
// share or target.
type joinKey struct{ kind, server, export string }

// serverKey is a server whatever it exports.
type serverKey struct{ kind, server string }

// joiner finds volumes for mounts.
type joiner struct {
	volumes  map[joinKey][]*Volume
	servers  map[serverKey][]*Volume
	accounts map[string]*Account // by the host name for files
	byName   map[string]*Account // by their own names, which are unique in all of Azure
	private  map[string]*Account // by the addresses of private endpoints, as mounts by name show them
}

// join connects the clients' mounts with the inventory's volumes and lists what it cannot connect.
func (c *cloud) join(azure *accounts) {
	j := &joiner{map[joinKey][]*Volume{}, map[serverKey][]*Volume{}, azure.byHost(), azure.byName(), nil}
	j.private = j.privateEndpoints(c.view.Clients)
	for _, pool := range c.view.Pools {
		for _, volume := range pool.Volumes {
			j.add(volume)
		}
	}
	for _, client := range c.view.Clients {
		for _, endpoint := range client.Endpoints {
			for _, mount := range endpoint.Mounts {
				c.joinMount(j, endpoint, mount)
			}
		}
	}
	c.use()
	c.listVolumes()
	azure.list()
	slices.SortFunc(c.view.Unjoined, func(a, b Unjoined) int {
		return cmp.Or(compareIdentities(a.Resource, b.Resource), cmp.Compare(a.Reason, b.Reason))
	})
}

// use says of the joined volumes, and of what is behind each endpoint, how much is in use.
func (c *cloud) use() {
	for _, pool := range c.view.Pools {
		for _, volume := range pool.Volumes {
			volume.ClientUse = volume.clientUse()
		}
	}
	for _, client := range c.view.Clients {
		for _, endpoint := range client.Endpoints {
			endpoint.VolumeUtilisation = endpoint.utilisation()
			endpoint.Throttled = endpoint.throttled()
		}
	}
}

func (j *joiner) add(volume *Volume) {
	for _, endpoint := range volume.Endpoints {
		kind := kindOf(endpoint.Protocol)
		server := serverKey{kind, canonicalServer(endpoint.Server)}
		key := joinKey{kind, server.server, canonicalExport(kind, endpoint.Export)}
		j.volumes[key] = once(j.volumes[key], volume)
		j.servers[server] = once(j.servers[server], volume)
	}
}

// once adds a volume that is not there yet. The endpoints of one volume come one after the other, so that it can only be
// the last: thousands of volumes may share an address.
func once(volumes []*Volume, volume *Volume) []*Volume {
	if n := len(volumes); n > 0 && volumes[n-1] == volume {
		return volumes
	}
	return append(volumes, volume)
}

func (c *cloud) joinMount(j *joiner, endpoint *Endpoint, mount *Mount) {
	kind := kindOf(mount.Protocol)
	servers := j.serversOf(kind, mount)
	if len(servers) == 0 {
		c.joinAccount(j, endpoint, mount)
		return
	}
	// What is at a volume's address is this service's, whichever volume it is.
	endpoint.Provider = Provider(servers[0].Identity.Service)
	volumes := j.find(kind, mount)
	switch {
	case len(volumes) == 1:
		mount.Volume = volumes[0]
		volumes[0].Mounts = append(volumes[0].Mounts, mount)
		volumes[0].MountedBy = append(volumes[0].MountedBy, Resource{Host: mount.Host, Server: mount.Server, Export: mount.Export, Protocol: mount.Protocol})
	case len(volumes) > 1:
		c.unjoined(mount.Resource(), "several volumes have this address and export: "+nameVolumes(volumes))
	case canonicalExport(kind, mount.Export) == "/":
		c.unjoined(mount.Resource(), "mounts the root of the server's tree, which is no single volume's")
	default:
		c.unjoined(mount.Resource(), "the server's address is known, the export is not: a volume made since the inventory was read, or one of a project that is not read")
	}
}

func (c *cloud) unjoined(resource Resource, reason string) {
	c.view.Unjoined = append(c.view.Unjoined, Unjoined{resource, reason})
}

// listVolumes names the volumes that no mount was joined to, and the samples that belong to no volume.
func (c *cloud) listVolumes() {
	for _, volume := range c.volumes {
		switch {
		case len(volume.Mounts) > 0:
		case len(volume.Endpoints) == 0:
			c.unjoined(volume.Identity, "the inventory gives no address under which it is mounted")
		default:
			c.unjoined(volume.Identity, "no host that nasight sees mounts it")
		}
	}
	for _, stranger := range c.strangers {
		c.unjoined(stranger, "has samples and is not in the inventory")
	}
}

// find looks for the volume of a mount: by its export, else by the nearest directory above it, since a client may mount
// a part of a volume.
func (j *joiner) find(kind string, mount *Mount) []*Volume {
	for _, server := range serverNames(mount) {
		for export := canonicalExport(kind, mount.Export); export != ""; export = above(export) {
			if volumes := j.volumes[joinKey{kind, server, export}]; len(volumes) > 0 {
				return volumes
			}
		}
	}
	return nil
}

func (j *joiner) serversOf(kind string, mount *Mount) []*Volume {
	for _, server := range serverNames(mount) {
		if volumes := j.servers[serverKey{kind, server}]; len(volumes) > 0 {
			return volumes
		}
	}
	return nil
}

// serverNames are the address that a client talks to and the name that it was given.
func serverNames(mount *Mount) []string {
	names := []string{canonicalServer(mount.Server)}
	if name := canonicalServer(mount.ServerName); name != "" && name != names[0] {
		names = append(names, name)
	}
	return names
}

// above is the directory above a path; empty above the first.
func above(export string) string {
	i := strings.LastIndexByte(export, '/')
	if i <= 0 {
		return ""
	}
	return export[:i]
}

// kindOf is the protocol without its version.
func kindOf(protocol string) string {
	switch protocol = strings.ToLower(protocol); {
	case strings.HasPrefix(protocol, "nfs"):
		return "nfs"
	case protocol == "cifs":
		return "smb"
	}
	return protocol
}

// canonicalServer writes one address or name in one way: addresses without brackets, zone, port and IPv4 in IPv6, names in
// lower case without the dot at the end.
func canonicalServer(server string) string {
	server = strings.ToLower(strings.TrimSpace(server))
	if address, ok := parseAddress(server); ok {
		return address
	}
	if host, _, err := net.SplitHostPort(server); err == nil {
		server = host
		if address, ok := parseAddress(server); ok {
			return address
		}
	}
	return strings.TrimSuffix(server, ".")
}

func parseAddress(text string) (string, bool) {
	address, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		return "", false
	}
	return address.Unmap().WithZone("").String(), true
}

// canonicalExport writes an export, a share or a target in one way: with one slash before it and none at the end. Shares
// and targets do not know upper and lower case, exports do.
func canonicalExport(kind, export string) string {
	if kind != "nfs" {
		export = strings.ToLower(strings.ReplaceAll(export, `\`, "/"))
	}
	return "/" + strings.Trim(export, "/")
}

func nameVolumes(volumes []*Volume) string {
	names := make([]string, len(volumes))
	for i, volume := range volumes {
		names[i] = volume.Identity.Project + "/" + volume.Identity.Location + "/" + volume.Identity.Volume
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// Volumes are the volumes behind the endpoint's mounts, each once.
func (e *Endpoint) Volumes() []*Volume {
	var volumes []*Volume
	for _, mount := range e.Mounts {
		if mount.Volume != nil && !slices.Contains(volumes, mount.Volume) {
			volumes = append(volumes, mount.Volume)
		}
	}
	return volumes
}

// telling is the part of an endpoint's bytes that a volume has to carry for its utilisation to be the endpoint's.
const telling = 0.1

// utilisation is the highest of the volumes that carry a part of the endpoint's bytes. An idle mount of a busy volume says
// nothing about the endpoint's own work.
func (e *Endpoint) utilisation() Value {
	total, highest := e.OverMounts((*Mount).Bytes), Unknown
	for _, mount := range e.Mounts {
		if mount.Bytes().Over(total).Below(telling) {
			continue
		}
		if use := mount.utilisation(); use.Known() && !highest.Above(float64(use)) {
			highest = use
		}
	}
	return highest
}

// Cloud is the cloud identity that all of an endpoint's mounts share: of its volume where there is one, of its pool or
// project where there are several. Empty as soon as one mount is not joined.
func (e *Endpoint) Cloud() Resource {
	var shared Resource
	for i, mount := range e.Mounts {
		identity := mount.Cloud()
		if identity == (Resource{}) {
			return Resource{}
		}
		if i == 0 {
			shared = identity
			continue
		}
		shared = common(shared, identity)
	}
	return shared
}

// common keeps the levels of two identities from the top as long as they agree.
func common(a, b Resource) Resource {
	switch {
	case a.Cloud != b.Cloud || a.Service != b.Service:
		return Resource{}
	case a.Project != b.Project:
		return Resource{Cloud: a.Cloud, Service: a.Service}
	case a.Location != b.Location:
		return Resource{Cloud: a.Cloud, Service: a.Service, Project: a.Project}
	case a.Pool != b.Pool:
		return Resource{Cloud: a.Cloud, Service: a.Service, Project: a.Project, Location: a.Location}
	case a.Volume != b.Volume:
		a.Volume = ""
	}
	return a
}
