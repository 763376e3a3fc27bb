package history

import "github.com/prometheus/prometheus/model/labels"

// Identity tells the labels of a series from all others: it is equal to that of the same labels in another answer of the same
// history. It can be compared and be a key of a map for much less than the labels themselves. The zero Identity says nothing: that of a history
// that has none, or of a series without labels.
type Identity struct {
	labels labels.Labels // one string: comparing it costs nothing where the database shares it between two answers
}

// Known says whether the identity tells anything.
func (i Identity) Known() bool { return !i.labels.IsEmpty() }

// Equal is what == says, for who compares by reflection.
func (i Identity) Equal(other Identity) bool { return i == other }
