package link

import (
	"bytes"
	"context"
	"net"
	"sync"
	"testing"
	"time"
)

// tally counts the writes that reach the network.
type tally struct {
	net.Conn
	mu     sync.Mutex
	writes int
	got    bytes.Buffer
}

func (c *tally) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes++
	return c.got.Write(b)
}

func TestCorked(t *testing.T) {
	t.Parallel()
	below := &tally{}
	c := &corked{Conn: below}
	var want bytes.Buffer
	put := func(n int) {
		b := bytes.Repeat([]byte{byte(want.Len())}, n)
		want.Write(b)
		if m, err := c.Write(b); m != n || err != nil {
			t.Fatalf("wrote %d of %d: %v", m, n, err)
		}
	}
	for _, step := range []struct {
		name   string
		do     func()
		writes int
	}{
		{"not held", func() { put(10) }, 1},
		{"held", func() { c.hold(); put(10); put(20); put(30) }, 1},
		{"released", func() { _ = c.release(t.Context()) }, 2},
		{"nothing to release", func() { _ = c.release(t.Context()) }, 2},
		{"at once again", func() { put(5) }, 3},
		{"held, and too much", func() { c.hold(); put(100); put(corkSize) }, 5},
		{"still held", func() { put(7) }, 5},
		{"released in order", func() { _ = c.release(t.Context()); put(1) }, 7},
	} {
		step.do()
		if below.writes != step.writes {
			t.Errorf("%s: %d writes, want %d", step.name, below.writes, step.writes)
		}
	}
	if !bytes.Equal(below.got.Bytes(), want.Bytes()) {
		t.Error("something else was written than what was given")
	}
}

// TestCorked_late has a peer that takes nothing: release ends with its context and the connection is closed.
func TestCorked_late(t *testing.T) {
	t.Parallel()
	mine, theirs := net.Pipe()
	defer func() { _ = theirs.Close() }()
	c := &corked{Conn: mine}
	c.hold()
	if _, err := c.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := c.release(ctx); err == nil || ctx.Err() == nil {
		t.Errorf("released to nobody: %v", err)
	}
	if _, err := c.Write([]byte("x")); err == nil {
		t.Errorf("open after that: %v", err)
	}
}
