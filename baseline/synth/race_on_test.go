//go:build race

package synth

// corpusSize is smaller under the race detector, which takes ten times as long.
const corpusSize = 120
