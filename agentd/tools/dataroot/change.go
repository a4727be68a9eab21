package dataroot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Create makes a new file in the folder, for its owner alone. What takes long is written to one, and named with Put once it
// is whole. The name is the caller's own: what a crash left under it is removed first.
func (f *Folder) Create(name string) (*os.File, error) {
	if err := ignoreMissing(f.root.Remove(name)); err != nil {
		return nil, Explain(f.Path(name), err)
	}
	w, err := f.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, Explain(f.Path(name), err)
	}
	return w, nil
}

// Put gives a file that Create has made its name, in the place of the one that had it, which keeps its mode; a new one gets
// the one given. It closes w, and removes temp when it fails.
func (f *Folder) Put(w *os.File, temp, name string, fresh fs.FileMode) error {
	mode, err := f.modeOf(name, fresh)
	if err == nil {
		err = w.Chmod(mode)
	}
	if err == nil {
		err = w.Sync()
	}
	if err = errors.Join(err, w.Close()); err == nil {
		err = f.root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(Explain(f.Path(name), err), ignoreMissing(f.root.Remove(temp)))
	}
	return f.sync()
}

// Settle gives a file that Create has made the mode that Put would give it, and closes it. It is durable only after
// Root.Sync.
func (f *Folder) Settle(w *os.File, name string, fresh fs.FileMode) error {
	mode, err := f.modeOf(name, fresh)
	if err == nil {
		err = w.Chmod(mode)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return Explain(f.Path(name), err)
	}
	return nil
}

// RenameUnsynced gives a settled file its name, in the place of the one that had it. The name is durable only after
// Root.Sync.
func (f *Folder) RenameUnsynced(temp, name string) error {
	if err := f.root.Rename(temp, name); err != nil {
		return Explain(f.Path(name), err)
	}
	return nil
}

// Sync makes everything durable that was written beneath the root: once, where syncing each file would take minutes.
func (r *Root) Sync() error {
	d, err := r.root.Open(".")
	if err != nil {
		return fmt.Errorf("open data folder to sync: %w", err)
	}
	if err := errors.Join(unix.Syncfs(int(d.Fd())), d.Close()); err != nil {
		return fmt.Errorf("sync data folder: %w", err)
	}
	return nil
}

// Mkdir makes one folder in this one.
func (f *Folder) Mkdir(name string) error {
	if err := f.MkdirUnsynced(name); err != nil {
		return err
	}
	return f.sync()
}

// MkdirUnsynced makes one folder in this one, which is durable only after Root.Sync.
func (f *Folder) MkdirUnsynced(name string) error {
	if err := f.root.Mkdir(name, 0o755); err != nil {
		return Explain(f.Path(name), err)
	}
	return nil
}

// Move gives an entry of one folder a name in another. Whoever calls it has looked whether that name is free, under Alone.
func (r *Root) Move(from *Folder, name string, to *Folder, as string) error {
	if err := r.root.Rename(from.Path(name), to.Path(as)); err != nil {
		return Explain(from.Path(name), err)
	}
	if err := errors.Join(from.sync(), to.sync()); err != nil {
		return fmt.Errorf("move %s: %w", name, err)
	}
	return nil
}
