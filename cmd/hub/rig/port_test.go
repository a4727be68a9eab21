package rig_test

import (
	"errors"
	"net"
	"syscall"
	"testing"

	"gatehouse/cmd/hub/rig"
)

// TestHoldPort: a server that is told the port may listen there, again and again. Who takes it without reusing addresses,
// as one does who is given any port, finds it taken.
func TestHoldPort(t *testing.T) {
	t.Parallel()
	p, err := rig.HoldPort()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		l, err := net.Listen("tcp", p.Addr)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := exclusive(t, p.Addr); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a port that is held: %v", err)
	}
	if err := p.Release(); err != nil {
		t.Fatal(err)
	}
	if err := exclusive(t, p.Addr); err != nil {
		t.Errorf("a port that was given back: %v", err)
	}
}

// exclusive listens on addr without reusing addresses.
func exclusive(t *testing.T, addr string) error {
	t.Helper()
	lc := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		var err error
		if e := c.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 0) }); e != nil {
			return e
		}
		return err
	}}
	l, err := lc.Listen(t.Context(), "tcp", addr)
	if err != nil {
		return err
	}
	return l.Close()
}
