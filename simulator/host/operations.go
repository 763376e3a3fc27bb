package host

import (
	"slices"
	"strings"
)

// operations3 are the operations of NFSv3 in the kernel's order.
func operations3() []string {
	return []string{
		"NULL", "GETATTR", "SETATTR", "LOOKUP", "ACCESS", "READLINK", "READ", "WRITE", "CREATE", "MKDIR",
		"SYMLINK", "MKNOD", "REMOVE", "RMDIR", "RENAME", "LINK", "READDIR", "READDIRPLUS", "FSSTAT", "FSINFO",
		"PATHCONF", "COMMIT",
	}
}

// operations4 are the operations of all minor versions of NFSv4 in the order of Linux 6.12, which lists them for each.
func operations4() []string {
	return []string{
		"NULL", "READ", "WRITE", "COMMIT", "OPEN", "OPEN_CONFIRM", "OPEN_NOATTR", "OPEN_DOWNGRADE", "CLOSE",
		"SETATTR", "FSINFO", "RENEW", "SETCLIENTID", "SETCLIENTID_CONFIRM", "LOCK", "LOCKT", "LOCKU", "ACCESS",
		"GETATTR", "LOOKUP", "LOOKUP_ROOT", "REMOVE", "RENAME", "LINK", "SYMLINK", "CREATE", "PATHCONF", "STATFS",
		"READLINK", "READDIR", "SERVER_CAPS", "DELEGRETURN", "GETACL", "SETACL", "FS_LOCATIONS",
		"RELEASE_LOCKOWNER", "SECINFO", "FSID_PRESENT", "EXCHANGE_ID", "CREATE_SESSION", "DESTROY_SESSION",
		"SEQUENCE", "GET_LEASE_TIME", "RECLAIM_COMPLETE", "LAYOUTGET", "GETDEVICEINFO", "LAYOUTCOMMIT",
		"LAYOUTRETURN", "SECINFO_NO_NAME", "TEST_STATEID", "FREE_STATEID", "GETDEVICELIST", "BIND_CONN_TO_SESSION",
		"DESTROY_CLIENTID", "SEEK", "ALLOCATE", "DEALLOCATE", "LAYOUTSTATS", "CLONE", "COPY", "OFFLOAD_CANCEL",
		"LOOKUPP", "LAYOUTERROR", "COPY_NOTIFY", "GETXATTR", "SETXATTR", "LISTXATTRS", "REMOVEXATTR", "READ_PLUS",
	}
}

// appendOperations adds a line for every operation that the version has, used or not. Others that the mount counts come
// last.
func (s *NFSServer) appendOperations(out []byte, mount *NFSMount) []byte {
	out = append(out, "\tper-op statistics\n"...)
	names := operations3()
	if s.isV4() {
		names = operations4()
	}
	for _, name := range append(names, mount.others(names)...) {
		out = mount.Operations[name].appendLine(out, name)
	}
	return append(out, '\n')
}

// others are the operations of a mount that are not among the names.
func (m *NFSMount) others(names []string) []string {
	var others []string
	for name := range m.Operations {
		if !slices.Contains(names, name) {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	return others
}

const nameWidth = 12

// appendLine adds a per-op line: operations, transmissions, timeouts, bytes sent and received, milliseconds in the queue,
// to the reply and in all, and errors.
func (o NFSOperation) appendLine(out []byte, name string) []byte {
	out = append(out, '\t')
	out = append(out, strings.Repeat(" ", max(nameWidth-len(name), 0))...)
	out = append(append(out, name...), ':')
	out = appendCounts(out, whole(o.Count), whole(o.Transmissions), whole(o.Timeouts), whole(o.SentBytes), whole(o.ReceivedBytes),
		millis(o.Queue), millis(o.RTT), millis(o.Execute), whole(o.Errors))
	return append(out, '\n')
}
