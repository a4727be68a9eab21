package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// listen opens the hub's address. 127.0.0.1 brings ::1 on the same port with it, because a browser may take localhost
// for either; a machine without IPv6 does without.
func listen(ctx context.Context, addr string) ([]net.Listener, error) {
	var lc net.ListenConfig
	lc.SetMultipathTCP(false) // its sockets take no filter, and turnAway needs one
	first, err := lc.Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is taken by another program. Use another port:  HUB_ADDR=127.0.0.1:8081", addr)
	}
	if err != nil {
		return nil, fmt.Errorf("HUB_ADDR: %w", err)
	}
	at, ok := first.Addr().(*net.TCPAddr)
	if !ok || !at.IP.Equal(net.IPv4(127, 0, 0, 1)) {
		return []net.Listener{first}, nil
	}
	second, err := lc.Listen(ctx, "tcp", net.JoinHostPort("::1", fmt.Sprint(at.Port)))
	switch {
	case err == nil:
		return []net.Listener{first, second}, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, errors.Join(fmt.Errorf("[::1]:%d is taken by another program. Use another port:  HUB_ADDR=127.0.0.1:8081", at.Port), first.Close())
	}
	return []net.Listener{first}, nil
}
