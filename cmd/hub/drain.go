package main

import (
	"context"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// synOnly lets through everything that comes for a listening socket but what asks for a new connection: the bytes begin with the
// TCP header, whose flags are the fourteenth.
var synOnly = []unix.SockFilter{
	{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, K: 13},
	{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0x12},        // SYN and ACK
	{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: 0x02, Jf: 1}, // SYN alone
	{Code: unix.BPF_RET | unix.BPF_K, K: 0},                          // is dropped
	{Code: unix.BPF_RET | unix.BPF_K, K: 0xffffffff},                 // all else passes
}

// How long connections that were begun may take to be there, and to be taken.
const (
	shakeTime = 50 * time.Millisecond
	drainTime = 5 * time.Second
)

// turnAway lets nobody new in at l, and returns when everybody who was at the door is inside. Closing a socket at once would cut
// off whoever had been let in by the kernel and not yet by us, with a request already on its way. Who comes now hears nothing,
// asks again, and finds the socket closed: a proxy then goes to another hub. Where the kernel cannot do that, it is left.
func turnAway(ctx context.Context, l net.Listener) {
	tcp, ok := l.(*net.TCPListener)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	filter := unix.SockFprog{Len: uint16(len(synOnly)), Filter: &synOnly[0]}
	err1 := raw.Control(func(fd uintptr) {
		err = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &filter)
	})
	if err != nil || err1 != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	tick := time.NewTicker(shakeTime)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if atDoor(tcp) == 0 {
				return
			}
		}
	}
}

// atDoor is how many connections wait to be accepted.
func atDoor(l *net.TCPListener) (n uint32) {
	raw, err := l.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) { // a socket that is closed has nobody waiting
		if info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			n = info.Unacked // of a socket that listens, that is what this counts
		}
	})
	return n
}
