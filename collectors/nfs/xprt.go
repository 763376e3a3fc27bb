package nfs

import (
	"bytes"
	"strings"

	"github.com/nasight/nasight/collectors/internal/kernel"
)

// transportInfo is the part of an xprt_info file that matters here.
type transportInfo struct {
	pending, backlog, maxSlots Number
	sourcePort, port           Number // port of the server
}

// parseTransportInfo reads an xprt_info file: lines of key=value. ok is false if it holds none of the values, as the
// <closed> of a transport that is down does.
func parseTransportInfo(data []byte) (info transportInfo, ok bool) {
	info = transportInfo{Absent, Absent, Absent, Absent, Absent}
	for line := range bytes.Lines(data) {
		key, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte("="))
		target := info.field(string(key))
		if target == nil {
			continue
		}
		*target = kernel.ParseNumber(bytes.TrimSpace(value))
		ok = ok || target.Known()
	}
	return info, ok
}

func (i *transportInfo) field(key string) *Number {
	switch key {
	case "pending_q_len":
		return &i.pending
	case "backlog_q_len":
		return &i.backlog
	case "max_num_slots":
		return &i.maxSlots
	case "src_port":
		return &i.sourcePort
	case "dst_port":
		return &i.port
	}
	return nil
}

// transportState is what an xprt_state file says.
type transportState struct {
	connected bool
	bound     bool
	closed    bool // removed for good, waiting for its last user
}

// parseTransportState reads "state= CONNECTED   BOUND". ok is false if the file does not have that form.
func parseTransportState(data []byte) (state transportState, ok bool) {
	words, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "state=")
	for word := range strings.FieldsSeq(words) {
		switch word {
		case "CONNECTED":
			state.connected = true
		case "BOUND":
			state.bound = true
		case "CLOSED":
			state.closed = true
		}
	}
	return state, ok
}
