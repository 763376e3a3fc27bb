package nfs

// class groups operations that a detector judges together.
type class uint8

const (
	classRead class = iota
	classWrite
	classCommit
	classAttr
	classDir
	classOther

	classes
	// classUpkeep is left out of every class: pings and the lease and session upkeep of NFSv4, which the client does
	// by itself. On an idle mount they are all there is, and would look like a load of metadata.
	classUpkeep
)

// String is the value of the class label.
func (c class) String() string {
	return [...]string{"read", "write", "commit", "attr", "dir", "other"}[c]
}

func classOf(operation []byte) class {
	switch string(operation) {
	case "READ", "READ_PLUS":
		return classRead
	case "WRITE":
		return classWrite
	case "COMMIT":
		return classCommit
	case "GETATTR", "ACCESS":
		return classAttr
	case "LOOKUP", "READDIR", "READDIRPLUS":
		return classDir
	case "NULL", "RENEW", "SETCLIENTID", "SETCLIENTID_CONFIRM", "EXCHANGE_ID", "CREATE_SESSION", "DESTROY_SESSION",
		"SEQUENCE", "GET_LEASE_TIME", "RECLAIM_COMPLETE", "BIND_CONN_TO_SESSION", "DESTROY_CLIENTID":
		return classUpkeep
	}
	return classOther
}

// load is what a mount did since it was made, by class of operation. Times are in milliseconds.
type load struct {
	classes                   [classes]classLoad
	retransmissions, timeouts sum
}

type classLoad struct{ operations, rtt, execute, errors sum }

func newLoad(operations []Operation) load {
	var l load
	for i := range operations {
		l.add(&operations[i])
	}
	return l
}

// add counts one operation. Upkeep that was sent again or timed out tells as much about the server as any other
// operation, so these two take all in.
func (l *load) add(operation *Operation) {
	values := &operation.Values
	l.timeouts.Add(values[MajorTimeouts])
	l.retransmissions.Add(retransmissions(values[Transmissions], values[Operations]))
	kind := classOf(operation.Name)
	if kind == classUpkeep {
		return
	}
	c := &l.classes[kind]
	c.operations.Add(values[Operations])
	c.rtt.Add(values[RTTMillis])
	c.execute.Add(values[ExecuteMillis])
	c.errors.Add(values[Errors])
}

// errors sums the classes' errors to those of data and of metadata: six series a mount would tell little more.
func (l *load) errors() (data, metadata sum) {
	for kind := range classes {
		if kind <= classCommit {
			data.Join(l.classes[kind].errors)
		} else {
			metadata.Join(l.classes[kind].errors)
		}
	}
	return data, metadata
}

// retransmissions is how often an operation was sent beyond the first time. An operation that failed before it was
// sent makes fewer transmissions than operations; that is none, not fewer than none.
func retransmissions(transmissions, operations Number) Number {
	switch {
	case !transmissions.Known() || !operations.Known():
		return Absent
	case transmissions < operations:
		return 0
	}
	return transmissions - operations
}
