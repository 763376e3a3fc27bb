package nfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// xprtFiles are the files of one transport in the sunrpc directory.
type xprtFiles struct {
	name, address, state, info string
}

const (
	stateUp     = "state= CONNECTED   BOUND       \n"
	stateDown   = "state=    BOUND       \n"
	stateClosed = "state=CLOSED\n"
	infoClosed  = "<closed>\n"
)

func infoUp(pending, backlog, slots, source, port int) string {
	return fmt.Sprintf("last_used=4294997985\ncur_cong=0\nmax_num_slots=%d\nmin_num_slots=2\nnum_reqs=2\nsending_q_len=0\n"+
		"pending_q_len=%d\nbacklog_q_len=%d\nmain_xprt=1\nsrc_port=%d\ntasks_queuelen=0\ndst_port=%d\n",
		slots, pending, backlog, source, port)
}

// hostWithTransports has one mount of 192.0.2.1 with so many transports in mountstats, from source port 700 on.
func hostWithTransports(options string, lines int, xprts ...xprtFiles) collectors.Root {
	stats := "device h:/a mounted on /a with fstype nfs statvers=1.1\n"
	for i := range lines {
		stats += fmt.Sprintf("\txprt:\ttcp %d 1 2 0 0 1 1 0 0 0 2 0 0\n", 700+i)
	}
	files := map[string]string{
		"proc/self/mountstats": stats,
		"proc/self/mountinfo":  "90 24 0:50 / /a rw - nfs h:/a rw,vers=3," + options + "addr=192.0.2.1\n",
	}
	for i, xprt := range xprts {
		directory := fmt.Sprintf("sys/%s/switch-%d/%s/", switchesPath, i, xprt.name)
		files[directory+"dstaddr"] = xprt.address + "\n"
		files[directory+"xprt_state"] = xprt.state
		files[directory+"xprt_info"] = xprt.info
	}
	return hostWith(files)
}

// endpointNumbers are the endpoint families' values of the only server.
func endpointNumbers(r *recorder) map[string]float64 {
	out := make(map[string]float64)
	for name, family := range map[string]*schema.Family{
		"pending": schema.NFSPending, "backlog": schema.NFSBacklogNow, "limit": schema.NFSSlotLimit,
		"up": schema.NFSConnected, "down": schema.NFSDisconnected,
	} {
		for _, value := range r.values(family, schema.Server) {
			out[name] = value
		}
	}
	return out
}

