//go:build !race

package dashboards_test

const raceDetector = false
