//go:build race

package dashboards_test

// raceDetector tells that everything takes ten times as long.
const raceDetector = true
