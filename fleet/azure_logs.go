package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nasight/nasight/schema"
)

// The names of the features of the log of file operations.
const (
	FeatureClientInfo         = "share_client_info"
	FeatureClientConcurrency  = "share_client_concurrency"
	FeatureClientChannels     = "share_client_channels"
	FeatureClientFiles        = "share_client_files"
	FeatureClientOperations   = "share_client_operations"
	FeatureClientThroughput   = "share_client_throughput"
	FeatureShareBusiestFile   = "share_busiest_file_operations"
	FeatureShareBusiestStream = "share_busiest_file_throughput"
)

// ShareClient is a client of a share as the service logs it: an address that may be one inside Azure, with what it did in the
// sampled minutes of the last 45. It is joined to no host.
type ShareClient struct {
	Address     string
	Protocol    string
	Channels    Value // most of the sampled minutes; missing where the log has no ports
	Files       Value // distinct ones that it reads or writes; missing where sessions may share them
	Concurrency Value // reads and writes under way, 90th percentile of the minutes
	Data, Other Value // operations per second: reads and writes, all others
	Read, Write Value // bytes per second
}

// FileMinute is a sampled minute of the file of a share that had most to do.
type FileMinute struct {
	Operations Value // per second
	Throughput Value // bytes per second
}

// logLook holds a sample of the longest period, and the delay of the log.
const logLook = "45m"

// fileMinutes are those in which the newest sample of the longest period is.
const fileMinutes = 36

func logClientFeatures() []Feature {
	sampled := func(function, family string) string {
		return fmt.Sprintf("%s(%s{$sel}[%s])", function, family, logLook)
	}
	concurrency, files := schema.ShareClientConcurrency.Name, schema.ShareClientFiles.Name
	most := sampled("max_over_time", files)
	// A minute in which several sessions may share a file makes the number unknown, unless one session has two already.
	known := fmt.Sprintf("%[1]s unless (%[2]s > %[3]s and %[1]s < 2)", most, sampled("count_over_time", concurrency), sampled("count_over_time", files))
	return []Feature{
		{Name: FeatureClientInfo, Expr: sampled("last_over_time", schema.ShareClientInfo.Name), By: byVolume},
		{Name: FeatureClientConcurrency, Unit: "requests", Expr: strings.Replace(sampled("quantile_over_time", concurrency), "(", "(0.9, ", 1), By: byVolume},
		{Name: FeatureClientChannels, Unit: "channels", Expr: sampled("max_over_time", schema.ShareClientChannels.Name), By: byVolume},
		{Name: FeatureClientFiles, Unit: "files", Expr: known, By: byVolume},
		{Name: FeatureClientOperations, Unit: operationsRate, Expr: sampled("avg_over_time", schema.ShareClientOperations.Name), By: byVolume, Sum: true},
		{Name: FeatureClientThroughput, Unit: bytesRate, Expr: sampled("avg_over_time", schema.ShareClientThroughput.Name), By: byVolume, Sum: true},
	}
}

func logFileFeatures() []Feature {
	row := func(name, unit string, family *schema.Family) Feature {
		return Feature{Name: name, Unit: unit, Expr: lately("last_over_time", family, 1), By: byVolume, Steps: fileMinutes, Step: family.Grain}
	}
	return []Feature{
		row(FeatureShareBusiestFile, operationsRate, schema.ShareFileOperations),
		row(FeatureShareBusiestStream, bytesRate, schema.ShareFileThroughput),
	}
}

// addLogs asks for what the log tells. Where no client is in it nothing else is asked.
func (a *accounts) addLogs(ctx context.Context) error {
	for _, feature := range logClientFeatures() {
		if err := a.instant(ctx, feature); err != nil {
			return err
		}
		if len(a.answers[FeatureClientInfo]) == 0 {
			return nil
		}
	}
	a.buildClients()
	return a.buildFileMinutes(ctx)
}

func (a *accounts) buildClients() {
	clients := map[Resource]map[string]*ShareClient{}
	for _, point := range a.answers[FeatureClientInfo] {
		share, address := a.shares[identityOf(point.Labels)], point.Labels[schema.ClientAddress]
		if share == nil {
			continue
		}
		if clients[share.Identity] == nil {
			clients[share.Identity] = map[string]*ShareClient{}
		}
		clients[share.Identity][address] = &ShareClient{
			address, point.Labels[schema.Protocol], Unknown, Unknown, Unknown, Unknown, Unknown, Unknown, Unknown,
		}
	}
	for feature, field := range map[string]func(*ShareClient, map[string]string) *Value{
		FeatureClientConcurrency: func(c *ShareClient, _ map[string]string) *Value { return &c.Concurrency },
		FeatureClientChannels:    func(c *ShareClient, _ map[string]string) *Value { return &c.Channels },
		FeatureClientFiles:       func(c *ShareClient, _ map[string]string) *Value { return &c.Files },
		FeatureClientOperations: func(c *ShareClient, labels map[string]string) *Value {
			return either(labels[schema.Class] == "data", &c.Data, &c.Other)
		},
		FeatureClientThroughput: func(c *ShareClient, labels map[string]string) *Value {
			return either(labels[schema.Direction] == "egress", &c.Read, &c.Write)
		},
	} {
		for _, point := range a.answers[feature] {
			if client := clients[identityOf(point.Labels)][point.Labels[schema.ClientAddress]]; client != nil {
				*field(client, point.Labels) = Value(point.Value)
			}
		}
	}
	for identity, found := range clients {
		share := a.shares[identity]
		for _, client := range found {
			share.Clients = append(share.Clients, *client)
		}
		slices.SortFunc(share.Clients, func(x, y ShareClient) int { return strings.Compare(x.Address, y.Address) })
	}
}

func either(condition bool, yes, no *Value) *Value {
	if condition {
		return yes
	}
	return no
}

// buildFileMinutes keeps the minutes up to the newest one that was sampled.
func (a *accounts) buildFileMinutes(ctx context.Context) error {
	for _, feature := range logFileFeatures() {
		first := a.view.At.Add(-fileMinutes * feature.Step).Add(feature.Step)
		lines, err := a.reader.Range(ctx, feature.expand(a.profile, ""), first, a.view.At, feature.Step)
		if err != nil {
			return fmt.Errorf("feature %s: %w", feature.Name, err)
		}
		for _, line := range lines {
			share := a.shares[identityOf(line.Labels)]
			if share == nil {
				continue
			}
			for i, at := range line.Times {
				step := int(at.Sub(first).Round(feature.Step) / feature.Step)
				if step < 0 || step >= fileMinutes {
					continue
				}
				for len(share.BusiestFile) <= step {
					share.BusiestFile = append(share.BusiestFile, FileMinute{Unknown, Unknown})
				}
				minute := &share.BusiestFile[step]
				*either(feature.Name == FeatureShareBusiestFile, &minute.Operations, &minute.Throughput) = Value(line.Values[i])
			}
		}
	}
	return nil
}

// LoggedFiles are the distinct files in use of a mount by the log of its service: where the log has one client of the share and
// the mount is the only one that is known, they are the same.
func (m *Mount) LoggedFiles() Value {
	if m.Share == nil || len(m.Share.Mounts) != 1 || len(m.Share.Clients) != 1 {
		return Unknown
	}
	return m.Share.Clients[0].Files
}
