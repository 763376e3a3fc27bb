package docs

import (
	"strings"

	"github.com/nasight/nasight/schema"
)

type section struct {
	title    string
	families []*schema.Family
}

// area is a chapter of the page. A family belongs to the first area that lists the first word after the prefix.
type area struct {
	title string
	words []string
}

func areas() []area {
	return []area{
		{"NFS: mounts, transports, settings", []string{"nfs"}},
		{"SMB: shares, servers, channels", []string{"smb"}},
		{"iSCSI: targets and their disks", []string{"iscsi"}},
		{"Mounts of any protocol", []string{"mount"}},
		{"TCP: sessions and endpoints", []string{"session", "sessions", "endpoint"}},
		{"Network interfaces", []string{"nic"}},
		{"Processor", []string{"cpu"}},
		{"Google Compute Engine", []string{"gce"}},
		{"Volumes and pools: Google Cloud NetApp Volumes, Azure NetApp Files", []string{"volume", "pool", "replication"}},
		{"Azure Files", []string{"account", "share", "subscription"}},
		{"Findings", []string{"finding"}},
		{"nasight's own health", nil},
	}
}

// group puts each family into its area and drops the areas that stay empty. What no area lists is about nasight itself.
func group(families []*schema.Family) []section {
	byWord := map[string]int{}
	table := areas()
	sections := make([]section, len(table))
	for i, area := range table {
		sections[i].title = area.title
		for _, word := range area.words {
			byWord[word] = i
		}
	}
	for _, family := range families {
		i, ok := byWord[firstWord(family.Name)]
		if !ok {
			i = len(table) - 1
		}
		sections[i].families = append(sections[i].families, family)
	}
	kept := sections[:0]
	for _, section := range sections {
		if len(section.families) > 0 {
			kept = append(kept, section)
		}
	}
	return kept
}

func firstWord(name string) string {
	word, _, _ := strings.Cut(strings.TrimPrefix(name, "nasight_"), "_")
	return word
}
