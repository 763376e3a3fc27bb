package detectors

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/fleet"
)

// The truth table of detectors.md §4. Rows 1 to 9 are about an Azure share and are judged by the pure function, with the
// response types that the cloud's side will bring.
func TestMetadataTable(t *testing.T) {
	row1 := MetadataLoad{
		Total: 4_000, Metadata: 3_200, Cacheable: 2_400, MetadataLatency: 4 * ms, MeanLatency: 3.6 * ms, Outstanding: fleet.Unknown,
		Provider: fleet.ProviderAzure, Protocol: "smb", Warnings: fleet.Unknown, Throttled: fleet.Unknown,
	}
	change := func(changes ...func(*MetadataLoad)) MetadataLoad {
		load := row1
		for _, apply := range changes {
			apply(&load)
		}
		return load
	}
	rates := func(total, metadata fleet.Value) func(*MetadataLoad) {
		return func(l *MetadataLoad) { l.Total, l.Metadata = total, metadata }
	}
	for _, row := range []struct {
		name      string
		load      MetadataLoad
		severity  Severity
		variant   string
		eligible  bool
		reduction fleet.Value
	}{
		{"row 1", row1, Info, VariantShare, true, 0.20},
		{"row 2: m .500", change(rates(2_000, 1_000)), Info, VariantShare, true, fleet.Unknown},
		{"row 3: m .499", change(rates(2_000, 998)), 0, "", true, fleet.Unknown},
		{"row 4: floor", change(rates(99, 90)), 0, "", true, fleet.Unknown},
		{"row 4 at the floor", change(rates(111, 100)), Info, VariantShare, true, fleet.Unknown},
		{"row 4 below the floor with one request outstanding (A11)", change(rates(99, 90), func(l *MetadataLoad) { l.Outstanding = 1 }),
			Info, VariantShare, true, fleet.Unknown},
		{"row 4 with 0.99 requests outstanding (A11)", change(rates(99, 90), func(l *MetadataLoad) { l.Outstanding = 0.99 }),
			0, "", true, fleet.Unknown},
		{"row 5: 60 % of 12,000", change(rates(30_000, 7_200)), Warning, VariantCeiling, true, fleet.Unknown},
		{"row 5 just below", change(rates(30_000, 7_199)), 0, "", true, fleet.Unknown},
		{"row 6: warnings", change(rates(30_000, 6_000), func(l *MetadataLoad) { l.Warnings = 1 }), Warning, VariantCeiling, true, fleet.Unknown},
		{"row 6 without", change(rates(30_000, 6_000), func(l *MetadataLoad) { l.Warnings = 0 }), 0, "", true, fleet.Unknown},
		{"row 7: throttled", change(rates(30_000, 6_000), func(l *MetadataLoad) { l.Warnings, l.Throttled = 1, 1 }),
			Critical, VariantCeiling, true, fleet.Unknown},
		{"row 8: HDD", change(func(l *MetadataLoad) { l.HDD = true }), Info, VariantShare, false, fleet.Unknown},
		{"row 9: registered", change(rates(30_000, 7_200), func(l *MetadataLoad) { l.Registered = true }), 0, "", true, fleet.Unknown},
		{"row 10: NFS", change(func(l *MetadataLoad) { l.Protocol = "nfs" }), Info, VariantShare, false, fleet.Unknown},
		{"NFS on SSD has 35,000", change(rates(90_000, 21_000), func(l *MetadataLoad) { l.Protocol = "nfs" }), Warning, VariantCeiling, false, fleet.Unknown},
		{"NFS just below 60 % of 35,000", change(rates(90_000, 20_999), func(l *MetadataLoad) { l.Protocol = "nfs" }), 0, "", false, fleet.Unknown},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := JudgeMetadata(row.load, DefaultSettings().Metadata)
			if got.Severity != row.severity || got.Variant != row.variant || got.Eligible != row.eligible {
				t.Errorf("%s %q, eligible %v; want %s %q, %v", got.Severity, got.Variant, got.Eligible, row.severity, row.variant, row.eligible)
			}
			if row.reduction.Known() && math.Abs(float64(got.Reduction-row.reduction)) > 0.0001 {
				t.Errorf("reduction %v, want %v", got.Reduction, row.reduction)
			}
		})
	}
}

