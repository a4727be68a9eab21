package version

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"

	"gatehouse/agentd/tool"
)

// Keep copies what is at these paths, before it is deleted or replaced. k says what is done and by whom. Links, and files that
// may not be opened, are lost: Keep counts them. One that was kept before stays as it is. It answers ErrNotKept when it is too
// much, or when nothing of it can be kept.
func (s *Store) Keep(ctx context.Context, k Kept, rels []string) (lost int, err error) {
	if !idForm.MatchString(k.ID) {
		return 0, fmt.Errorf("version %q is no name", k.ID)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := os.Stat(s.path(k.ID, "meta.json")); err == nil {
		was, err := s.Get(k.ID)
		return was.Lost(), err
	}
	var size int64
	if k.Entries, size = s.look(rels); len(rels) > mostFiles || !s.Room(size) {
		return 0, ErrNotKept
	}
	if err := errors.Join(s.tidy(size, k.Restores), os.MkdirAll(s.path(k.ID), 0o700)); err != nil {
		return 0, fmt.Errorf("keep version: %w", err)
	}
	if err := s.fillIn(ctx, &k, rels); err != nil {
		return 0, errors.Join(err, os.RemoveAll(s.path(k.ID)))
	}
	return k.Lost(), nil
}

// fillIn copies the entries of a change, saves their marks and notes it.
func (s *Store) fillIn(ctx context.Context, k *Kept, rels []string) error {
	for i := range k.Entries {
		if err := s.copyIn(ctx, k.ID, i, &k.Entries[i]); err != nil {
			return err
		}
	}
	if len(k.Entries) > 0 && k.Lost() == len(k.Entries) {
		return ErrNotKept
	}
	if err := s.mark(ctx, k.ID, rels); err != nil {
		return err
	}
	k.Time = s.now().UTC()
	return s.note(*k)
}

// look is what there is to keep.
func (s *Store) look(rels []string) (all []Entry, size int64) {
	for _, rel := range rels {
		info, err := s.root.Lstat(rel)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			all = append(all, Entry{Path: rel, Lost: true})
		case info.IsDir():
			all = append(all, Entry{Path: rel, Folder: true})
		case info.Mode().IsRegular():
			all = append(all, Entry{Path: rel, Size: info.Size(), Mode: info.Mode().Perm()})
			size += info.Size()
		default:
			all = append(all, Entry{Path: rel, Lost: true})
		}
	}
	return all, size
}

// copyIn copies one file. One that may not be opened is lost: it cannot have been shown to anybody either.
func (s *Store) copyIn(ctx context.Context, id string, i int, e *Entry) error {
	if e.Folder || e.Lost || ctx.Err() != nil {
		return ctx.Err()
	}
	from, _, err := s.root.Open(e.Path)
	if no := new(tool.Refused); errors.As(err, &no) {
		e.Lost, e.Size = true, 0
		return nil
	}
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(s.path(id, strconv.Itoa(i)), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("keep %s: %w", e.Path, err)
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(from, mostKept)) // it may grow while it is read
	if err = errors.Join(err, to.Sync(), to.Close()); err != nil {
		return fmt.Errorf("keep %s: %w", e.Path, err)
	}
	e.Size, e.Hash = n, hex.EncodeToString(sum.Sum(nil))
	return nil
}
