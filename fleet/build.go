package fleet

import (
	"context"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/nasight/nasight/history"
)

// Build asks history for every feature at one moment and joins the answers into the typed view. An error means that
// history could not answer; a resource without data just lacks values.
func Build(ctx context.Context, reader history.Reader, at time.Time, profile Profile) (*Fleet, error) {
	answers := make(map[string][]history.Point)
	rows := make(map[string]Feature)
	for _, feature := range Features() {
		rows[feature.Name] = feature
		if feature.Slow || feature.Only || feature.Cloud || profile.CloudOnly {
			continue
		}
		points, err := feature.ask(ctx, reader, at, profile)
		if err != nil {
			return nil, err
		}
		answers[feature.Name] = points
	}
	builder := &builder{
		profile: profile, at: at, answers: answers,
		clients: map[string]*Client{}, mounts: map[mountKey]*Mount{}, endpoints: map[endpointKey]*Endpoint{},
	}
	view := &Fleet{
		At: at, Window: profile.Window, Clients: builder.build(),
		Query: queries(rows, profile, at),
	}
	if err := addCloud(ctx, reader, view, profile); err != nil {
		return nil, err
	}
	return view, nil
}

// ask asks history for a feature of every resource.
func (f Feature) ask(ctx context.Context, reader history.Reader, at time.Time, profile Profile) ([]history.Point, error) {
	var all []history.Point
	for _, query := range f.Queries(profile) {
		points, err := reader.Instant(ctx, query, at)
		if err != nil {
			return nil, fmt.Errorf("feature %s: %w", f.Name, err)
		}
		all = append(all, points...)
	}
	return all, nil
}

// queries puts the times into the expressions once: a round of findings asks for many thousands.
func queries(rows map[string]Feature, profile Profile, at time.Time) Query {
	expanded := make(map[string]Feature, len(rows))
	for name, row := range rows {
		expanded[name] = row.timed(profile)
	}
	return func(feature string, resource Resource) string {
		row, ok := expanded[feature]
		if !ok || profile.hides(feature, resource, at) {
			return ""
		}
		return row.about(resource)
	}
}

type (
	mountKey    struct{ host, server, export, protocol, device string }
	endpointKey struct{ host, server, protocol string }
)

func mountOf(labels map[string]string) mountKey {
	return mountKey{labels["host"], labels["server"], labels["export"], labels["protocol"], labels["device"]}
}

func endpointOf(labels map[string]string) endpointKey {
	return endpointKey{labels["host"], labels["server"], labels["protocol"]}
}

type builder struct {
	profile   Profile
	at        time.Time
	answers   map[string][]history.Point
	clients   map[string]*Client
	mounts    map[mountKey]*Mount
	endpoints map[endpointKey]*Endpoint
}

func (b *builder) build() []*Client {
	b.buildClients()
	b.buildMounts()
	b.buildEndpoints()
	b.buildSMBServers()
	b.buildTransports()
	b.buildSessions()
	b.applyLearnt()
	clients := make([]*Client, 0, len(b.clients))
	for _, client := range b.clients {
		client.Coverage = b.coverage(client)
		sortClient(client)
		clients = append(clients, client)
	}
	sort.Slice(clients, func(i, j int) bool { return clients[i].Host < clients[j].Host })
	return clients
}

func (b *builder) client(host string) *Client {
	client, ok := b.clients[host]
	if !ok {
		client = &Client{
			Host: host, Cloud: b.profile.Cloud,
			CPU:      CPU{Unknown, Unknown, Unknown, Unknown, Unknown},
			NIC:      unknownNIC(),
			Settings: Settings{Unknown, Unknown, Unknown},
			SMB:      SMBClient{PerInterface: Unknown, PerServer: Unknown},
		}
		b.clients[host] = client
	}
	return client
}

