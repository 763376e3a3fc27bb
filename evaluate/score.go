package evaluate

import (
	"cmp"
	"math"
	"slices"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

// Row is the score of one detector's variant; of all variants of a detector where the variant is empty; of everything where
// both are. A figure whose denominator is zero is missing, which JSON writes as null.
type Row struct {
	Detector string `json:"detector"`
	Variant  string `json:"variant"`

	Truths     int `json:"truths"`     // conditions that hold
	Found      int `json:"found"`      // of those, named
	Missed     int `json:"missed"`     // of those, not named
	False      int `json:"false"`      // episodes that name no truth
	Duplicates int `json:"duplicates"` // episodes that name a truth again

	Precision fleet.Value `json:"precision"`
	Recall    fleet.Value `json:"recall"`
	F1        fleet.Value `json:"f1"`

	DetectMedian fleet.Value `json:"time_to_detect_median_seconds"` // from the condition's start until it was named
	DetectP90    fleet.Value `json:"time_to_detect_p90_seconds"`
	LeadMedian   fleet.Value `json:"lead_time_median_seconds"` // from then until the limit that is foreseen; negative: too late
	LeadLeast    fleet.Value `json:"lead_time_least_seconds"`
	Flapping     fleet.Value `json:"flapping"`                // state changes of each condition that was found
	Repeats      fleet.Value `json:"duplicates_per_incident"` // of each condition that was found

	Gains        int         `json:"gains"` // predictions that were held against what the remedy achieved
	GainError    fleet.Value `json:"gain_error_median"`
	GainInside   fleet.Value `json:"gain_inside_share"` // of which the bracket holds what was achieved
	GainErrorP90 fleet.Value `json:"gain_error_p90"`

	Brier fleet.Value `json:"brier"`
	Bins  []Bin       `json:"confidence_bins"`
}

// Bin is how often episodes of about one confidence were true.
type Bin struct {
	From       float64     `json:"from"`
	To         float64     `json:"to"` // included in the last bin alone
	Episodes   int         `json:"episodes"`
	Confidence fleet.Value `json:"mean_confidence"`
	True       fleet.Value `json:"true_share"`
}

// Mistake counts how often one condition was taken for another. An empty name stands for nothing: a condition that was
// missed without any other in its place, or a finding where nothing was wrong.
type Mistake struct {
	Truth detectors.Name `json:"truth"`
	Found detectors.Name `json:"found"`
	Count int            `json:"count"`
}

// tally is what a row is made of.
type tally struct {
	truths, found, false, duplicates, changes int
	watched                                   int // of those found: over time
	detect, lead, gain                        []float64
	inside                                    int
	odds                                      []odd
}

// odd is one episode: how sure it was, and whether it was true.
type odd struct {
	confidence float64
	true       bool
}

// Scores are the figures over many cases.
type Scores struct {
	Total     Row       `json:"total"`
	Detectors []Row     `json:"detectors"` // each detector as a whole, and after it each of its variants
	Confusion []Mistake `json:"confusion"`
}

// Score counts cases together.
func Score(cases []Case) Scores {
	tallies, mistakes := map[detectors.Name]*tally{}, map[[2]detectors.Name]int{}
	for _, c := range cases {
		m := c.match()
		for i, truth := range c.Truths {
			for _, t := range levels(tallies, truth.Name) {
				t.addTruth(truth, m, i, c.Snapshot)
			}
			c.confuse(m, i, mistakes)
		}
		for i, episode := range c.Episodes {
			for _, t := range levels(tallies, episode.Name) {
				t.addEpisode(episode, m.truth[i] >= 0)
			}
		}
		c.confuseNothing(m, mistakes)
	}
	return scores(tallies, mistakes)
}

// levels are the tallies that a name counts in: its own, its detector's and that of everything.
func levels(tallies map[detectors.Name]*tally, name detectors.Name) []*tally {
	var found []*tally
	for _, level := range []detectors.Name{name, {Detector: name.Detector}, {}} {
		if tallies[level] == nil {
			tallies[level] = &tally{}
		}
		found = append(found, tallies[level])
	}
	return found
}

func (t *tally) addTruth(truth Truth, m match, i int, snapshot bool) {
	t.truths++
	first := m.first[i]
	if first == nil {
		return
	}
	t.found++
	t.duplicates += m.extra[i]
	if !snapshot {
		t.addTimes(truth, m, i)
	}
	gain, achieved := first.held(truth)
	if !achieved.Known() {
		return
	}
	t.gain = append(t.gain, math.Abs(math.Log((gain.Low+gain.High)/2/float64(achieved))))
	if achieved.AtLeast(gain.Low) && float64(achieved) <= gain.High {
		t.inside++
	}
}

func (t *tally) addTimes(truth Truth, m match, i int) {
	t.watched++
	t.changes += m.changes[i]
	t.detect = append(t.detect, (m.seen[i] - truth.From).Seconds())
	if truth.Limit != nil {
		t.lead = append(t.lead, (*truth.Limit - m.seen[i]).Seconds())
	}
}

func (t *tally) addEpisode(episode Episode, right bool) {
	if !right {
		t.false++
	}
	t.odds = append(t.odds, odd{episode.Confidence, right})
}

// confuse counts what was found in the place of a truth that was missed.
func (c Case) confuse(m match, i int, mistakes map[[2]detectors.Name]int) {
	truth := c.Truths[i]
	if m.first[i] != nil {
		return
	}
	instead := c.mistaken(m, truth)
	if len(instead) == 0 {
		instead = []detectors.Name{{}}
	}
	for _, name := range instead {
		mistakes[[2]detectors.Name{truth.Name, name}]++
	}
}

// confuseNothing counts false episodes that stand in the place of no truth.
func (c Case) confuseNothing(m match, mistakes map[[2]detectors.Name]int) {
	for i, episode := range c.Episodes {
		if m.truth[i] < 0 && !c.instead(m, episode) {
			mistakes[[2]detectors.Name{{}, episode.Name}]++
		}
	}
}

// instead tells whether an episode stands in the place of a truth that was missed.
func (c Case) instead(m match, episode Episode) bool {
	for i, truth := range c.Truths {
		if _, overlaps := truth.overlap(episode); overlaps && m.first[i] == nil && truth.agrees(episode.Resource) {
			return true
		}
	}
	return false
}

func (t *tally) row(name detectors.Name) Row {
	row := Row{
		Detector: name.Detector, Variant: name.Variant,
		Truths: t.truths, Found: t.found, Missed: t.truths - t.found, False: t.false, Duplicates: t.duplicates,
		Precision: share(t.found, t.found+t.false), Recall: share(t.found, t.truths),
		F1:           share(2*t.found, t.found+t.false+t.truths),
		DetectMedian: quantile(t.detect, 0.5), DetectP90: quantile(t.detect, 0.9),
		LeadMedian: quantile(t.lead, 0.5), LeadLeast: quantile(t.lead, 0),
		Flapping: share(t.changes, t.watched), Repeats: share(t.duplicates, t.found),
		Gains: len(t.gain), GainError: quantile(t.gain, 0.5), GainErrorP90: quantile(t.gain, 0.9), GainInside: share(t.inside, len(t.gain)),
	}
	row.Brier, row.Bins = calibration(t.odds)
	return row
}

func scores(tallies map[detectors.Name]*tally, mistakes map[[2]detectors.Name]int) Scores {
	result := Scores{Total: (&tally{}).row(detectors.Name{}), Detectors: []Row{}, Confusion: []Mistake{}}
	for name, t := range tallies {
		if name == (detectors.Name{}) {
			result.Total = t.row(name)
			continue
		}
		result.Detectors = append(result.Detectors, t.row(name))
	}
	slices.SortFunc(result.Detectors, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Detector, b.Detector), cmp.Compare(a.Variant, b.Variant))
	})
	for pair, count := range mistakes {
		result.Confusion = append(result.Confusion, Mistake{pair[0], pair[1], count})
	}
	slices.SortFunc(result.Confusion, func(a, b Mistake) int {
		return cmp.Or(cmp.Compare(a.Truth.String(), b.Truth.String()), cmp.Compare(a.Found.String(), b.Found.String()))
	})
	return result
}

