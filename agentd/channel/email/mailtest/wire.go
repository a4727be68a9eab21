package mailtest

import (
	"bytes"
	"context"
	"net"
	"sync"
	"testing"
)

// Wire is a way to a port that can be cut.
type Wire struct {
	Port int

	mu    sync.Mutex
	conns []net.Conn
	after []byte // cut once the client has sent this and the server has answered
	at    []byte // cut as soon as the client has sent this
}

// NewWire lays a wire to a port.
func NewWire(t testing.TB, port int) *Wire {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &Wire{Port: l.Addr().(*net.TCPAddr).Port} //nolint:forcetypeassert // a TCP listener
	var all sync.WaitGroup
	all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return // the listener is closed
			}
			server, err := new(net.Dialer).DialContext(context.Background(), "tcp", Addr(port))
			if err != nil {
				_ = client.Close()
				continue
			}
			w.keep(client, server)
			cut := make(chan struct{})
			all.Go(func() { w.forth(client, server, cut) })
			all.Go(func() { w.back(server, client, cut) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		w.Cut()
		all.Wait()
	})
	return w
}

func (w *Wire) keep(conns ...net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conns = append(w.conns, conns...)
}

// Cut ends every connection.
func (w *Wire) Cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.conns {
		_ = c.Close()
	}
	w.conns = nil
}

// CutAfter ends a connection when the server has got this and has answered, before the client has the answer.
func (w *Wire) CutAfter(sent string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.after = []byte(sent)
}

// CutAt ends a connection as soon as the client has sent this: what follows the server never gets.
func (w *Wire) CutAt(sent string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = []byte(sent)
}

// forth carries what the client sends.
func (w *Wire) forth(client, server net.Conn, cut chan struct{}) {
	var tail []byte
	buf, done := make([]byte, 32<<10), false
	for {
		n, err := client.Read(buf)
		w.mu.Lock()
		after, at := w.after, w.at
		w.mu.Unlock()
		tail = append(tail, buf[:n]...)
		if len(at) > 0 && bytes.Contains(tail, at) {
			break
		}
		if !done && len(after) > 0 && bytes.Contains(tail, after) {
			done = true
			close(cut)
		}
		tail = tail[max(0, len(tail)-max(len(after), len(at))):]
		if n > 0 {
			if _, err := server.Write(buf[:n]); err != nil {
				break
			}
		}
		if err != nil {
			break
		}
	}
	_ = server.Close()
}

// back carries what the server answers, until the wire is cut.
func (w *Wire) back(server, client net.Conn, cut chan struct{}) {
	buf := make([]byte, 32<<10)
	for {
		n, err := server.Read(buf)
		select {
		case <-cut:
			err = net.ErrClosed
		default:
			if n > 0 {
				_, _ = client.Write(buf[:n]) // the client may have left
			}
		}
		if err != nil {
			break
		}
	}
	_ = client.Close()
}
