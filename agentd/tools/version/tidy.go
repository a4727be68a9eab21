package version

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gatehouse/agentd/wire"
)

// Tidy lets go of what is too old, half kept or too much.
func (s *Store) Tidy() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tidy(0, "")
}

// aged is one change in the store.
type aged struct {
	path string
	at   time.Time
	size int64
	over bool // it can not be put back
}

// tidy makes room for more bytes. It spares one change, which is about to be put back.
func (s *Store) tidy(more int64, spare string) error {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("list versions: %w", err)
	}
	var all []aged
	sum := more
	for _, e := range entries {
		a := aged{path: filepath.Join(s.dir, e.Name())}
		k, err := s.Get(e.Name())
		if a.over = err != nil; !a.over {
			a.at = k.Time
		}
		for _, f := range k.Entries {
			a.size += f.Size
		}
		sum += a.size
		if a.over || e.Name() != spare {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(a, b aged) int { return a.at.Compare(b.at) })
	free, now := s.free(), s.now()
	for _, a := range all {
		if !a.over && now.Sub(a.at) <= wire.KeptFor && sum <= mostKept && more <= free/4 {
			continue
		}
		if err := os.RemoveAll(a.path); err != nil {
			return fmt.Errorf("let go of a version: %w", err)
		}
		sum, free = sum-a.size, free+a.size
	}
	return nil
}
