package dataroot

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Alone waits until nobody else is between a look at a file and its change, in this process or in one beside it that works
// on the same state.
func (r *Root) Alone() (done func(), err error) {
	f, err := os.Open(r.env.State) // a local folder, as the database in it must be
	if err != nil {
		return nil, fmt.Errorf("wait for others: %w", err)
	}
	for err = syscall.EINTR; errors.Is(err, syscall.EINTR); {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("wait for others: %w", err), f.Close())
	}
	return func() { _ = f.Close() }, nil // which lets go of it
}
