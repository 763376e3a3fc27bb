package bundle

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// cifs masks a file of /proc/fs/cifs.
func (m *mask) cifs(name string, data []byte) []byte {
	switch name {
	case "DebugData":
		if names := bytes.Index(data, []byte("\nWitness registrations:")); names >= 0 {
			data = data[:names+1]
		}
		return lines(data, m.debugLine)
	case "Stats":
		return lines(data, m.statsLine)
	case "open_files":
		return m.openFiles(data)
	case "mount_params":
		return lines(data, func(line string) string {
			if !mountParam.MatchString(line) {
				return ""
			}
			return line
		})
	}
	return nil
}

var mountParam = regexp.MustCompile(`^[a-z0-9_]+:[a-z0-9_]+$`)

var (
	// cifsNumber is a number, a list item, a version, a time, a speed or a pair.
	cifsNumber = regexp.MustCompile(`^(-?[0-9]+([,.][0-9]+)*\)?|0x[0-9a-f]+|[0-9a-f]{8,16}|\([0-9,]+\)?|[0-9]+[KMGT]?bps|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2}:[0-9]{2}:[0-9]{2}|-+)$`)
	// cifsTree is a share in DebugData, and cifsShare one in Stats.
	cifsTree  = regexp.MustCompile(`^(\s*[0-9]+\) (?:IPC: )?)(\\\\.*)(\s+Mounts:.*)$`)
	cifsShare = regexp.MustCompile(`^(\s*[0-9]+\) )(\\\\.*?)(\s+DISCONNECTED)?\s*$`)
	cifsLeaf  = regexp.MustCompile(`^(\s*DFS leaf full path: )(\\\\.*)$`)
	cifsWord  = regexp.MustCompile(`\s*\S+`)
	// cifsStrings are what a server says of itself.
	cifsStrings  = regexp.MustCompile(`\s+(Domain:.*?(\s+Uses:)|OS:.*$)|NOS:.*?(\s+Capability:)`)
	cifsFeatures = regexp.MustCompile(`^Features:[A-Za-z0-9_(), ]*$`)
)

// debugLine masks a line of DebugData. Words that are not the kernel's own are left out.
func (m *mask) debugLine(line string) string {
	if found := cifsTree.FindStringSubmatch(line); found != nil {
		return found[1] + m.unc(found[2]) + m.debugWords(found[3])
	}
	if found := cifsLeaf.FindStringSubmatch(line); found != nil {
		return found[1] + m.unc(found[2])
	}
	if cifsFeatures.MatchString(line) {
		return line
	}
	return m.debugWords(cifsStrings.ReplaceAllString(line, "$2$3"))
}

