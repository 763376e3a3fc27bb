package main

import (
	"strings"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

func metadataBoard() board {
	volume := variable{
		label: "volume", title: "volume or share", from: []*schema.Family{schema.VolumeInfo, schema.ShareInfo}, matchers: inPools,
		description: "Volumes, and shares of Azure Files.",
	}
	return board{
		uid: uidMetadata, title: "nasight / Metadata",
		description: "Operations that move no data: how much they are of all, how near they are to what a share can do, and where metadata caching would be available.",
		variables:   []variable{chooseProject(schema.PoolInfo, schema.AccountInfo), choosePool(schema.PoolInfo, schema.AccountInfo), volume},
		findings:    with(inVolume, `detector="metadata_heavy"`), severity: 1,
		sections: []section{
			{"What is asked", metadataSplit()},
			{"Ceiling", metadataCeiling()},
			{"Caching", []panel{metadataCaching()}},
			{"Clients", metadataClients()},
			{"Findings", []panel{findingsTable(`detector="metadata_heavy"`, "Metadata near its ceiling, or most of what is done: of all hosts and shares.")}},
		},
	}
}

// names matches a class of operations, whatever the letters' case.
func names(class fleet.APIClass) string {
	return `api=~"(?i)(` + strings.Join(fleet.APINames(class), "|") + `)"`
}

func metadataOf(function func(*schema.Family, string) string) string {
	return sumBy(ofVolume, function(schema.ShareOperations, with(inVolume, names(fleet.APIMetadata))))
}

// worked is all that is asked of shares but session set-up.
func worked(function func(*schema.Family, string) string) string {
	return sumBy(ofVolume, function(schema.ShareOperations, with(inVolume, strings.Replace(names(fleet.APISession), "=~", "!~", 1))))
}

func metadataSplit() []panel {
	volumes := func(matchers string) string { return sumBy(ofVolume, mean(schema.VolumeOperations, matchers)) }
	return []panel{
		{
			kind: stack, title: "Azure Files: operations by name", w: 12, unit: perSecond,
			description: "Operations of the chosen shares by the service's name of them: the twelve most frequent.",
			queries:     []query{{expr: top(12, sumBy("api", mean(schema.ShareOperations, inVolume))), legend: "{{api}}"}},
		},
		{
			kind: stack, title: "NetApp: operations by type", w: 12, unit: perSecond,
			description: "Operations of the chosen volumes by type.",
			queries:     []query{{expr: sumBy("type", mean(schema.VolumeOperations, inVolume)), legend: "{{type}}"}},
		},
		{
			kind: lines, title: "Share of metadata", w: 24, unit: ratio, max: 1, runbooks: []string{"NasightMetadataHeavyShare"},
			description: "Metadata over all operations: the twelve highest of those with at least ten operations a second.",
			queries: []query{
				{expr: top(12, over(metadataOf(mean), worked(mean)+" > 10", ofVolume)), legend: "{{pool}}/{{volume}}"},
				{expr: top(12, over(volumes(with(inVolume, `type="metadata"`)), volumes(inVolume)+" > 10", ofVolume)), legend: "{{pool}}/{{volume}}"},
			},
		},
	}
}

func metadataCeiling() []panel {
	return []panel{
		{
			kind: lines, title: "Metadata over the ceiling", w: 12, unit: ratio, max: 1, steps: nearLimit(), runbooks: []string{"NasightMetadataHeavyCeiling"},
			description: "Metadata operations over what is published for a share of Azure Files: the twelve nearest.",
			queries:     []query{{expr: top(12, over(metadataOf(mean), now(schema.ShareMetadataCeiling, inVolume), ofVolume)), legend: "{{pool}}/{{volume}}"}},
		},
		{
			kind: lines, title: "Held back", w: 12, unit: perSecond, runbooks: []string{"NasightLimitReachedMetadata"},
			description: "Operations that the service answered with a warning about metadata, or held back for it: the twelve shares with most. Nothing where none is.",
			queries:     []query{{expr: top(12, sumBy(ofVolume+", response", mean(schema.ShareResponses, with(inVolume, `response=~".*Metadata(Warning|Throttling)"`)))), legend: "{{volume}} {{response}}"}},
		},
	}
}

func metadataCaching() panel {
	shares := maxBy(ofVolume, now(schema.ShareInfo, with(inVolume, `protocol="smb"`)))
	onSSD := maxBy(ofPool+", media", now(schema.AccountInfo, with(inPools, `media="ssd"`)))
	asked := maxBy("project, state", now(schema.SubscriptionFeatureInfo, `project=~"$project",feature="AzurePremiumFilesMetadataCacheFeature"`))
	eligible := mapped("("+mapped(shares, ofPool, "media", onSSD)+")", "project", "state", asked)
	listed := top(200, mapped(metadataOf(now), ofVolume, "media, state", "("+eligible+")"))
	of := func(expr string) string { return among(expr, ofVolume, listed) }
	return panel{
		kind: table, title: "Shares that can have metadata caching", w: 24, unit: perSecond, runbooks: []string{"NasightMetadataHeavyShare"},
		description: "Shares on SSD that speak SMB, with the state of the subscription's registration for metadata caching: registered, it begins to work on its own, and no property tells that it does. The 200 with most metadata operations.",
		columns:     append(resourceColumns("project", "pool", "volume"), column{label: "media", title: "media"}, column{label: "state", title: "caching"}),
		queries: []query{
			{listed, "metadata", perSecond},
			{of(over(metadataOf(now), worked(now), ofVolume)), "of all operations", ratio},
			{of(over(metadataOf(now), now(schema.ShareMetadataCeiling, inVolume), ofVolume)), "of the ceiling", ratio},
		},
	}
}

func metadataClients() []panel {
	return []panel{
		{
			kind: stack, title: "NFS: metadata by client", w: 12, unit: perSecond, links: []string{uidNFS},
			description: "Look-ups, listings and attributes that clients ask for: the twelve mounts with most, of all hosts. Attribute caching saves the latter.",
			queries:     []query{{expr: top(12, sumBy("host, export, class", rate(schema.NFSOperations, `class=~"attr|dir"`))), legend: "{{host}} {{export}} {{class}}"}},
		},
		{
			kind: stack, title: "SMB: metadata by client", w: 12, unit: perSecond, links: []string{uidSMB},
			description: "Opens, closes, listings and attributes: the twelve mounts with most, of all hosts.",
			queries:     []query{{expr: top(12, sumBy("host, export, class", rate(schema.SMBOperations, `class=~"open|close|attr|dir|metadata"`))), legend: "{{host}} {{export}} {{class}}"}},
		},
	}
}
