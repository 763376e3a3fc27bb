package iscsi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

const (
	protocol     = "iscsi"
	milliseconds = 1000
	maxListed    = 128 // names in one label
)

// emitter puts the numbers of targets into the sink. Label slices are shared between samples and never changed.
type emitter struct {
	sink collectors.Sink
	host string
}

func (e emitter) labels(t *target, more ...string) []string {
	return append([]string{e.host, t.server, t.name, protocol, ""}, more...)
}

func (e emitter) info(t *target, f facts, mounts []mount) {
	e.sink.Add(schema.ISCSIMountInfo, 1, e.labels(t,
		t.sessions[0].portal.configured, "", f.transport, listed(f.stack.on(mounts)), "",
		listed(f.disks), listed(f.stack.maps), f.options)...)
}

// listed joins names by blanks, the first of very many with the number of the others.
func listed(names []string) string {
	shown := names[:min(len(names), maxListed)]
	text := strings.Join(shown, " ")
	if more := len(names) - len(shown); more > 0 {
		text += fmt.Sprintf(" +%d", more)
	}
	return text
}

// sessions adds how many sessions are logged in and how many are not. Where one has no state the former is not known; what
// is known to be down is worth telling all the same.
func (e emitter) sessions(t *target) {
	up, down, untold := 0, 0, 0
	for i := range t.sessions {
		switch isUp, known := t.sessions[i].isUp(); {
		case !known:
			untold++
		case isUp:
			up++
		default:
			down++
		}
	}
	if untold == 0 {
		e.sink.Add(schema.ISCSISessions, float64(up), e.labels(t)...)
	}
	if untold == 0 || down > 0 {
		e.sink.Add(schema.ISCSISessionsDown, float64(down), e.labels(t)...)
	}
}

// totalRow is a family that shows a counter of a target.
type totalRow struct {
	family  *schema.Family
	class   string // empty for a family without the label
	counter counter
	divisor float64 // to the family's unit
}

var totalRows = [...]totalRow{
	{schema.ISCSIReadBytes, "", readSectors, 1. / sectorBytes},
	{schema.ISCSIWriteBytes, "", writtenSectors, 1. / sectorBytes},
	{schema.ISCSIOperations, "read", readsDone, 1},
	{schema.ISCSIOperations, "write", writesDone, 1},
	{schema.ISCSIOperations, "commit", flushesDone, 1},
	{schema.ISCSIOperations, "other", discardsDone, 1},
	{schema.ISCSIRTT, "read", readMillis, milliseconds},
	{schema.ISCSIRTT, "write", writeMillis, milliseconds},
	{schema.ISCSIRTT, "commit", flushMillis, milliseconds},
	{schema.ISCSIRTT, "other", discardMillis, milliseconds},
	{schema.ISCSIOutstanding, "", weightedMillis, milliseconds},
}

// load adds what the target's disks have done, where the statistics tell of all of them: a sum that stands still for a disk
// that was not read looks like a target that does not answer.
func (e emitter) load(t *target, s *sums, now map[string]*statistics) {
	if slices.ContainsFunc(t.disks(), func(d disk) bool { return now[d.name] == nil }) {
		return
	}
	whole := s.of(t.key())
	for _, row := range totalRows {
		if !whole.known[row.counter] {
			continue
		}
		labels := e.labels(t)
		if row.class != "" {
			labels = append(labels, row.class)
		}
		e.sink.Add(row.family, whole.values[row.counter]/row.divisor, labels...)
	}
	for i := range t.sessions {
		part := s.of(t.sessionKey(i))
		if part.known[readSectors] && part.known[writtenSectors] {
			sectors := part.values[readSectors] + part.values[writtenSectors]
			e.sink.Add(schema.ISCSISessionBytes, sectors*sectorBytes, e.labels(t, t.sessions[i].name)...)
		}
	}
	e.pending(t, now)
}

func (e emitter) pending(t *target, now map[string]*statistics) {
	pending, known := uint64(0), false
	for _, d := range t.disks() {
		if s := now[d.name]; s != nil && s.inFlight.known {
			pending += s.inFlight.value
			known = true
		}
	}
	if known {
		e.sink.Add(schema.ISCSIPending, float64(pending), e.labels(t)...)
	}
}
