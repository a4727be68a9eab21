package filewrite

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gatehouse/agentd/wire"
)

// How much is kept for a way back.
const (
	keepFor  = wire.KeptFor
	mostKept = 1 << 30 // bytes of what was carried out; beyond it the oldest go
	// tidyEvery and tidyAfter are how often that is looked at: after a time, and after so many bytes.
	tidyEvery = time.Hour
	tidyAfter = mostKept / 16
)

// tidy lets go of what is too old or too much, now and then. What cannot be let go holds up no write.
func (t *Tool) tidy(grown int64) {
	if t.now == nil {
		return
	}
	t.grown += grown
	now := t.now()
	if t.grown < tidyAfter && now.Sub(t.tidied) < tidyEvery {
		return
	}
	t.grown, t.tidied = 0, now
	if err := t.kept.tidy(now, mostKept); err != nil {
		slog.Warn("kept writes could not be let go", "error", err)
	}
}

// aged is one folder of the store.
type aged struct {
	path      string
	at        time.Time
	size      int64
	committed bool
}

// tidy lets go of what is too old, and of the oldest that were carried out until the rest hold no more than most bytes. A
// proposal that waits for a person stays.
func (s store) tidy(now time.Time, most int64) error {
	all, err := s.folders()
	if err != nil {
		return err
	}
	var sum int64
	for _, f := range all {
		sum += f.size
	}
	var failed error
	for _, f := range all {
		if now.Sub(f.at) <= keepFor && (sum <= most || !f.committed) {
			continue
		}
		if err := os.RemoveAll(f.path); err != nil {
			failed = errors.Join(failed, fmt.Errorf("let go of a kept write: %w", err))
			continue
		}
		sum -= f.size
	}
	return failed
}

// folders are those of the store, the oldest first. One that is being made or let go just now may be missing.
func (s store) folders() ([]aged, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list kept writes: %w", err)
	}
	var all []aged
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue // gone since it was listed
		}
		m, err := s.meta(e.Name())
		f := aged{path: filepath.Join(s.dir, e.Name()), at: info.ModTime(), committed: err == nil && m.Committed}
		for _, name := range []string{"before", "after", "meta.json"} {
			if info, err := os.Stat(filepath.Join(f.path, name)); err == nil {
				f.size += info.Size()
			}
		}
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b aged) int { return a.at.Compare(b.at) })
	return all, nil
}
