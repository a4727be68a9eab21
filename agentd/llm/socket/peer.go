package socket

import (
	"net"

	"golang.org/x/sys/unix"
)

// PeerUID is the user at the other end of a unix socket; -1 when the kernel does not say.
func PeerUID(c *net.UnixConn) int {
	raw, err := c.SyscallConn()
	if err != nil {
		return -1
	}
	id := -1
	err = raw.Control(func(fd uintptr) {
		if cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			id = int(cred.Uid)
		}
	})
	if err != nil {
		return -1
	}
	return id
}