func TestEndpoints(t *testing.T) {
	const here = "192.0.2.1"
	up := xprtFiles{"xprt-1-tcp", here, stateUp, infoUp(3, 2, 64, 700, 2049)}
	tests := map[string]struct {
		options string
		lines   int
		xprts   []xprtFiles
		want    map[string]float64
	}{
		"no sunrpc directory": {"", 1, nil, map[string]float64{}},
		"two up, the smaller limit counts": {"", 2, []xprtFiles{up, {"xprt-2-tcp", here, stateUp, infoUp(4, 0, 16, 701, 2049)}},
			map[string]float64{"pending": 7, "backlog": 2, "limit": 16, "up": 2, "down": 0}},
		"one of two down": {"", 2, []xprtFiles{up, {"xprt-2-tcp", here, stateDown, infoClosed}},
			map[string]float64{"pending": 3, "backlog": 2, "limit": 64, "up": 1, "down": 1}},
		"all down: nothing is known of requests": {"", 1, []xprtFiles{{"xprt-2-tcp", here, stateDown, infoClosed}},
			map[string]float64{"up": 0, "down": 1}},
		"idle and closed by the client, with numbers": {"", 1, []xprtFiles{{"xprt-1-tcp", here, stateDown, infoUp(0, 0, 64, 0, 2049)}},
			map[string]float64{"pending": 0, "backlog": 0, "limit": 64, "up": 0, "down": 1}},
		"removed, local, other server, other service": {"", 1, []xprtFiles{
			up, {"xprt-2-tcp", here, stateClosed, infoClosed}, {"xprt-3-local", "/run/rpcbind.sock", stateUp, infoUp(9, 9, 9, 0, 0)},
			{"xprt-4-tcp", "192.0.2.99", stateUp, infoUp(9, 9, 9, 800, 2049)},
			{"xprt-5-tcp", here, stateUp, infoUp(9, 9, 9, 801, 4045)}, {"xprt-6-tcp", here, stateUp, infoUp(9, 9, 9, 0, 0)},
		}, map[string]float64{"pending": 3, "backlog": 2, "limit": 64, "up": 1, "down": 0}},
		"a lock manager that is down looks like NFS, but mountstats has one transport only": {"", 1, []xprtFiles{
			up, {"xprt-2-tcp", here, stateDown, infoClosed}},
			map[string]float64{"pending": 3, "backlog": 2, "limit": 64, "up": 1, "down": 0}},
		"another port by option": {"port=12049,", 0, []xprtFiles{{"xprt-1-tcp", here, stateUp, infoUp(1, 0, 8, 900, 12049)}},
			map[string]float64{"pending": 1, "backlog": 0, "limit": 8, "up": 1, "down": 0}},
		"another port by rpcbind, known by the source port": {"", 1, []xprtFiles{{"xprt-1-tcp", here, stateUp, infoUp(1, 0, 8, 700, 38465)}},
			map[string]float64{"pending": 1, "backlog": 0, "limit": 8, "up": 1, "down": 0}},
		"RDMA": {"proto=rdma,", 0, []xprtFiles{{"xprt-1-rdma", here, stateUp, infoUp(1, 0, 8, 0, 20049)}},
			map[string]float64{"pending": 1, "backlog": 0, "limit": 8, "up": 1, "down": 0}},
		"a field is missing": {"", 1, []xprtFiles{{"xprt-1-tcp", here, stateUp, "pending_q_len=5\ndst_port=2049\nnew_field=x\n"}},
			map[string]float64{"pending": 5, "up": 1, "down": 0}},
		"a state that cannot be read": {"", 1, []xprtFiles{{"xprt-1-tcp", here, "what", infoUp(1, 0, 8, 700, 2049)}}, map[string]float64{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := collect(t, hostWithTransports(test.options, test.lines, test.xprts...))
			if diff := cmp.Diff(test.want, endpointNumbers(r)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTransportThatVanishes(t *testing.T) {
	root := hostWithTransports("", 1, xprtFiles{"xprt-1-tcp", "192.0.2.1", stateUp, infoUp(1, 0, 8, 700, 2049)})
	delete(root.Sysfs.(fstest.MapFS), switchesPath+"/switch-0/xprt-1-tcp/xprt_state")
	r := collect(t, root)
	if got := endpointNumbers(r); len(got) > 0 {
		t.Errorf("numbers of a transport that is gone: %v", got)
	}
	if diff := cmp.Diff(map[string]int{skipTransportFile: 1}, r.skipped); diff != "" {
		t.Error(diff)
	}
}

// TestPartOfTheTransports: one file of two transports cannot be read, so the sum of the other is no sum.
func TestPartOfTheTransports(t *testing.T) {
	up := xprtFiles{"xprt-1-tcp", "192.0.2.1", stateUp, infoUp(1, 0, 8, 700, 2049)}
	root := hostWithTransports("", 2, up, up)
	delete(root.Sysfs.(fstest.MapFS), switchesPath+"/switch-1/xprt-1-tcp/xprt_info")
	if got := endpointNumbers(collect(t, root)); len(got) > 0 {
		t.Errorf("one of two transports passes for both: %v", got)
	}
}

// TestTooManyTransports: what is not read is counted, and a server whose transports were not all read has no numbers,
// since a part of a sum would pass for the whole.
func TestTooManyTransports(t *testing.T) {
	build := func(read int) *recorder {
		xprts := make([]xprtFiles, maxTransports+4)
		for i := range xprts {
			xprts[i] = xprtFiles{"xprt-1-tcp", "192.0.2.99", stateUp, infoUp(1, 0, 8, 700, 2049)}
			if i < read {
				xprts[i].address = "192.0.2.1"
			}
		}
		return collect(t, hostWithTransports("", 4, xprts...))
	}
	whole := build(4)
	want := map[string]float64{"pending": 4, "backlog": 0, "limit": 8, "up": 4, "down": 0}
	if diff := cmp.Diff(want, endpointNumbers(whole)); diff != "" {
		t.Error(diff)
	}
	if whole.skipped[skipTransportLimit] != 4 {
		t.Errorf("skipped %v", whole.skipped)
	}
	if got := endpointNumbers(build(3)); len(got) > 0 {
		t.Errorf("three of four transports pass for all: %v", got)
	}
}

// failingFS refuses every file.
type failingFS struct{ err error }

func (f failingFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: f.err}
}

// TestRefusedFiles: what could be read is there, and the error names what could not.
func TestRefusedFiles(t *testing.T) {
	root := hostWithTransports("", 1)
	root.Sysfs = failingFS{fs.ErrPermission}
	r := &recorder{}
	err := New(root).Collect(context.Background(), r)
	if collectors.ReasonOf(err) != collectors.ReasonPermission {
		t.Errorf("error %v", err)
	}
	if got := r.values(schema.NFSMountInfo, schema.Export); got["/a"] != 1 {
		t.Errorf("the mount is lost: %v", got)
	}
	root.Procfs = failingFS{errors.New("input/output error")}
	if err := New(root).Collect(context.Background(), &recorder{}); err == nil || errors.Is(err, collectors.ErrNoData) {
		t.Errorf("an unreadable mountstats gives %v", err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	root := hostWithTransports("", 1, xprtFiles{"xprt-1-tcp", "192.0.2.1", stateUp, infoUp(1, 0, 8, 700, 2049)})
	r := &recorder{}
	if err := New(root).Collect(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if got := endpointNumbers(r); len(got) > 0 {
		t.Errorf("numbers of a run that was called off: %v", got)
	}
}

func TestParseTransportState(t *testing.T) {
	tests := map[string]transportState{
		stateUp: {connected: true, bound: true}, stateDown: {bound: true}, stateClosed: {closed: true},
		"state=LOCKED CONNECTED CONNECTING BOUND BINDING CLOSING OFFLINE CONGESTED CWND_WAIT WRITE_SPACE": {connected: true, bound: true},
	}
	for text, want := range tests {
		if got, ok := parseTransportState([]byte(text)); !ok || got != want {
			t.Errorf("%q is %+v, %t", text, got, ok)
		}
	}
	for _, text := range []string{"", "<closed>", "CONNECTED"} {
		if _, ok := parseTransportState([]byte(text)); ok {
			t.Errorf("%q passes for a state", text)
		}
	}
}
