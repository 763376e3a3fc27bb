//go:build !race

package serve

import "time"

const raceDetector = false

// patience is how long a test waits for what serve finds in the end: a minute is enough on a machine that does nothing else.
const patience = 4 * time.Minute
