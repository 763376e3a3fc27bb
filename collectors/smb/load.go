package smb

// load is a set of counters by class.
type load struct {
	operations, errors    [classes]sum
	ticks                 [classes]sum // time that operations took, in units of the kernel's clock
	readBytes, writeBytes sum
}

// loadWidth is the number of counters in a load.
const loadWidth = 3*int(classes) + 2

// fields lists all counters of a load, in one order.
func (l *load) fields() [loadWidth]*sum {
	var all [loadWidth]*sum
	for kind := range int(classes) {
		all[3*kind], all[3*kind+1], all[3*kind+2] = &l.operations[kind], &l.ticks[kind], &l.errors[kind]
	}
	all[loadWidth-2], all[loadWidth-1] = &l.readBytes, &l.writeBytes
	return all
}

func (l *load) values() []float64 {
	values := make([]float64, loadWidth)
	for i, field := range l.fields() {
		values[i] = field.Value
	}
	return values
}

// join adds the counters of a part.
func (l *load) join(other *load) {
	others := other.fields()
	for i, field := range l.fields() {
		field.Join(*others[i])
	}
}

// set replaces the values of what is known.
func (l *load) set(values []float64) {
	for i, field := range l.fields() {
		field.Value = values[i]
	}
}

// load sums the table of commands by class.
func (c *Connection) load() load {
	var l load
	if !c.HasCommands {
		return l
	}
	for command, row := range c.Commands {
		kind := commandClass(command)
		if kind >= classes {
			continue
		}
		l.operations[kind].Add(row.Count)
		if c.Hertz.Known() { // ticks are whole numbers, whose sum does not depend on the order
			l.ticks[kind].Add(row.Time)
		}
	}
	return l
}

func (s *Share) load() load {
	l := load{operations: s.Operations, errors: s.Errors}
	l.readBytes.Add(s.ReadBytes)
	l.writeBytes.Add(s.WriteBytes)
	return l
}

// failures sums the classes' errors to those of data and of metadata.
func (l *load) failures() (data, metadata sum) {
	for kind := range classes {
		if kind <= classCommit {
			data.Join(l.errors[kind])
		} else {
			metadata.Join(l.errors[kind])
		}
	}
	return data, metadata
}

// tally adds up the loads of parts.
type tally struct {
	load
	parts map[part][]float64 // nil if some part cannot be told from others
}

func newTally() tally { return tally{parts: map[part][]float64{}} }

func (t *tally) add(l *load, p part, hasPart bool) {
	t.join(l)
	if _, twice := t.parts[p]; twice || !hasPart {
		t.parts = nil
	}
	if t.parts != nil {
		t.parts[p] = l.values()
	}
}

// settle adds what parts that went had counted.
func (t *tally) settle(l *ledger, name string) {
	if t.parts != nil {
		t.set(l.total(name, t.parts, loadWidth))
	}
}
