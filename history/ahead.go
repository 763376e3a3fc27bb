package history

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// mostAhead is how far ahead of the clock a sample may be, as in Prometheus: clocks differ a little. What is further ahead
	// would make the samples of now too old, for all hosts.
	mostAhead = 10 * time.Minute
	// mostTold bounds the hosts that the log has named.
	mostTold = 100
)

// ahead refuses what is ahead of the clock, and names each host that sends such samples once.
type ahead struct {
	mu   sync.Mutex
	told map[string]bool // by host
}

// latest is the last moment that may be stored now, in milliseconds since 1970.
func (o EmbeddedOptions) latest() int64 {
	if o.Now == nil {
		return maxTime
	}
	return o.Now().Add(mostAhead).UnixMilli()
}

// refuseAhead leaves out what is ahead of the clock. The samples are sorted by time.
func (e *Embedded) refuseAhead(samples []SeriesSample, written *Written) []SeriesSample {
	limit := e.opts.latest()
	first, _ := slices.BinarySearchFunc(samples, limit+1, func(s SeriesSample, t int64) int { return cmp.Compare(s.Time, t) })
	for _, sample := range samples[first:] {
		e.tellAhead(sample.Labels.Get("host"), sample.Time)
	}
	written.TooNew += uint64(len(samples) - first)
	return samples[:first]
}

// refusePastAhead does the same for what a back-fill brings.
func (e *Embedded) refusePastAhead(past []pastSeries, written *Written) []pastSeries {
	kept, beyond := cut(past, e.opts.latest()+1)
	for _, series := range beyond {
		e.tellAhead(series.labels.Get("host"), series.moments[0].time)
	}
	written.TooNew += uint64(countOf(beyond))
	return kept
}

func (e *Embedded) tellAhead(host string, at int64) {
	e.ahead.mu.Lock()
	defer e.ahead.mu.Unlock()
	if e.ahead.told[host] || len(e.ahead.told) >= mostTold {
		return
	}
	if e.ahead.told == nil {
		e.ahead.told = map[string]bool{}
	}
	e.ahead.told[host] = true
	e.opts.Logger.Warn("samples are ahead of the clock and not stored; set the clock of the host, or of this machine, right",
		"host", host, "sample", stamp(at), "clock", stamp(e.opts.Now().UnixMilli()))
}

// stuck says that what is stored is so far ahead of the clock that samples of now are too old; nil where it is not.
func (e *Embedded) stuck() error {
	newest, known := e.newest()
	if !known || newest-e.opts.OutOfOrderWindow.Milliseconds() <= e.opts.Now().UnixMilli() {
		return nil
	}
	return e.errAhead(newest)
}

func (e *Embedded) errAhead(newest int64) error {
	return fmt.Errorf("the newest sample in %s is of %s, ahead of the clock, which says %s, and samples older than %s are refused as too old; "+
		"set this machine's clock right, or move the directory away to start afresh",
		e.opts.Path, stamp(newest), stamp(e.opts.Now().UnixMilli()), stamp(newest-e.opts.OutOfOrderWindow.Milliseconds()))
}

// warnOfAhead says at the start that there are samples ahead of the clock, from before they were refused or from when this
// machine's clock was wrong.
func (e *Embedded) warnOfAhead() {
	if newest, known := e.newest(); known && newest > e.opts.latest() {
		e.opts.Logger.Warn("history holds samples that are ahead of the clock", "err", e.errAhead(newest))
	}
}

// newest is the time of the newest stored sample, unless nothing is stored, the history is being opened again, or there is no
// clock to compare it with.
func (e *Embedded) newest() (newest int64, known bool) {
	if e.opts.Now == nil {
		return 0, false
	}
	database := e.current.Load()
	release, err := database.acquire()
	if err != nil {
		return 0, false
	}
	defer release()
	newest = database.db.Head().MaxTime()
	for _, block := range database.db.Blocks() {
		if meta := block.Meta(); !meta.Compaction.FromOutOfOrder() { // those end at a full span, not at a sample
			newest = max(newest, meta.MaxTime-1)
		}
	}
	return newest, newest > 0
}

func stamp(milliseconds int64) string {
	return time.UnixMilli(milliseconds).UTC().Format(time.RFC3339)
}