func (b *builder) buildClients() {
	b.eachClient(FeatureCPUCores, func(c *Client) *Value { return &c.CPU.Cores })
	b.eachClient(FeatureCPUBusiestSoftirq, func(c *Client) *Value { return &c.CPU.BusiestSoftirq })
	b.eachClient(FeatureCPUBusiestBusy, func(c *Client) *Value { return &c.CPU.BusiestBusy })
	b.eachClient(FeatureCPUBusy, func(c *Client) *Value { return &c.CPU.Busy })
	b.eachClient(FeatureCPUSteal, func(c *Client) *Value { return &c.CPU.Steal })
	b.eachClient(FeatureSlotTable, func(c *Client) *Value { return &c.Settings.SlotTable })
	b.eachClient(FeatureSessionSlots, func(c *Client) *Value { return &c.Settings.SessionSlots })
	b.eachClient(FeatureSessionSlotsConfig, func(c *Client) *Value { return &c.Settings.SessionSlotsConfigured })
	b.buildNICs()
	b.buildSMBClients()
	b.buildInstances()
}

func (b *builder) eachClient(feature string, field func(*Client) *Value) {
	for _, point := range b.answers[feature] {
		*field(b.client(point.Labels["host"])) = Value(point.Value)
	}
}

func (b *builder) buildMounts() {
	for _, point := range b.answers[FeatureMountInfo] {
		key := mountOf(point.Labels)
		mount := newMount(point.Labels)
		if _, known := b.mounts[key]; !known {
			client := b.client(mount.Host)
			client.Mounts = append(client.Mounts, mount)
			b.mounts[key] = mount
		} else {
			*b.mounts[key] = *mount
		}
	}
	for feature, field := range map[string]func(*Mount) *Value{
		FeatureMountAge:     func(m *Mount) *Value { return &m.Age },
		FeatureMountSamples: func(m *Mount) *Value { return &m.Samples },
		FeatureClockAdvance: func(m *Mount) *Value { return &m.ClockAdvance },
		FeatureReadRate:     func(m *Mount) *Value { return &m.ReadRate },
		FeatureWriteRate:    func(m *Mount) *Value { return &m.WriteRate },
		FeatureRetransmits:  func(m *Mount) *Value { return &m.Retransmits },
		FeatureTimeouts:     func(m *Mount) *Value { return &m.Timeouts },
		FeatureReadAhead:    func(m *Mount) *Value { return &m.ReadAhead },

		FeatureOpenFiles:      func(m *Mount) *Value { return &m.OpenFiles },
		FeatureFilesInUse:     func(m *Mount) *Value { return &m.FilesInUse },
		FeatureChannelsAsked:  func(m *Mount) *Value { return &m.ChannelsAsked },
		FeatureCreditStalls:   func(m *Mount) *Value { return &m.CreditStalls },
		FeatureTargetSessions: func(m *Mount) *Value { return &m.Sessions },
	} {
		b.eachMount(feature, func(m *Mount, point history.Point) { *field(m) = Value(point.Value) })
	}
	b.eachMount(FeatureCompletions, func(m *Mount, point history.Point) { m.Completions = m.Completions.Plus(Value(point.Value)) })
	b.buildClasses()
}

func (b *builder) eachMount(feature string, apply func(*Mount, history.Point)) {
	for _, point := range b.answers[feature] {
		if mount, ok := b.mounts[mountOf(point.Labels)]; ok {
			apply(mount, point)
		}
	}
}

func (b *builder) buildClasses() {
	class := func(m *Mount, point history.Point, apply func(*Class)) {
		name := point.Labels["class"]
		c, ok := m.Classes[name]
		if !ok {
			c = Class{Unknown, Unknown, Unknown, Unknown}
		}
		apply(&c)
		m.Classes[name] = c
	}
	b.eachMount(FeatureRate, func(m *Mount, p history.Point) {
		class(m, p, func(c *Class) { c.Rate = Value(p.Value) })
	})
	b.eachMount(FeatureOnWire, func(m *Mount, p history.Point) {
		class(m, p, func(c *Class) { c.RTT = Value(p.Value).Over(c.Rate) })
	})
	b.eachMount(FeatureOutstanding, func(m *Mount, p history.Point) {
		class(m, p, func(c *Class) { c.Execute = Value(p.Value).Over(c.Rate) })
	})
	b.eachMount(FeatureErrors, func(m *Mount, p history.Point) {
		class(m, p, func(c *Class) { c.Errors = Value(p.Value) })
	})
}

