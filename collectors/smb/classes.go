package smb

// class groups operations that a detector judges together.
type class uint8

const (
	classRead class = iota
	classWrite
	classCommit
	classOpen
	classClose
	classAttr
	classDir
	classNotify
	classOther

	classes
	// classUpkeep is left out of every class: what the client does by itself to keep sessions and shares. On an idle
	// mount echoes are all there is, and would look like a load of metadata.
	classUpkeep
)

// String is the value of the class label.
func (c class) String() string {
	return [...]string{"read", "write", "commit", "open", "close", "attr", "dir", "notify", "other"}[c]
}

// commands is the number of SMB2 commands.
const commands = 19

// commandClass is the class of an SMB2 command by its number.
func commandClass(command int) class {
	return [commands]class{
		classUpkeep, classUpkeep, classUpkeep, classUpkeep, classUpkeep, // negotiate, session setup, logoff, tree connect and disconnect
		classOpen, classClose, classCommit, classRead, classWrite, // create, close, flush, read, write
		classOther, classOther, classUpkeep, classUpkeep, // lock, ioctl, cancel, echo
		classDir, classNotify, classAttr, classAttr, classOther, // query directory, change notify, query and set info, oplock break
	}[command]
}

// operationClass is the class of what Stats counts for a share under a name, of SMB1 and of later dialects. ok is false
// for what is no operation.
func operationClass(before, name []byte) (kind class, ok bool) {
	if string(before) == "Posix" {
		switch string(name) {
		case "Opens:":
			return classOpen, true
		case "Mkdirs:":
			return classOther, true
		}
	}
	switch string(name) {
	case "Reads:":
		return classRead, true
	case "Writes:":
		return classWrite, true
	case "Flushes:":
		return classCommit, true
	case "Creates:", "Opens:":
		return classOpen, true
	case "Closes:":
		return classClose, true
	case "QueryInfos:", "SetInfos:":
		return classAttr, true
	case "QueryDirectories:", "FindFirst:", "FNext", "FNext:":
		return classDir, true
	case "ChangeNotifies:":
		return classNotify, true
	case "Locks:", "IOCTLs:", "OplockBreaks:", "HardLinks:", "Symlinks:", "Deletes:", "Mkdirs:", "Rmdirs:", "Renames:",
		"FClose", "FClose:":
		return classOther, true
	case "Renames": // T2 Renames
		return classOther, string(before) == "T2"
	case "Negotiates:", "SessionSetups:", "Logoffs:", "TreeConnects:", "TreeDisconnects:", "Cancels:", "Echos:":
		return classUpkeep, true
	}
	return 0, false
}
