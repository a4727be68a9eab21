package demo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// Seed writes the demo files into root, once: mark (a file in the state directory) remembers that it was done, so
// that what the owner has deleted stays deleted. Files that are there are left alone. It reports whether it wrote.
func Seed(root, mark string, now time.Time) (bool, error) {
	if _, err := os.Stat(mark); err == nil {
		return false, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("seed demo files: %w", err)
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return false, fmt.Errorf("seed demo files: %w", err)
	}
	defer dir.Close()
	for _, f := range Files(now) {
		if err := put(dir, f, now); err != nil {
			return false, fmt.Errorf("seed demo files: %w", err)
		}
	}
	if err := os.WriteFile(mark, []byte("The demo files were written at "+now.UTC().Format(time.RFC3339)+".\n"), 0o600); err != nil {
		return false, fmt.Errorf("seed demo files: %w", err)
	}
	return true, nil
}

func put(dir *os.Root, f File, now time.Time) error {
	name := filepath.FromSlash(f.Path)
	if err := dir.MkdirAll(filepath.FromSlash(path.Dir(f.Path)), 0o750); err != nil {
		return err
	}
	w, err := dir.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o640)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = w.Write(f.Body)
	if err := errors.Join(err, w.Close()); err != nil {
		return err
	}
	changed := now.Add(-f.Age)
	return dir.Chtimes(name, changed, changed)
}
