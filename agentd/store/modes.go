package store

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ensureDir makes the state directory when it is missing and refuses one that others may enter, or that holds a
// file that others may read: keys and receipts lie here.
func ensureDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make state directory: %w", err)
	}
	return CheckModes(dir)
}

// CheckModes answers ErrModes, with the path and the mode, for the first thing under dir that is open to others.
func CheckModes(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("read state directory: %w", err)
		}
		if e.Type()&fs.ModeSymlink != 0 {
			return nil // the mode of a link means nothing
		}
		info, err := e.Info()
		if os.IsNotExist(err) {
			return nil // gone since the folder was read: another process tidies up
		}
		if err != nil {
			return fmt.Errorf("read state directory: %w", err)
		}
		if perm := info.Mode().Perm(); perm&0o077 != 0 {
			return fmt.Errorf("%w: %s has mode %04o; mend it with: chmod go-rwx %q", ErrModes, path, perm, path)
		}
		return nil
	})
}
