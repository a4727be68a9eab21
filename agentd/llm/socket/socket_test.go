package socket_test

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/llm/socket"
)

// TestSocket listens and calls over paths of any length, again and again as after a crash, and each end knows the other.
func TestSocket(t *testing.T) {
	t.Parallel()
	for name, depth := range map[string]int{"short": 0, "long": 6} {
		dir := filepath.Join(t.TempDir(), strings.Repeat("a-folder-with-a-long-name/", depth))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "proxy.sock")
		for range 2 { // the second finds the file of the first, which never tidied up
			l, err := socket.Listen(t.Context(), path, socket.Own)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", name, info.Mode(), err)
			}
			who := make(chan int, 1)
			go func() {
				c, err := l.Accept()
				if err != nil {
					who <- -2
					return
				}
				who <- socket.PeerUID(c.(*net.UnixConn))
				_, _ = io.WriteString(c, "hello") // a caller that left fails the test below
				_ = c.Close()
			}()
			c, err := socket.Dial(t.Context(), path)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			said, err := io.ReadAll(c)
			if err != nil || string(said) != "hello" || <-who != os.Geteuid() || socket.PeerUID(c.(*net.UnixConn)) != os.Geteuid() {
				t.Errorf("%s: %q, %v", name, said, err)
			}
			_ = c.Close()
			_ = l.Close()
		}
	}
}

// TestListen_neverOpen: at no moment is a socket for its own user open to others. Whoever started a second process just
// then would take the state directory for one that is not kept.
func TestListen_neverOpen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	seen, stop := make(chan os.FileMode, 1), make(chan struct{})
	go func() {
		defer close(seen)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if info, err := os.Lstat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
				seen <- info.Mode()
				return
			}
		}
	}()
	for range 300 {
		l, err := socket.Listen(t.Context(), path, socket.Own)
		if err != nil {
			t.Fatal(err)
		}
		_ = l.Close()
	}
	close(stop)
	if mode, open := <-seen; open {
		t.Errorf("the socket had mode %s", mode)
	}
}
