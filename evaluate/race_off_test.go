//go:build !race

package evaluate_test

const raceDetector = false
