package nfs

// Class is the value of the class label for an operation, such as GETATTR. ok is false for what the client does by itself
// on an idle mount too, which is in no class.
func Class(operation string) (class string, ok bool) {
	kind := classOf([]byte(operation))
	if kind == classUpkeep {
		return "", false
	}
	return kind.String(), true
}

// SplitSource takes server:/path or [IPv6 address]:/path apart, as a mount names what it shows.
func SplitSource(source string) (server, path string) { return splitSource(source) }