// Services without a published ceiling: §4 for a known one, A11 for an unknown one.
func TestMetadataWithoutCeiling(t *testing.T) {
	for _, row := range []struct {
		name            string
		provider        fleet.Provider
		total, metadata fleet.Value
		want            Severity
	}{
		{"GCNV m .70 at 500/s", fleet.ProviderGCNV, 714, 500, Info},
		{"GCNV m .70 at 499/s", fleet.ProviderGCNV, 700, 499, 0},
		{"GCNV m .69", fleet.ProviderGCNV, 1_000, 699, 0},
		{"unknown m .70 at 100/s", fleet.ProviderUnknown, 142, 100, Info},
		{"unknown m .69", fleet.ProviderUnknown, 1_000, 699, 0},
		{"unknown total", fleet.ProviderUnknown, fleet.Unknown, 1_000, 0},
		{"unknown metadata", fleet.ProviderUnknown, 1_000, fleet.Unknown, 0},
	} {
		load := MetadataLoad{
			Total: row.total, Metadata: row.metadata, Outstanding: fleet.Unknown, Cacheable: fleet.Unknown, MetadataLatency: fleet.Unknown,
			MeanLatency: fleet.Unknown, Provider: row.provider, Protocol: "nfs", Warnings: fleet.Unknown, Throttled: fleet.Unknown,
		}
		if got := JudgeMetadata(load, DefaultSettings().Metadata).Severity; got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}

// storm is a mount that does metadata and little else.
func storm() (*fleet.Client, *fleet.Mount) {
	mount := aMount()
	mount.Classes = map[string]fleet.Class{
		"attr":  {Rate: 600, RTT: 1 * ms, Execute: 3 * ms, Errors: fleet.Unknown},
		"dir":   {Rate: 200, RTT: 2 * ms, Execute: 3 * ms, Errors: fleet.Unknown},
		"other": {Rate: 100, RTT: 2 * ms, Execute: 3 * ms, Errors: fleet.Unknown},
		"read":  {Rate: 100, RTT: 2 * ms, Execute: 3 * ms, Errors: fleet.Unknown},
	}
	return aClient(anEndpoint(mount)), mount
}

func TestMetadataFinding(t *testing.T) {
	for profile, settings := range profiles() {
		client, mount := storm()
		mount.Options = "rw,vers=3,acregmin=0,acregmax=0,acdirmin=0,acdirmax=0,hard"
		found := Evaluate(aView(client), settings)
		if diff := cmp.Diff([]string{"metadata_heavy/share"}, names(found)); diff != "" {
			t.Fatalf("%s: findings (-want +got):\n%s", profile, diff)
		}
		finding := found[0]
		if want := "90 % of the operations on /mnt/a are metadata: 900 op/s of 1000 op/s."; !strings.HasPrefix(finding.Summary, want) {
			t.Errorf("summary %q, want it to begin with %q", finding.Summary, want)
		}
		if !strings.Contains(finding.Summary, "actimeo=0") || !strings.Contains(finding.Remedy[0].What, "actimeo=0") {
			t.Errorf("the cause actimeo=0 is not named: %q, %q", finding.Summary, finding.Remedy[0].What)
		}
		if gain := finding.Gain; gain.Low != 0 || math.Abs(gain.High-0.65*0.6) > 0.0001 {
			t.Errorf("gain %+v, want up to 0.65 of the 60 %% that read attributes", gain)
		}
		if finding.Confidence != 1 {
			t.Errorf("confidence %v, want 1: the operation mix and the latency split are known", finding.Confidence)
		}
	}
}

// On Azure the cloud's splits would say more than the client can.
func TestMetadataConfidenceOnAzure(t *testing.T) {
	client, _ := storm()
	client.Endpoints[0].Provider = fleet.ProviderAzure
	if got := only(t, Evaluate(aView(client), DefaultSettings()), "metadata_heavy/share").Confidence; got != 0.75 {
		t.Errorf("confidence %v, want 0.6 + 0.4 × 0.9/2.7, rounded to 0.75", got)
	}
}

func TestCachingOff(t *testing.T) {
	for options, want := range map[string]string{
		"rw,hard": "", "rw,noac,hard": "noac", "actimeo=0": "actimeo=0", "acregmin=0,acregmax=0,acdirmin=0,acdirmax=60": "",
		"acregmin=0,acregmax=0,acdirmin=0,acdirmax=0": "actimeo=0", "nonoac": "", "": "",
	} {
		if got := cachingOff(options); got != want {
			t.Errorf("options %q: %q, want %q", options, got, want)
		}
	}
}
