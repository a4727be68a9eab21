package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// How much is kept on disk, in bytes, and for how long.
const (
	MaxOfCall = 16 << 20
	MaxOfRun  = 64 << 20  // of a run with all that it delegated
	maxInAll  = 256 << 20 // of the server; beyond it the oldest files go
	life      = 30 * 24 * time.Hour
)

// ErrRunFull says that a run has kept its share.
var ErrRunFull = errors.New("the run has kept its share")

// Folder is the folder of outputs.
type Folder struct {
	dir string
	mu  sync.Mutex // held while files are counted and changed
}

// NewFolder makes a Folder at dir. The directory is made with the first file.
func NewFolder(dir string) *Folder { return &Folder{dir: dir} }

// file is one output.
type file struct {
	name string
	size int64
	at   time.Time
}

// Put writes a file. It answers ErrRunFull when the run has kept its share; ofRun names the files of the run. Old files make
// room for the new one.
func (o *Folder) Put(name string, text []byte, ofRun map[string]bool, now time.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	all, err := o.list()
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(f file) bool { return f.name == name }) // of the same call, before a crash
	used := int64(len(text))
	for _, f := range all {
		if ofRun[f.name] {
			used += f.size
		}
	}
	if used > MaxOfRun {
		return ErrRunFull
	}
	if err := o.trim(all, maxInAll-int64(len(text)), now); err != nil {
		return err
	}
	return o.write(name, text, now)
}

// write writes a file whole or not at all.
func (o *Folder) write(name string, text []byte, now time.Time) error {
	path := filepath.Join(o.dir, name)
	err := os.WriteFile(path, text, 0o600)
	if err == nil {
		err = os.Chtimes(path, now, now)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write output: %w", err), os.Remove(path))
	}
	return nil
}

// Remove deletes files; those that are not there are gone already.
func (o *Folder) Remove(names []string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, name := range names {
		if err := os.Remove(filepath.Join(o.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("delete output: %w", err)
		}
	}
	return nil
}

// Purge deletes files that are too old or take too much room.
func (o *Folder) Purge(now time.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	all, err := o.list()
	if err != nil {
		return err
	}
	return o.trim(all, maxInAll, now)
}

// trim deletes files, given oldest first, until the rest are young enough and fit.
func (o *Folder) trim(all []file, fit int64, now time.Time) error {
	var sum int64
	for _, f := range all {
		sum += f.size
	}
	for _, f := range all {
		if sum <= fit && now.Sub(f.at) <= life {
			break
		}
		if err := os.Remove(filepath.Join(o.dir, f.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("delete output: %w", err)
		}
		sum -= f.size
	}
	return nil
}

// list reads the folder, oldest file first.
func (o *Folder) list() ([]file, error) {
	entries, err := os.ReadDir(o.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list outputs: %w", err)
	}
	var all []file
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list outputs: %w", err)
		}
		all = append(all, file{e.Name(), info.Size(), info.ModTime()})
	}
	slices.SortFunc(all, func(a, b file) int { return a.at.Compare(b.at) })
	return all, nil
}
