package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// What a service tells systemd.
const (
	isReady    = "READY=1"
	isStopping = "STOPPING=1"
)

// tellSystemd says to the socket that NOTIFY_SOCKET names how this service is; without one there is nobody to tell.
func tellSystemd(socket, state string) error {
	if socket == "" {
		return nil
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("tell systemd: %w", err)
	}
	defer func() { _ = unix.Close(fd) }() // all was said, or not
	if err := unix.Sendto(fd, []byte(state), unix.MSG_NOSIGNAL, &unix.SockaddrUnix{Name: socket}); err != nil {
		return fmt.Errorf("tell systemd: %w", err)
	}
	return nil
}
