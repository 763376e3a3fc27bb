package nab

import (
	"maps"
	"slices"
)

// What follows a detection is most often the same anomaly: for 250 samples it is said again only if it is ten times as rare.
const (
	quietSamples = 250
	quietMargin  = 1 // in powers of ten
)

// Detections are the samples at which a detector speaks whose scores are powers of ten of rarity.
func Detections(scores []float64, threshold float64) []int {
	var detections []int
	last, said := -quietSamples, 0.0
	for i, score := range scores {
		if score < threshold || i < last+quietSamples && score <= said+quietMargin {
			continue
		}
		detections = append(detections, i)
		last, said = i, score
	}
	return detections
}

// Thresholds are those to choose from: one false alarm in 300 samples to one in 10,000.
func Thresholds() []float64 {
	var thresholds []float64
	for tenth := 25; tenth <= 40; tenth++ {
		thresholds = append(thresholds, float64(tenth)/10)
	}
	return thresholds
}

// Scored is a file with the scores that a detector gave its samples.
type Scored struct {
	File
	Scores []float64
}

// At is what the detector is worth at one threshold, by category.
func (p Profile) At(files []Scored, threshold float64) map[string]Result {
	results := map[string]Result{}
	for _, file := range files {
		result := p.Score(len(file.Scores), file.Windows, Detections(file.Scores, threshold))
		results[file.Category] = results[file.Category].Add(result)
	}
	return results
}

// Outcome is what a detector came to on the corpus.
type Outcome struct {
	HeldOut    map[string]Result  // by category, each at the threshold that is best on all the others
	Thresholds map[string]float64 // … which is this one
	Best       Result             // at the one threshold that is best on the whole corpus, as the benchmark's own scoreboard has it
	BestAt     float64
}

// Judge scores a detector. No category has a part in the choice of the threshold that it is scored at; ties go to the higher
// threshold, which speaks less.
func (p Profile) Judge(files []Scored) Outcome {
	outcome := Outcome{HeldOut: map[string]Result{}, Thresholds: map[string]float64{}}
	highest := map[string]float64{} // of the others, by the category that is held out
	first := true
	for _, threshold := range Thresholds() {
		results := p.At(files, threshold)
		all := Sum(results)
		if first || all.Score >= outcome.Best.Score {
			outcome.Best, outcome.BestAt = all, threshold
		}
		for category, own := range results {
			if others := all.Score - own.Score; first || others >= highest[category] {
				highest[category] = others
				outcome.HeldOut[category], outcome.Thresholds[category] = own, threshold
			}
		}
		first = false
	}
	return outcome
}

// Sum adds results up, in the order of their names, so that the sum is always the same.
func Sum(results map[string]Result) Result {
	var sum Result
	for _, name := range slices.Sorted(maps.Keys(results)) {
		sum = sum.Add(results[name])
	}
	return sum
}
