package socket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// longest is how long the path of a socket may be for the kernel, with a little left.
const longest = 100

// Modes of the socket.
const (
	Own    fs.FileMode = 0o600 // for callers of the same user
	Shared fs.FileMode = 0o666 // for callers of other users
)

// reach gives a path to the same socket that the kernel takes: through an open folder when the real one is too long.
func reach(path string) (short string, done func(), err error) {
	if len(path) <= longest {
		return path, func() {}, nil
	}
	fd, err := unix.Open(filepath.Dir(path), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", nil, fmt.Errorf("open %s: %w", filepath.Dir(path), err)
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", fd, filepath.Base(path)), func() { _ = unix.Close(fd) }, nil
}

// Listen opens the socket in place of one that a dead process left. The mode is Own or Shared;
// who may stay, the listener learns from the kernel.
func Listen(ctx context.Context, path string, mode fs.FileMode) (net.Listener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove old socket: %w", err)
	}
	short, done, err := reach(path)
	if err != nil {
		return nil, err
	}
	defer done()
	lc := net.ListenConfig{Control: closedAtFirst}
	l, err := lc.Listen(ctx, "unix", short)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // the next process may have made its own meanwhile
	if err := os.Chmod(path, mode); err != nil {
		return nil, errors.Join(fmt.Errorf("open socket to callers: %w", err), l.Close())
	}
	return l, nil
}

// closedAtFirst gives a socket its mode before it has a name (Linux takes it over): at no moment may others reach it,
// nor does who looks at the modes of the folder see one that is open.
func closedAtFirst(_, _ string, c syscall.RawConn) error {
	var err error
	if e := c.Control(func(fd uintptr) { err = unix.Fchmod(int(fd), uint32(Own)) }); e != nil {
		return e
	}
	return err
}

// Dial reaches the socket.
func Dial(ctx context.Context, path string) (net.Conn, error) {
	short, done, err := reach(path)
	if err != nil {
		return nil, err
	}
	defer done()
	var d net.Dialer
	return d.DialContext(ctx, "unix", short)
}
