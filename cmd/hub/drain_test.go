package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"
)

// TestTurnAway: who had been let in by the kernel is served; who comes later is not, and neither is cut off.
func TestTurnAway(t *testing.T) {
	t.Parallel()
	both, err := listen(t.Context(), "127.0.0.1:0")
	ok(t, err)
	for _, l := range both[1:] {
		ok(t, l.Close())
	}
	l := both[0]
	inside, err := net.Dial("tcp", l.Addr().String())
	ok(t, err)
	_, err = inside.Write([]byte("request"))
	ok(t, err)
	turned := make(chan struct{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() {
		turnAway(ctx, l)
		close(turned)
	}()
	const line = 2000 // half of what the kernel lets wait: beyond that, everybody would seem turned away
	for late, came := (net.Dialer{Timeout: 300 * time.Millisecond}), 0; ; came++ {
		if came > line {
			t.Fatal("the door stays open")
		}
		c, err := late.DialContext(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			if ne, timed := errors.AsType[net.Error](err); !timed || !ne.Timeout() {
				t.Fatalf("who came late was refused with %v, and its proxy would not ask again", err)
			}
			break
		}
		ok(t, c.Close()) // it came before the door was shut, and stands in the line
	}
	got, err := l.Accept()
	ok(t, err)
	buf := make([]byte, 16)
	n, err := got.Read(buf)
	ok(t, err)
	if string(buf[:n]) != "request" {
		t.Errorf("the first in the line said %q", buf[:n])
	}
	go func() { // the rest of the line
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			_ = c.Close()
		}
	}()
	<-turned
	ok(t, l.Close())
	ok(t, inside.Close())
}

// TestServe_tellsSystemd: a service says when it serves and when it stops, and answers /readyz with no while it drains.
func TestServe_tellsSystemd(t *testing.T) {
	t.Parallel()
	env := environment(t)
	socket := filepath.Join(env["GATEHOUSE_DIR"], "notify")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	ok(t, err)
	defer func() { _ = l.Close() }()
	env["NOTIFY_SOCKET"], env["HUB_DRAIN"] = socket, "2s"
	said := func() string {
		buf := make([]byte, 64)
		ok(t, l.SetReadDeadline(time.Now().Add(time.Minute)))
		n, err := l.Read(buf)
		ok(t, err)
		return string(buf[:n])
	}
	out, end := start(t, env, "serve")
	if got := said(); got != "READY=1" {
		t.Fatalf("at start: %q", got)
	}
	if status, body := get(t, "http://"+env["HUB_ADDR"]+"/readyz"); status != 200 {
		t.Errorf("it says that it is ready, and is not: %d %s", status, body)
	}
	ended := make(chan int, 1)
	go func() { ended <- end() }()
	if got := said(); got != "STOPPING=1" {
		t.Errorf("at the end: %q", got)
	}
	red := false
	for !red {
		r, err := http.Get("http://" + env["HUB_ADDR"] + "/readyz")
		if err != nil {
			break // it has ended
		}
		red = r.StatusCode == http.StatusServiceUnavailable
		ok(t, r.Body.Close())
	}
	if !red {
		t.Error("while it drained, /readyz never said no")
	}
	if code := <-ended; code != 0 {
		t.Errorf("exit %d: %s", code, out)
	}
}
