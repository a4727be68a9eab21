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
	"path"
	"slices"
	"strconv"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
)

// tempName begins the names of files that are being put back.
const tempName = ".gatehouse-"

// PutBack puts back what a change has deleted or replaced. Nothing else may stand where a deleted file was; the one that
// replaced another is replaced in turn, and whoever calls has kept it. What is there already as it was counts as put back, so
// that one that was cut can be done again. All files are written before the first gets its name: a full disk changes nothing.
// Whoever calls is alone.
func (s *Store) PutBack(ctx context.Context, id string) (Kept, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, err := s.Get(id)
	if err != nil {
		return k, err
	}
	k.Begun = true
	if err := s.note(k); err != nil {
		return k, err
	}
	b := back{Store: s, kept: k}
	if err := b.missing(); err != nil {
		return k, err
	}
	if err := b.write(ctx); err != nil {
		return k, errors.Join(err, b.clear())
	}
	if err := b.name(); err != nil {
		return k, errors.Join(err, b.clear())
	}
	k.Undone = true
	return k, s.note(k)
}

// Recover clears what a crash left half written while something was put back.
func (s *Store) Recover() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.List()
	for _, k := range all {
		if !k.Begun {
			continue
		}
		b := back{Store: s, kept: k}
		for i := range k.Entries {
			b.todo = append(b.todo, i)
		}
		err = errors.Join(err, b.clear())
	}
	return err
}

// back is one change on its way back.
type back struct {
	*Store
	kept Kept
	todo []int    // entries that are not there, folders before what they hold
	made []string // folders that were made for them
}

func (b *back) temp(i int) string { return tempName + b.kept.ID + "-" + strconv.Itoa(i) }

// replaces says whether a file may stand where the kept one was.
func (b *back) replaces() bool { return b.kept.Did == "changed" }

// missing finds what is not there yet, and refuses to put anything beside what has taken a name meanwhile.
func (b *back) missing() error {
	for i, e := range slices.Backward(b.kept.Entries) {
		if e.Lost {
			continue
		}
		info, err := b.root.Lstat(e.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			b.todo = append(b.todo, i)
		case err != nil:
			return dataroot.Explain(e.Path, err)
		case e.Folder && info.IsDir(), !e.Folder && b.same(e):
		case b.replaces():
			b.todo = append(b.todo, i)
		default:
			return another(e)
		}
	}
	return nil
}

func another(e Entry) error {
	return tool.Refuse("There is another %s by now. Rename it, then take this back.", path.Base(e.Path))
}

// same says whether a file is as it was kept.
func (b *back) same(e Entry) bool {
	f, info, err := b.root.Open(e.Path)
	if err != nil {
		return false
	}
	defer f.Close()
	if info.Size() != e.Size {
		return false
	}
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return err == nil && hex.EncodeToString(sum.Sum(nil)) == e.Hash
}

// write makes the folders, and writes the files under other names.
func (b *back) write(ctx context.Context) error {
	for _, i := range b.todo {
		e := b.kept.Entries[i]
		err := ctx.Err()
		switch {
		case err != nil:
		case e.Folder:
			var f *dataroot.Folder
			if f, err = b.folder(e.Path); err == nil {
				err = f.Close()
			}
		default:
			err = b.copyOut(i, e)
		}
		if err != nil {
			return err
		}
	}
	return b.root.Sync()
}

func (b *back) copyOut(i int, e Entry) error {
	from, err := os.Open(b.path(b.kept.ID, strconv.Itoa(i)))
	if err != nil {
		return fmt.Errorf("put back %s: %w", e.Path, err)
	}
	defer from.Close()
	folder, err := b.into(e)
	if err != nil {
		return err
	}
	defer folder.Close()
	w, err := folder.Create(b.temp(i))
	if err != nil {
		return err
	}
	sum := sha256.New()
	if _, err = io.Copy(io.MultiWriter(w, sum), from); err != nil {
		err = dataroot.Explain(e.Path, err)
	} else if hex.EncodeToString(sum.Sum(nil)) != e.Hash {
		err = tool.Refuse("What was kept of %s is damaged. Nothing was put back.", path.Base(e.Path))
	}
	if err != nil {
		return errors.Join(err, w.Close())
	}
	return folder.Settle(w, path.Base(e.Path), e.Mode)
}

// name gives all files their names.
func (b *back) name() error {
	for _, i := range b.todo {
		e := b.kept.Entries[i]
		if e.Folder {
			continue
		}
		if err := b.nameOne(i, e); err != nil {
			return err
		}
	}
	return b.root.Sync()
}

func (b *back) nameOne(i int, e Entry) error {
	folder, err := b.into(e)
	if err != nil {
		return err
	}
	defer folder.Close()
	if _, err := folder.Lstat(path.Base(e.Path)); err == nil && !b.replaces() {
		return another(e)
	}
	return folder.RenameUnsynced(b.temp(i), path.Base(e.Path))
}

// into opens the folder of a file.
func (b *back) into(e Entry) (*dataroot.Folder, error) {
	folder, err := b.folder(path.Dir(e.Path))
	if err != nil {
		return nil, err
	}
	if err := b.judge(e.Path, folder.Path(path.Base(e.Path))); err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return folder, nil
}

// folder opens a folder and makes what is missing of it.
func (b *back) folder(rel string) (*dataroot.Folder, error) {
	f, err := b.root.Folder(rel)
	if rel == "." || !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	above, err := b.folder(path.Dir(rel))
	if err != nil {
		return nil, err
	}
	defer above.Close()
	if err := b.judge(rel, above.Path(path.Base(rel))); err != nil {
		return nil, err
	}
	if err := above.MkdirUnsynced(path.Base(rel)); err != nil {
		return nil, err
	}
	b.made = append(b.made, rel)
	return b.root.Folder(rel)
}

// judge looks at where a path leads now. What goes back where it was needs no judgment; a folder above it that has become a
// link makes it a write of another file.
func (b *back) judge(rel, real string) error {
	if real == rel {
		return nil
	}
	if c := policy.FileWrite(real, 0, b.root.Env()); c.Tier == policy.Forbidden {
		return tool.Refuse("%s leads to %s by now. %s Nothing was put back.", rel, real, c.Why)
	}
	return nil
}

// clear removes what was written under other names, and the folders that were made and are empty.
func (b *back) clear() error {
	var failed error
	for _, i := range b.todo {
		if e := b.kept.Entries[i]; !e.Folder {
			failed = errors.Join(failed, b.remove(path.Join(path.Dir(e.Path), b.temp(i))))
		}
	}
	for _, rel := range slices.Backward(b.made) {
		_ = b.remove(rel) // it holds what another has put there
	}
	return failed
}

func (b *back) remove(rel string) error {
	folder, err := b.root.Folder(path.Dir(rel))
	if err == nil {
		defer folder.Close()
		err = folder.Remove(path.Base(rel))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return dataroot.Explain(rel, err)
	}
	return nil
}
