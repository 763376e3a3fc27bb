//go:build race

package serve

import "time"

// raceDetector tells that computations take ten to twenty times as long.
const raceDetector = true

// patience is how long a test waits for what serve finds in the end: under the race detector, on two busy cores, ten times as long as
// it takes without.
const patience = 10 * time.Minute
