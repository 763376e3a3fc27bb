package serve

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"
	writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"
	"google.golang.org/protobuf/proto"
)

// A copy of this test binary with this in its environment plays the receivers of everything that is pushed, in a process of its own,
// so that what receiving costs is not in the figures of the one that pushes.
const (
	childRole     = "NASIGHT_TEST_SERVE_CHILD"
	roleReceivers = "receivers"
)

// receiveAll takes whatever is pushed until its standard input ends, as it does with the process that started it. It tells its URL
// first.
func receiveAll() int {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Printf("http://%s\n", listener.Addr())
	mux := http.NewServeMux()
	mux.Handle("/write", remote.NewWriteHandler(unread{}, remote.MessageTypes{remote.WriteV1MessageType, remote.WriteV2MessageType}))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if !strings.HasPrefix(r.URL.Path, "/v1/") { // OTLP answers 200 with an empty message
			w.WriteHeader(http.StatusNoContent)
		}
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	_ = server.Serve(listener)
	return 0
}

// unread is a store of remote write that stores nothing, and confirms everything.
type unread struct{}

// Store implements what remote.NewWriteHandler stores with.
func (unread) Store(r *http.Request, kind remote.WriteMessageType) (*remote.WriteResponse, error) {
	answer := remote.NewWriteResponse()
	body, err := io.ReadAll(r.Body)
	if err != nil || kind == remote.WriteV1MessageType {
		return answer, err
	}
	var request writev2.Request
	if err := proto.Unmarshal(body, &request); err != nil {
		answer.SetStatusCode(http.StatusBadRequest)
		return answer, err
	}
	stats := remote.WriteResponseStats{}
	for _, series := range request.GetTimeseries() {
		stats.Samples += len(series.GetSamples())
	}
	answer.Add(stats)
	return answer, nil
}

// receiversElsewhere starts the receivers and returns their URL. They end with the benchmark.
func receiversElsewhere(b *testing.B) string {
	b.Helper()
	child := exec.CommandContext(b.Context(), os.Args[0])
	child.Env, child.Stderr = append(os.Environ(), childRole+"="+roleReceivers), os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := child.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = in.Close(); _ = child.Wait() })
	var address string
	if _, err := fmt.Fscanln(out, &address); err != nil {
		b.Fatalf("the receivers tell no URL: %v", err)
	}
	if _, err := url.Parse(address); err != nil {
		b.Fatal(err)
	}
	return address
}
