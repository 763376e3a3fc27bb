package promread

import (
	"errors"
	"net"
	"testing"
	"time"
)

// A server that takes connections and never answers is known after the patience with its first answer.
func TestSilentServer(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	address := "http://" + listener.Addr().String()
	reader, err := New(address, Options{Patience: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	for range 2 { // asked again, it is asked for the first answer again
		_, err = reader.Instant(t.Context(), "up", time.Unix(1, 0))
		var silent *ServerError
		if !errors.As(err, &silent) || err.Error() != "ask "+address+": it does not answer: nothing came within 50ms" {
			t.Fatal(err)
		}
	}
}
