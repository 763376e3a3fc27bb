package smb

import "bytes"

// OpenFiles is what an open_files file says: distinct files by share.
type OpenFiles struct {
	// HasSession tells that the shares are told apart by session; before Linux 6 they are not.
	HasSession bool
	Files      map[TreeKey][]string // each file once
}

// TreeKey names a connected share: its number, which a server gives within a session.
type TreeKey struct{ Session, Tree uint64 }

// ParseOpenFiles reads an open_files file, whose heading names its columns. A file is known by its lease, or in kernels
// that do not print it by its name, which has no directory. Lines that do not have the columns are counted by skip.
func ParseOpenFiles(data []byte, skip Skip) OpenFiles {
	out := OpenFiles{Files: map[TreeKey][]string{}}
	seen := map[openFile]bool{}
	columns := openColumns{session: -1, name: -1}
	for len(data) > 0 {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		data = rest
		line = trimBlanks(line)
		switch {
		case len(line) == 0:
		case !whole:
			skip(skipOpenFilesCut, 1)
		case line[0] == '#':
			if found, ok := parseColumns(line); ok {
				columns = found
				out.HasSession = columns.session >= 0
			}
		default:
			file, ok := columns.read(line)
			if !ok {
				skip(skipOpenFileLine, 1)
			} else if !seen[file] {
				seen[file] = true
				out.Files[file.tree] = append(out.Files[file.tree], file.file)
			}
		}
	}
	return out
}

type openFile struct {
	tree TreeKey
	file string
}

// openColumns are the places of columns. Names may hold blanks, so that what follows them is counted from the end.
type openColumns struct {
	session, name int  // -1 if there is none
	behind        int  // columns after the name
	hasLease      bool // the last one is the lease's key
}

// parseColumns reads "# <tree id> <ses id> ... <filename> <lease> <lease-key>".
func parseColumns(line []byte) (columns openColumns, ok bool) {
	columns = openColumns{session: -1, name: -1}
	for at := 0; ; at++ {
		_, rest, found := bytes.Cut(line, []byte("<"))
		if !found {
			return columns, columns.name > max(0, columns.session)
		}
		name, rest, _ := bytes.Cut(rest, []byte(">"))
		line = rest
		switch string(name) {
		case "ses id":
			columns.session = at
		case "filename":
			columns.name = at
		}
		if columns.name >= 0 {
			columns.behind = at - columns.name
			columns.hasLease = string(name) == "lease-key"
		}
	}
}

func (c openColumns) read(line []byte) (file openFile, ok bool) {
	if c.name < 0 {
		return openFile{}, false
	}
	for at := range c.name {
		word, rest, found := bytes.Cut(line, []byte(" "))
		if !found {
			return openFile{}, false
		}
		line = rest
		switch at {
		case 0:
			file.tree.Tree, ok = parseID(word)
		case c.session:
			var isID bool
			file.tree.Session, isID = parseID(word)
			ok = ok && isID
		}
	}
	lease := []byte(nil)
	for range c.behind {
		end := bytes.LastIndexByte(line, ' ')
		if end < 0 {
			return openFile{}, false
		}
		if lease == nil {
			lease = line[end+1:]
		}
		line = line[:end]
	}
	if c.hasLease && len(bytes.Trim(lease, "0-")) > 0 {
		line = lease
	}
	file.file = string(line)
	return file, ok && len(line) > 0
}
