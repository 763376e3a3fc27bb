package bundle

import (
	"slices"

	"github.com/nasight/nasight/collectors/tcp"
	"github.com/nasight/nasight/internal/memfs"
)

const (
	printed = "cmd"     // directory of what commands printed
	replies = "netlink" // directory of the replies of socket diagnosis
)

// socketTexts are the names that what ss printed is kept under, the first one that is there counts.
var socketTexts = [...]string{"ss_tinmO.txt", "ss_tin.txt"}

// isSocketText tells whether a name within a moment is that of what ss printed.
func isSocketText(inner string) bool {
	return slices.ContainsFunc(socketTexts[:], func(name string) bool { return inner == printed+"/"+name })
}

// useSocketTexts presents what ss printed at a moment that lacks the directory of replies as a file of that directory,
// and takes it out of where it was. It notes the moments whose sessions come from a text.
func (b *Bundle) useSocketTexts(found *contents, moments []string) {
	var from []string
	for _, name := range moments {
		if useSocketText(found.moments[name]) {
			from = append(from, name)
		}
	}
	if len(from) > 0 {
		b.note("TCP sessions of %q come from the text of ss: what it did not print is not known, and times are rounded.", from)
	}
}

// useSocketText returns whether the moment's sessions come from a text.
func useSocketText(moment *memfs.Node) bool {
	if texts := moment.Children[printed]; texts != nil && moment.Children[replies] == nil {
		for _, name := range slices.Backward(socketTexts[:]) {
			if text := texts.Children[name]; text != nil {
				directory := memfs.NewDirectory()
				directory.Children[tcp.TextFile] = text
				moment.Children[replies] = directory
			}
		}
	}
	delete(moment.Children, printed)
	directory := moment.Children[replies]
	return directory != nil && directory.Children[tcp.TextFile] != nil && directory.Children[tcp.IPv4.File()] == nil
}
