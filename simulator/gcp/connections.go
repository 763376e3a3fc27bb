package gcp

import (
	"net"
	"sync"
)

type closer interface{ Close() error }

// connections finds the connection of a call by its remote address, so that a fault can cut it.
type connections struct {
	mu   sync.Mutex
	open map[string]closer
}

// Listener makes connections that a fault can cut.
func (c *Cloud) Listener(listener net.Listener) net.Listener { return &tracked{listener, &c.conns} }

func (c *connections) cut(address string) {
	c.mu.Lock()
	conn := c.open[address]
	c.mu.Unlock()
	if conn != nil {
		_ = conn.Close() // the peer sees the end either way
	}
}

type tracked struct {
	net.Listener

	conns *connections
}

// Accept waits for a connection and remembers it until it is closed.
func (t *tracked) Accept() (net.Conn, error) {
	conn, err := t.Listener.Accept()
	if err != nil {
		return nil, err
	}
	t.conns.mu.Lock()
	defer t.conns.mu.Unlock()
	t.conns.open[conn.RemoteAddr().String()] = conn
	return &trackedConn{conn, t.conns}, nil
}

type trackedConn struct {
	net.Conn

	conns *connections
}

// Close closes the connection and forgets it.
func (t *trackedConn) Close() error {
	t.conns.mu.Lock()
	delete(t.conns.open, t.RemoteAddr().String())
	t.conns.mu.Unlock()
	return t.Conn.Close()
}
