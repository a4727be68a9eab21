package gate

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

// results are the long results in a folder of the state directory, a file each.
type results struct {
	dir string
	mu  sync.Mutex // held while files are counted and changed
}

// keptFile is one of them.
type keptFile struct {
	name string
	size int64
	at   time.Time
}

// put writes a file, unless the run, whose files are named, has kept its share. What is old makes room for it.
func (r *results) put(name string, text []byte, ofRun map[string]bool, now time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	all, err := r.list()
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(f keptFile) bool { return f.name == name }) // of the same call, before a crash
	used := int64(len(text))
	for _, f := range all {
		if ofRun[f.name] {
			used += f.size
		}
	}
	if used > maxOutputsOfRun {
		return errRunFull
	}
	if err := r.trim(all, maxOutputsInAll-int64(len(text)), now); err != nil {
		return err
	}
	path := filepath.Join(r.dir, name)
	err = os.WriteFile(path, text, 0o600)
	if err == nil {
		err = os.Chtimes(path, now, now)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write result: %w", err), os.Remove(path)) // half a result is none
	}
	return nil
}

// purge lets go of what is too old, or too much.
func (r *results) purge(now time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	all, err := r.list()
	if err != nil {
		return err
	}
	return r.trim(all, maxOutputsInAll, now)
}

// trim deletes files, given the oldest first, until the rest are young enough and fit.
func (r *results) trim(all []keptFile, fit int64, now time.Time) error {
	var sum int64
	for _, f := range all {
		sum += f.size
	}
	for _, f := range all {
		if sum <= fit && now.Sub(f.at) <= outputLife {
			break
		}
		if err := os.Remove(filepath.Join(r.dir, f.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("let go of a result: %w", err)
		}
		sum -= f.size
	}
	return nil
}

// list reads the folder, the oldest file first.
func (r *results) list() ([]keptFile, error) {
	entries, err := os.ReadDir(r.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list results: %w", err)
	}
	var all []keptFile
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list results: %w", err)
		}
		all = append(all, keptFile{e.Name(), info.Size(), info.ModTime()})
	}
	slices.SortFunc(all, func(a, b keptFile) int { return a.at.Compare(b.at) })
	return all, nil
}
