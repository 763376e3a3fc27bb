package diagnose

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"github.com/nasight/nasight/bundle"
	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/detectors"
)

// TestEvidenceCanBeAskedAgain runs the query of every piece of evidence of every capture by itself: what a finding
// claims has to come out. A query that answers for several sessions has to have the value among its answers.
func TestEvidenceCanBeAskedAgain(t *testing.T) {
	asked := 0
	for _, s := range scenarios(t) {
		if !judged(s) {
			continue
		}
		recording, err := bundle.Open(filepath.Join(s.Directory, "moments.tar.gz"))
		if err != nil {
			t.Fatal(err)
		}
		taker := newTaker(Options{Entries: list.Entries(), Detectors: detectors.DefaultSettings()})
		report, err := taker.run(context.Background(), Recorded(recording))
		if err != nil {
			t.Fatal(err)
		}
		for _, finding := range report.Findings {
			for _, evidence := range finding.Evidence {
				if evidence.Query == "" || !evidence.Value.Known() {
					continue
				}
				asked++
				points, err := taker.memory.Instant(context.Background(), evidence.Query, report.Window.To)
				if err != nil {
					t.Errorf("%s: %s of %s: %v", s.Directory, evidence.Name, finding.ID, err)
					continue
				}
				got := math.NaN()
				for _, point := range points {
					if math.IsNaN(got) || math.Abs(point.Value-float64(evidence.Value)) < math.Abs(got-float64(evidence.Value)) {
						got = point.Value
					}
				}
				if !(math.Abs(got-float64(evidence.Value)) <= 0.01*math.Abs(float64(evidence.Value))+1e-9) {
					t.Errorf("%s: %s of %s is %v, but %s gives %v", s.Directory, evidence.Name, finding.ID, evidence.Value, evidence.Query, points)
				}
			}
		}
		_ = taker.memory.Close()
	}
	if asked < 100 {
		t.Errorf("only %d queries were tried: evidence lost its queries", asked)
	}
}

// BenchmarkCheck is what nasight check does with a bundle, from opening the archive to the report.
func BenchmarkCheck(b *testing.B) {
	for _, name := range []string{"6.1/nfs-v3-seqread16-nconnect-absent", "6.1/nfs-120-mounts"} {
		b.Run(filepath.Base(name), func(b *testing.B) {
			for b.Loop() {
				recording, err := bundle.Open(filepath.Join("../testdata/captures", name, "moments.tar.gz"))
				if err != nil {
					b.Fatal(err)
				}
				options := Options{Entries: list.Entries(), Detectors: detectors.DefaultSettings()}
				if _, err := Run(context.Background(), Recorded(recording), options); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
