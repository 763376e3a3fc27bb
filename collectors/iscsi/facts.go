package iscsi

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// facts are what the info family says of a target beyond its identity.
type facts struct {
	transport string
	options   string
	disks     []string
	stack     stack
}

// option is a parameter of a session as the kernel has it after the login.
type option struct{ name, directory string }

const (
	ofSession    = "session"
	ofConnection = "connection"
	ofUnit       = "unit"
	ofHost       = "host"
)

// options are what limits a session's throughput, or tells how long it waits.
var options = [...]option{
	{"max_recv_dlength", ofConnection}, {"max_xmit_dlength", ofConnection},
	{"header_digest", ofConnection}, {"data_digest", ofConnection},
	{"first_burst_len", ofSession}, {"max_burst_len", ofSession}, {"max_outstanding_r2t", ofSession},
	{"immediate_data", ofSession}, {"initial_r2t", ofSession}, {"recovery_tmo", ofSession}, {"tpgt", ofSession},
	{"queue_depth", ofUnit}, {"can_queue", ofHost},
}

// readFacts reads what the first session of a target tells; the others were made alike. What is not there is left out.
func readFacts(sysfs fs.FS, t *target, layers *layers) facts {
	first := &t.sessions[0]
	disks := t.disks()
	f := facts{transport: transportOf(sysfs, first.directory), stack: layers.above(disks)}
	for _, d := range disks {
		f.disks = append(f.disks, labelText(d.name))
	}
	host := hostOf(first.directory)
	directories := map[string]string{
		ofSession:    path.Join(sessionClass, first.name),
		ofConnection: path.Join(connectionClass, fmt.Sprintf("connection%d:0", first.number)),
		ofHost:       host,
	}
	if len(first.disks) > 0 {
		directories[ofUnit] = path.Dir(path.Dir(first.disks[0].directory))
	}
	var kept []string
	for _, o := range options {
		directory := directories[o.directory]
		if directory == "" {
			continue
		}
		if value, err := readText(sysfs, path.Join(directory, o.name)); err == nil && isWord(value) {
			kept = append(kept, o.name+"="+value)
		}
	}
	f.options = strings.Join(kept, ",")
	return f
}

// isWord tells whether a parameter is one, of a length that a number or a name of a digest has.
func isWord(value string) bool {
	const most = 64
	return value != "" && len(value) <= most && labelText(value) == value && !strings.ContainsAny(value, ",= \t\n")
}

// hostOf is the SCSI host of a session's device .../hostH/sessionN, empty where the directory is not of that form.
func hostOf(session string) string {
	above := path.Dir(session)
	name := path.Base(above)
	if !strings.HasPrefix(name, "host") {
		return ""
	}
	return path.Join(above, "scsi_host", name)
}

// transportOf is tcp for the software initiator, and else what the driver calls itself: iser, bnx2i, qla4xxx.
func transportOf(sysfs fs.FS, session string) string {
	host := hostOf(session)
	if host == "" {
		return ""
	}
	driver, _ := readText(sysfs, path.Join(host, "proc_name"))
	return labelText(strings.TrimPrefix(driver, "iscsi_"))
}
