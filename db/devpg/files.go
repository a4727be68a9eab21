package devpg

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// password is the cluster's own, kept beside it for its owner alone.
func (s *Server) password() (string, error) {
	path := filepath.Join(s.opts.Dir, "password")
	if b, err := os.ReadFile(path); err == nil {
		return strings.TrimSpace(string(b)), nil
	}
	pw := rand.Text()
	if err := os.WriteFile(path, []byte(pw+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("postgres password: %w", err)
	}
	return pw, nil
}

// passwordFor copies the password to a file that the cluster's account can read, for initdb alone.
func (s *Server) passwordFor(path string) (string, error) {
	pw, err := s.password()
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(path, []byte(pw+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("postgres password: %w", err)
	}
	return path, s.account.own(path)
}

// port is the one used before, if it is free, else a free one that is remembered.
func (s *Server) port() (int, error) {
	path := filepath.Join(s.opts.Dir, "port")
	if p, ok := s.lastPort(); ok && free(p) {
		return p, nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a port for postgres: %w", err)
	}
	p := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		return 0, fmt.Errorf("find a port for postgres: %w", err)
	}
	return p, os.WriteFile(path, []byte(strconv.Itoa(p)+"\n"), 0o600)
}

func (s *Server) lastPort() (int, bool) {
	b, err := os.ReadFile(filepath.Join(s.opts.Dir, "port"))
	if err != nil {
		return 0, false
	}
	p, err := strconv.Atoi(strings.TrimSpace(string(b)))
	return p, err == nil
}

func free(port int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return l.Close() == nil
}

// Running says whether a cluster runs in a folder, whoever started it.
func Running(dir string) bool {
	_, _, ok := (&Server{opts: Options{Dir: dir}}).running()
	return ok
}

// running reads postmaster.pid: line 1 is the process, line 4 the port, line 8 says "ready".
func (s *Server) running() (pid, port int, ok bool) {
	b, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	if err != nil {
		return 0, 0, false
	}
	lines := strings.Split(string(b), "\n")
	if len(lines) < 8 || strings.TrimSpace(lines[7]) != "ready" {
		return 0, 0, false
	}
	pid, err1 := strconv.Atoi(strings.TrimSpace(lines[0]))
	port, err2 := strconv.Atoi(strings.TrimSpace(lines[3]))
	return pid, port, err1 == nil && err2 == nil && s.alive(pid)
}

// alive says whether pid is the main process of this cluster: a number alone may have been given to somebody else.
func (s *Server) alive(pid int) bool {
	if pid <= 0 || syscall.Kill(pid, 0) != nil {
		return false
	}
	cmd, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	return err == nil && strings.Contains(string(cmd), "\x00"+s.data()+"\x00")
}
