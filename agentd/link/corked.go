package link

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// corkSize is how much a held connection gathers before it writes all the same.
const corkSize = 32 << 10

// corked is a connection that can be held: what is written then goes out together, so that frames which wait for each
// other cost one system call and wake the hub once.
type corked struct {
	net.Conn

	mu   sync.Mutex
	held bool
	buf  []byte
}

// hold gathers what is written from now on.
func (c *corked) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = true
}

// release writes what was gathered, and from now on at once. When ctx ends before, the connection is closed.
func (c *corked) release(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { _ = c.Close() })() // the write says what became of it
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = false
	return c.drain()
}

// Write gathers b, or writes it.
func (c *corked) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held && len(c.buf)+len(b) <= corkSize {
		c.buf = append(c.buf, b...)
		return len(b), nil
	}
	if err := c.drain(); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// drain writes what was gathered. c.mu is held.
func (c *corked) drain() error {
	if len(c.buf) == 0 {
		return nil
	}
	_, err := c.Conn.Write(c.buf)
	c.buf = c.buf[:0]
	return err
}

// dialer opens connections that can be held, one after the other; made gives the newest.
type dialer struct {
	mu   sync.Mutex
	last *corked
}

// client speaks HTTP over the dialer's connections, with the proxies of the environment, as the standard one does.
func (d *dialer) client() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone() // the package net/http made it so
	dial := t.DialContext
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.last = &corked{Conn: conn}
		return d.last, nil
	}
	return &http.Client{Transport: t}
}

func (d *dialer) made() *corked {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last
}
