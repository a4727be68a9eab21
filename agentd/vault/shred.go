package vault

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Shred overwrites a file, makes that durable and removes it. On disks that write elsewhere each time, and in backups,
// the old bytes may live on: what stood there should be rotated if others could read it.
func Shred(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return fmt.Errorf("shred %s: %w", path, err)
	}
	info, err := f.Stat()
	if err == nil {
		_, err = f.Write(random(int(min(info.Size(), maxPrivate))))
	}
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("shred %s: %w", path, err)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("shred %s: %w", path, err)
	}
	return syncDir(filepath.Dir(path))
}
