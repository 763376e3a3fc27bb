//go:build !race

package synth

const corpusSize = 600
