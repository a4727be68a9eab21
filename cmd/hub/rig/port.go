package rig

import (
	"fmt"
	"os"
	"syscall"
)

// Port is a free port of this machine that nobody else is given while it is held. A socket is bound to it that listens to
// nothing: who asks for any port gets another one, and a program that is told this one may listen there, end, and listen
// again.
type Port struct {
	Addr string // 127.0.0.1 and the port

	fd int
}

// HoldPort takes one.
func HoldPort() (*Port, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	n, err := bound(fd)
	if err != nil {
		_ = syscall.Close(fd) // nothing was done with it
		return nil, fmt.Errorf("hold a port: %w", err)
	}
	return &Port{Addr: fmt.Sprintf("127.0.0.1:%d", n), fd: fd}, nil
}

// bound binds a socket so that others who reuse addresses, as every server does, may bind to the same one.
func bound(fd int) (port int, err error) {
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return 0, os.NewSyscallError("setsockopt", err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, os.NewSyscallError("bind", err)
	}
	at, err := syscall.Getsockname(fd)
	if err != nil {
		return 0, os.NewSyscallError("getsockname", err)
	}
	return at.(*syscall.SockaddrInet4).Port, nil
}

// Release gives it back, once.
func (p *Port) Release() error { return os.NewSyscallError("close", syscall.Close(p.fd)) }
