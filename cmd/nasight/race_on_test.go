//go:build race

package main

// raceDetector tells that everything takes ten times as long.
const raceDetector = true
