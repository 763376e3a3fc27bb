//go:build race

package demo

// raceDetector tells that everything takes ten times as long.
const raceDetector = true
