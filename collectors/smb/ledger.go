package smb

// part is one of several things whose counters are added up: a connection, or a user's connection to a share.
type part struct {
	connection, user Number
	name             string
}

// ledger keeps sums of counters from falling when a part goes: a fall would be taken for a new start, and what is left
// for what was done since. It remembers what the parts that went had counted. When all parts are new, or have begun
// anew, so does the sum.
type ledger struct {
	run      int
	accounts map[string]*account
}

type account struct {
	run     int // last in which it was asked for
	last    map[part][]float64
	retired []float64
}

// keepRuns is for how many runs an account without parts is kept: five minutes at the usual interval.
const keepRuns = 20

// next begins a run and forgets accounts that were not asked for in a while.
func (l *ledger) next() {
	l.run++
	for name, a := range l.accounts {
		if l.run-a.run > keepRuns {
			delete(l.accounts, name)
		}
	}
}

// total adds the counters of parts, all of which have the same number of them, to those of parts that went.
func (l *ledger) total(name string, parts map[part][]float64, width int) []float64 {
	total := make([]float64, width)
	a := l.accounts[name]
	if a == nil {
		a = &account{retired: make([]float64, width)}
		if l.accounts == nil {
			l.accounts = map[string]*account{}
		}
		l.accounts[name] = a
	}
	a.retire(parts)
	a.last, a.run = parts, l.run
	copy(total, a.retired)
	for _, values := range parts {
		for i, value := range values {
			total[i] += value
		}
	}
	return total
}

func (a *account) retire(parts map[part][]float64) {
	goesOn := false
	for p, before := range a.last {
		goesOn = goesOn || !isNew(before, parts[p])
	}
	if !goesOn {
		clear(a.retired)
		return
	}
	for p, before := range a.last {
		if isNew(before, parts[p]) {
			for i, value := range before {
				a.retired[i] += value
			}
		}
	}
}

// isNew tells whether a part is gone or counts from zero again.
func isNew(before, now []float64) bool {
	if len(now) == 0 {
		return true
	}
	for i := range now {
		if now[i] < before[i] {
			return true
		}
	}
	return false
}
