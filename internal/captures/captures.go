// Package captures finds the recordings of real hosts below testdata/captures, and says what their labels mean.
package captures

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nasight/nasight/bundle"
	"github.com/nasight/nasight/detectors"
)

// Capture is one recording: what ran on the host, and what is to be concluded from it and what not.
type Capture struct {
	Name          string   `json:"name"`
	Protocol      string   `json:"protocol"`
	ExpectedTrue  []string `json:"expected_true"`
	ExpectedFalse []string `json:"expected_false"`
	Directory     string   `json:"-"`
}

// Read finds the captures KERNEL/SCENARIO below a directory, in the order of their names.
func Read(directory string) ([]Capture, error) {
	files, err := filepath.Glob(filepath.Join(directory, "*", "*", "scenario.json"))
	if err != nil {
		return nil, fmt.Errorf("read captures: %w", err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("read captures: %s holds no KERNEL/SCENARIO/scenario.json: %w", directory, fs.ErrNotExist)
	}
	all := make([]Capture, 0, len(files))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read capture: %w", err)
		}
		one := Capture{Directory: filepath.Dir(file)}
		if err := json.Unmarshal(data, &one); err != nil {
			return nil, fmt.Errorf("read capture %s: %w", file, err)
		}
		if err := one.check(); err != nil {
			return nil, fmt.Errorf("read capture %s: %w", file, err)
		}
		all = append(all, one)
	}
	return all, nil
}

func (c Capture) check() error {
	if c.Name == "" {
		return errors.New("it has no name")
	}
	known := map[string]bool{}
	for _, state := range States() {
		known[state] = true
	}
	for label := range Conclusions() {
		known[label] = true
	}
	for _, label := range append(c.ExpectedTrue[:len(c.ExpectedTrue):len(c.ExpectedTrue)], c.ExpectedFalse...) {
		if !known[label] {
			return fmt.Errorf("label %q is neither a conclusion nor a state", label)
		}
	}
	return nil
}

// Open reads the recorded moments.
func (c Capture) Open() (*bundle.Bundle, error) {
	return bundle.Open(filepath.Join(c.Directory, "moments.tar.gz"))
}

// Conclusions maps what labels call a conclusion to findings, any of which makes it: the one place where the two vocabularies
// meet. A label without findings describes a state, which the ladder and the notes show.
func Conclusions() map[string][]detectors.Name {
	return map[string][]detectors.Name{
		"single_tcp_session_saturated":           {{Detector: detectors.SessionSaturated, Variant: detectors.VariantFlow}},
		"single_tcp_session_at_a_ceiling":        {{Detector: detectors.SessionSaturated, Variant: detectors.VariantFlow}},
		"nconnect_recommended":                   {{Detector: detectors.SessionSaturated, Variant: detectors.VariantFlow}, {Detector: detectors.SessionSaturated, Variant: detectors.VariantSender}, {Detector: detectors.SessionSaturated, Variant: detectors.VariantCPU}},
		"slot_table_exhausted":                   {{Detector: detectors.SessionSaturated, Variant: detectors.VariantSlots}},
		"nfs41_session_slots_exhausted":          {{Detector: detectors.SessionSaturated, Variant: detectors.VariantSessionSlots}},
		"latency_bound_low_concurrency":          {{Detector: detectors.ClientBound, Variant: detectors.VariantSingleThread}},
		"metadata_heavy":                         {{Detector: detectors.MetadataHeavy, Variant: detectors.VariantShare}, {Detector: detectors.MetadataHeavy, Variant: detectors.VariantCeiling}},
		"server_latency_bound":                   {{Detector: detectors.ServerLatency, Variant: detectors.VariantServer}},
		"server_not_responding":                  {{Detector: detectors.ServerUnresponsive, Variant: detectors.VariantStalled}},
		"smb_multichannel_recommended":           {{Detector: detectors.SessionSaturated, Variant: detectors.VariantFlow}, {Detector: detectors.SMBMultichannel, Variant: detectors.VariantMissing}},
		"smb_multichannel_degraded":              {{Detector: detectors.SMBMultichannel, Variant: detectors.VariantMissing}, {Detector: detectors.SMBMultichannel, Variant: detectors.VariantTooFew}},
		"smb_multichannel_single_thread_penalty": {{Detector: detectors.SMBMultichannel, Variant: detectors.VariantPenalty}},
		"iscsi_more_sessions_recommended":        {{Detector: detectors.SessionSaturated, Variant: detectors.VariantFlow}},
		"iscsi_sessions_unbalanced":              {{Detector: detectors.SessionSaturated, Variant: detectors.VariantSkew}},
	}
}

// States are the labels that are no finding.
func States() []string {
	return []string{
		"nconnect_in_use", "smb_multichannel_in_use", "iscsi_multi_session_in_use", "high_concurrency", "shared_transport",
		"small_io", "large_io", "parsing", "recovered", "reconnecting", "idle", "idle_mostly", "shared_limit_reached",
	}
}