// share is a ratio of counts; missing over nothing.
func share(part, whole int) fleet.Value { return fleet.Value(part).Over(fleet.Value(whole)) }

// quantile is the nearest rank: the least value that at least so large a share of the values does not exceed. Missing of
// no values.
func quantile(values []float64, q float64) fleet.Value {
	if len(values) == 0 {
		return fleet.Unknown
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := max(int(math.Ceil(q*float64(len(sorted)))), 1)
	return fleet.Value(sorted[rank-1])
}

const bins = 5

// calibration holds confidences against how often they were right: the mean square of the difference, and the same by
// confidence.
func calibration(odds []odd) (fleet.Value, []Bin) {
	var counts, rights [bins]int
	var sums [bins]float64
	square := 0.0
	for _, o := range odds {
		right := 0.0
		if o.true {
			right = 1
		}
		square += (o.confidence - right) * (o.confidence - right)
		at := min(max(int(o.confidence*bins), 0), bins-1)
		counts[at]++
		sums[at] += o.confidence
		rights[at] += int(right)
	}
	table := make([]Bin, bins)
	for i := range table {
		table[i] = Bin{
			From: float64(i) / bins, To: float64(i+1) / bins, Episodes: counts[i],
			Confidence: fleet.Value(sums[i]).Over(fleet.Value(counts[i])), True: share(rights[i], counts[i]),
		}
	}
	return fleet.Value(square).Over(fleet.Value(len(odds))), table
}