// unc masks \\server\share\directory as the source of a mount is masked.
func (m *mask) unc(name string) string {
	server, path, _ := strings.Cut(strings.TrimLeft(name, `\`), `\`)
	masked := `\\` + m.server(server)
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '\\' })
	switch {
	case len(parts) == 0:
		return masked
	case len(parts) == 1 && strings.EqualFold(parts[0], "IPC$"):
		return masked + `\` + parts[0]
	}
	return masked + strings.ReplaceAll(m.path("share", "/"+strings.Join(parts, "/")), "/", `\`)
}

func (m *mask) debugWords(line string) string {
	var out strings.Builder
	before, earlier := "", ""
	for _, text := range cifsWord.FindAllString(line, -1) {
		word := strings.TrimLeft(text, "\t\n\f\r ") // what the expression takes for blanks: other ones are part of the word
		space := text[:len(text)-len(word)]
		if kept := m.debugWord(earlier, before, word); kept != "" {
			out.WriteString(space + kept)
		}
		earlier, before = before, word
	}
	return out.String()
}

func (m *mask) debugWord(earlier, before, word string) string {
	switch {
	case before == "Hostname:" || before == "Address:" || before == "Name:" || before == "IPv4:" || before == "IPv6:" ||
		before == "for" && earlier == "entry":
		return m.server(word)
	case before == "SessionId:":
		return m.id("session", word)
	case before == "User:":
		return m.user(word)
	case before == "ClientGUID:":
		return "00000000-0000-0000-0000-000000000000"
	case m.known.cifs[word] || cifsNumber.MatchString(word):
		return word
	}
	return ""
}

// id masks an identifier that is written in hexadecimal. Zero is none.
func (m *mask) id(kind, id string) string {
	if !sessionID.MatchString(id) || strings.Trim(id, "0x") == "" {
		return "0x0"
	}
	var n int
	if _, err := fmt.Sscanf(m.name(kind, id), kind+"-%d", &n); err != nil {
		return "0x0" // cannot happen: it is one of ours
	}
	return fmt.Sprintf("0x%x", n)
}

var sessionID = regexp.MustCompile(`^0x[0-9a-f]+$`)

// user masks the number of a user. Root's is kept.
func (m *mask) user(number string) string {
	if number == "0" || !optionNumber.MatchString(number) {
		return "0"
	}
	var n int
	if _, err := fmt.Sscanf(m.name("user", number), "user-%d", &n); err != nil {
		return "0" // cannot happen: it is one of ours
	}
	return fmt.Sprint(1000 + n)
}

// statsLine masks a line of Stats, and drops it if it holds a word that is not the kernel's: part of it would be taken
// for something else.
func (m *mask) statsLine(line string) string {
	if found := cifsShare.FindStringSubmatch(line); found != nil {
		return found[1] + m.unc(found[2]) + found[3]
	}
	for word := range strings.FieldsSeq(line) {
		if !m.known.cifs[word] && !cifsNumber.MatchString(word) {
			return ""
		}
	}
	return line
}

var (
	openColumn   = regexp.MustCompile(`<([^<>]*)>`)
	knownColumns = regexp.MustCompile(`^(tree id|ses id|persistent fid|flags|count|pid|uid|filename|mid|lease|lease-key)$`)
)

// openFiles masks the names of files, the sessions and the leases. The heading says which column is which.
func (m *mask) openFiles(data []byte) []byte {
	var columns []string
	return lines(data, func(line string) string {
		if strings.HasPrefix(line, "#") {
			found := openColumn.FindAllStringSubmatch(line, -1)
			if len(found) == 0 {
				return "#"
			}
			columns, line = nil, "#"
			for _, match := range found {
				column := match[1]
				if !knownColumns.MatchString(column) {
					column = "other"
				}
				columns = append(columns, column)
				line += " <" + column + ">"
			}
			return line
		}
		return m.openFile(columns, line)
	})
}

// openFile masks a line. Only the name may hold blanks: what is behind it is counted from the end.
func (m *mask) openFile(columns []string, line string) string {
	words := strings.Split(line, " ")
	extra := len(words) - len(columns)
	if extra < 0 {
		return ""
	}
	var out []string
	at := 0
	for _, column := range columns {
		word := words[at]
		at++
		switch column {
		case "filename":
			word = m.name("file", strings.Join(append([]string{word}, words[at:at+extra]...), " "))
			at += extra
		case "ses id":
			word = m.id("session", word)
		case "uid":
			word = m.user(word)
		case "lease-key":
			word = m.name("lease", word)
		default:
			if !plainWord.MatchString(word) && !leaseState.MatchString(word) {
				return ""
			}
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

var leaseState = regexp.MustCompile(`^([RHW]+|NONE)$`)

// cifsWords are the words that the kernel itself writes into DebugData and Stats.
func cifsWords() map[string]bool {
	return set(`Display Internal CIFS Data Structures for Debugging Version CIFSMaxBufSize: Active VFS Requests: Servers:
		ConnectionId: Hostname: ClientGUID: Number of credits: Dialect Server capabilities: TCP status: Instance: Local Users
		To Server: SecMode: Req On Wire: Net namespace: In Send: MaxReq Wait: Compression: no built-in support disabled enabled
		Encryption: Negotiated cipher (AES128-GCM) (AES256-GCM) (AES128-CCM) (AES256-CCM) signed posix nosharesock
		COMPRESS_LZNT1 COMPRESS_LZ77 COMPRESS_LZ77_HUFF RDMA SMBDirect
		Sessions: Address: Name: entry not fully displayed Uses: Capability: Session Status: SMB session Guest Anonymous
		Security type: RawNTLMSSP Kerberos NTLMv2 LANMAN Unspecified unknown Unknown SessionId: encrypted encrypted(gcm256)
		User: Cred Primary channel: DISCONNECTED [RECONNECTING] Extra Channels: Channel: Channel [NONE]
		Shares: IPC: none Mounts: DevInfo: Attributes: PathComponentMax: DISK CDROM Serial Encrypted nocase POSIX Extensions
		Share Capabilities: None Aligned, Partition TRIM-support, Flags: tid: Optimal sector size: Maximal Access: Witness
		nosparse DFS, CONTINUOUS AVAILABILITY, SCALEOUT, CLUSTER, ASYMMETRIC, Type: NTFS
		interfaces: Last updated: seconds ago Speed: bps rdma rss IPv4: IPv6: Weight (cur,total): Allocated channels:
		[CONNECTED] [for-cleanup] MIDs: State: com: pid: cbdata: mid
		Resources in use Session: (unique mount targets): Request/Response Buffer: Pool Small Req/Resp Total Large Allocations
		Operations (MIDs): share reconnects vfs operations: maximum at one time: Max requests flight:
		time spent processing by command. Time units are jiffies per second) SMB3 CMD Number Fastest Slowest
		SMBs: since UTC Bytes read: written: Open files: total (local), open on server sent failed Negotiates: SessionSetups:
		Logoffs: TreeConnects: TreeDisconnects: Creates: Closes: Flushes: Reads: Writes: Locks: IOCTLs: Cancels: Echos:
		QueryDirectories: ChangeNotifies: QueryInfos: SetInfos: OplockBreaks: Oplock Oplocks Breaks: breaks: Bytes: HardLinks:
		Symlinks: Opens: Deletes: Posix Mkdirs: Rmdirs: Renames: T2 Renames FindFirst: FNext FClose`)
}
