package filewrite

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path"
)

// recover clears what a crash left next to a target.
func (t *Tool) recover() error {
	entries, err := os.ReadDir(t.kept.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := t.recoverOne(e); err != nil {
			slog.Warn("staged call could not be cleared", "call_id", e.Name(), "error", err)
		}
	}
	return nil
}

func (t *Tool) recoverOne(e fs.DirEntry) error {
	m, err := t.kept.meta(e.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the crash came before the note: the gate stages again
	}
	if err != nil || m.Temp == "" || m.Committed {
		return err
	}
	return t.removeTemp(m.Temp)
}

func (t *Tool) removeTemp(rel string) error {
	folder, err := t.root.Folder(path.Dir(rel))
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Remove(path.Base(rel)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
