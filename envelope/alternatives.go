package envelope

// Alternative is what the volume would do with another block size or another share of reads.
type Alternative struct {
	BlockBytes float64 `json:"block_bytes"`
	ReadShare  float64 `json:"read_share"`
	Pattern    string  `json:"pattern,omitempty"` // how a measured block was accessed, rand or seq: small blocks were random
	Ceiling    Ceiling `json:"ceiling"`
	Ratio      float64 `json:"ratio"` // of the bytes per second, to the ceiling of the query
}

// Alternatives are the measured block sizes at the query's read share, then the measured read shares at its block
// size, each in ascending order and without the query itself. A query that Ceiling refuses has none.
func (t *Table) Alternatives(q Query) []Alternative {
	base, err := t.Ceiling(q)
	if err != nil {
		return nil
	}
	c, _, err := t.family(q.Protocol, q.Level)
	if err != nil {
		return nil
	}
	var found []Alternative
	add := func(other Query) {
		ceiling, err := t.Ceiling(other)
		if err != nil || other == q {
			return
		}
		found = append(found, Alternative{BlockBytes: other.BlockBytes, ReadShare: other.ReadShare, Pattern: c.pattern(other.BlockBytes),
			Ceiling: ceiling, Ratio: ceiling.BytesPerSecond / base.BytesPerSecond})
	}
	for _, block := range c.blocks {
		other := q
		other.BlockBytes = block
		add(other)
	}
	if q.LargeCapacity { // its one published figure does not tell reads from writes
		return found
	}
	for _, share := range shares() {
		other := q
		other.ReadShare = share
		add(other)
	}
	return found
}
