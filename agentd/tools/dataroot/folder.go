package dataroot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"

	"gatehouse/agentd/tool"
)

// Folder is an open folder in the data root. Names in it are looked up by handle: it stays the same folder whatever
// happens to its name.
type Folder struct {
	Rel  string // where it really lies beneath the data root
	root *os.Root
}

// Folder opens a folder beneath the root.
func (r *Root) Folder(rel string) (*Folder, error) {
	sub, err := r.root.OpenRoot(rel + "/.") // so the last name too is opened as a folder: a pipe would hold us forever
	if err != nil {
		return nil, Explain(rel, err)
	}
	f, err := r.folder(sub, rel)
	if err != nil {
		_ = sub.Close()
		return nil, err
	}
	return f, nil
}

func (r *Root) folder(sub *os.Root, rel string) (*Folder, error) {
	d, err := sub.Open(".")
	if err != nil {
		return nil, Explain(rel, err)
	}
	defer d.Close()
	st, err := stat(d)
	if err != nil {
		return nil, err
	}
	if uint64(st.Dev) != r.dev { //nolint:unconvert // int32 on some systems
		return nil, tool.Refuse("%s lies on another device.", rel)
	}
	name, err := r.realName(d, rel)
	if err != nil {
		return nil, err
	}
	return &Folder{Rel: name, root: sub}, nil
}

// MakeFolder opens a folder and makes what is missing of it.
func (r *Root) MakeFolder(rel string) (*Folder, error) {
	if err := r.root.MkdirAll(rel, 0o755); err != nil {
		return nil, Explain(rel, err)
	}
	return r.Folder(rel)
}

// Close lets go of the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Path is the name of an entry beneath the data root.
func (f *Folder) Path(name string) string { return path.Join(f.Rel, name) }

// Lstat looks at an entry itself, not at what it may link to.
func (f *Folder) Lstat(name string) (fs.FileInfo, error) { return f.root.Lstat(name) }

// Entries reads the folder, sorted by name.
func (f *Folder) Entries() ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return nil, Explain(f.Rel, err)
	}
	return list, nil
}

// Remove removes one entry: a file, a link or an empty folder.
func (f *Folder) Remove(name string) error { return f.root.Remove(name) }

// Replace puts data in the place of name in one step: whoever looks, at any moment and after any crash, sees the old
// content or the new. temp is the name of the file next to it that holds the new content until then. The file keeps its
// mode; one that is not there gets the one given.
func (f *Folder) Replace(name, temp string, data []byte, fresh fs.FileMode) error {
	mode, err := f.modeOf(name, fresh)
	if err != nil {
		return err
	}
	if err := f.write(temp, data, mode); err != nil {
		return errors.Join(err, ignoreMissing(f.root.Remove(temp)))
	}
	if err := f.root.Rename(temp, name); err != nil {
		return errors.Join(fmt.Errorf("put %s in place: %w", name, err), f.root.Remove(temp))
	}
	return f.sync()
}

func (f *Folder) modeOf(name string, fresh fs.FileMode) (fs.FileMode, error) {
	info, err := f.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fresh, nil
	case err != nil:
		return 0, err
	case !info.Mode().IsRegular():
		return 0, tool.Refuse("%s is not a plain file.", f.Path(name))
	}
	return info.Mode().Perm(), nil
}

func (f *Folder) write(temp string, data []byte, mode fs.FileMode) error {
	w, err := f.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return fmt.Errorf("make %s: %w", temp, err)
	}
	_, err = w.Write(data)
	if err == nil {
		err = w.Chmod(mode)
	}
	if err == nil {
		err = w.Sync()
	}
	return errors.Join(err, w.Close())
}

// sync makes the change of names durable.
func (f *Folder) sync() error {
	d, err := f.root.Open(".")
	if err != nil {
		return fmt.Errorf("open folder to sync: %w", err)
	}
	return errors.Join(d.Sync(), d.Close())
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