func newMount(labels map[string]string) *Mount {
	mount := &Mount{
		Host: labels["host"], Server: labels["server"], ServerName: labels["server_name"], Export: labels["export"],
		Protocol: labels["protocol"], Device: labels["device"], Version: labels["version"], Transport: labels["transport"],
		Security: labels["security"], Options: labels["options"], Classes: map[string]Class{}, NConnect: number(labels["nconnect"]),
		ReadSize: option(labels["options"], "rsize"), WriteSize: option(labels["options"], "wsize"),
	}
	mount.MountPoints, mount.MoreMounts = mountPoints(labels["mountpoints"])
	for _, value := range []*Value{
		&mount.ReadAhead, &mount.Age, &mount.ReadRate, &mount.WriteRate, &mount.Retransmits,
		&mount.Timeouts, &mount.Completions, &mount.ClockAdvance, &mount.Samples,
		&mount.OpenFiles, &mount.FilesInUse, &mount.ChannelsAsked, &mount.CreditStalls, &mount.Sessions,
	} {
		*value = Unknown
	}
	return mount
}

// option is the number that a mount option has.
func option(options, name string) Value {
	for part := range strings.SplitSeq(options, ",") {
		if value, ok := strings.CutPrefix(part, name+"="); ok {
			return number(value)
		}
	}
	return Unknown
}

func number(text string) Value {
	n, err := strconv.ParseUint(text, 10, 53)
	if err != nil {
		return Unknown
	}
	return Value(n)
}

// mountPoints splits the mountpoints label at its blanks and undoes the kernel's octal escapes. A last part of +N stands
// for so many that the label leaves out; a mount point begins with a slash.
func mountPoints(label string) ([]string, int) {
	paths := strings.Fields(label)
	more := 0
	if last := len(paths) - 1; last >= 0 && strings.HasPrefix(paths[last], "+") {
		more, _ = strconv.Atoi(paths[last][1:])
		paths = paths[:last]
	}
	for i, path := range paths {
		paths[i] = unescape(path)
	}
	return paths, more
}

func unescape(path string) string {
	var out strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] == '\\' && i+3 < len(path) {
			if code, err := strconv.ParseUint(path[i+1:i+4], 8, 8); err == nil {
				out.WriteByte(byte(code))
				i += 3
				continue
			}
		}
		out.WriteByte(path[i])
	}
	return out.String()
}

// coverage is the share of the expected reads that the client's best-covered mount has.
func (b *builder) coverage(client *Client) Value {
	most := Unknown
	for _, mount := range client.Mounts {
		if mount.Samples.Known() && !most.Above(float64(mount.Samples)) {
			most = mount.Samples
		}
	}
	if b.profile.Expected <= 0 {
		return Unknown
	}
	return min(most.Over(Value(b.profile.Expected)), 1)
}

func sortClient(client *Client) {
	sort.Slice(client.Mounts, func(i, j int) bool {
		a, b := client.Mounts[i], client.Mounts[j]
		if a.Server != b.Server {
			return a.Server < b.Server
		}
		if a.Export != b.Export {
			return a.Export < b.Export
		}
		return a.Device < b.Device
	})
	sort.Slice(client.Endpoints, func(i, j int) bool {
		a, b := client.Endpoints[i], client.Endpoints[j]
		return a.Server < b.Server || a.Server == b.Server && a.Protocol < b.Protocol
	})
	for _, endpoint := range client.Endpoints {
		sort.Slice(endpoint.Mounts, func(i, j int) bool { return endpoint.Mounts[i].Export < endpoint.Mounts[j].Export })
		sort.Slice(endpoint.Transports, func(i, j int) bool { return endpoint.Transports[i].Version < endpoint.Transports[j].Version })
		sort.Slice(endpoint.Sessions, func(i, j int) bool { return endpoint.Sessions[i].Local < endpoint.Sessions[j].Local })
	}
}
