package strictyaml

import (
	"fmt"

	"github.com/goccy/go-yaml/token"
)

// Fault is one thing that a file has and a type has no place for, or one value that cannot be read as what it says.
type Fault struct {
	Key          string // path in the file, as hosts[1].name; empty for the whole
	Line, Column int    // from 1; 0 where the library gives no place
	Message      string // what is wrong and what to do
}

// String prints the fault behind its key.
func (f Fault) String() string {
	if f.Key == "" {
		return f.Message
	}
	return cut(f.Key) + ": " + f.Message
}

func (f *Fault) at(tok *token.Token) {
	if tok != nil && tok.Position != nil {
		f.Line, f.Column = tok.Position.Line, tok.Position.Column
	}
}

// in is the fault as an error about a file.
func (f Fault) in(name string) error { return fmt.Errorf("%s:%d: %s", name, f.Line, f) }
