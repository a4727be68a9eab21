package rig_test

import (
	"errors"
	"net"
	"syscall"
	"testing"

	"gatehouse/cmd/hub/rig"
)

// TestHoldPort: a server that is told the port may listen there, again and again. Who takes it without reusing addresses,
// as one does who is given any port, finds it taken. Beside no other test: a process that is being started holds a copy of
// every socket until it becomes another program, and what was closed here listens until then.
func TestHoldPort(t *testing.T) {
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
}

// TestPort_Release: what was given back is there for others. One of them may be given it at that moment, so one of a few
// ports has to be free.
func TestPort_Release(t *testing.T) {
	var err error
	for range 20 {
		var p *rig.Port
		if p, err = rig.HoldPort(); err != nil {
			t.Fatal(err)
		}
		if err = p.Release(); err != nil {
			t.Fatal(err)
		}
		if err = exclusive(t, p.Addr); err == nil {
			return
		}
	}
	t.Errorf("ports that were given back: %v", err)
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
