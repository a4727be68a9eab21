package filewrite

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gatehouse/agentd/tool"
)

// Kept is a write that was carried out, and may be taken back while it is kept.
type Kept struct {
	Call     string
	Path     string
	Time     time.Time
	New      bool   // there was no file before: nothing to put back
	Restores string // the write that it took back itself; empty for a plain one
	After    string // hex SHA-256 of what it wrote
}

// List is every write that a state directory keeps, the newest first.
func List(state string) ([]Kept, error) {
	s := storeIn(state)
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list kept writes: %w", err)
	}
	var all []Kept
	for _, e := range entries {
		k, ok, err := s.keptAs(e.Name())
		if err != nil { // one damaged note must not stand in the way of the others
			slog.Warn("kept write cannot be read", "call_id", e.Name(), "error", err)
		} else if ok {
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b Kept) int { return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(b.Call, a.Call)) })
	return all, nil
}

// keptAs reads one of them; not ok for a proposal that was never carried out, or is being let go just now.
func (s store) keptAs(callID string) (Kept, bool, error) {
	m, err := s.meta(callID)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !m.Committed {
		return Kept{}, false, nil
	}
	if err != nil {
		return Kept{}, false, err
	}
	info, err := os.Stat(s.path(callID, "meta.json")) // written last when the file was replaced
	if errors.Is(err, fs.ErrNotExist) {
		return Kept{}, false, nil
	}
	if err != nil {
		return Kept{}, false, err
	}
	return Kept{
		Call: callID, Path: m.Rel, Time: info.ModTime().UTC(), New: m.Before == none, Restores: m.Restores, After: m.After,
	}, true, nil
}

// written finds the write of a file that is to be taken back: the named one, else the newest.
func (s store) written(callID, rel string) (string, meta, error) {
	if callID == "" {
		all, err := List(filepath.Dir(s.dir))
		if err != nil {
			return "", meta{}, err
		}
		i := slices.IndexFunc(all, func(k Kept) bool { return k.Path == rel })
		if i < 0 {
			return "", meta{}, tool.Refuse("No write of %s is kept. Earlier contents are kept for %d days.", rel, int(keepFor.Hours()/24))
		}
		callID = all[i].Call
	}
	if !callName.MatchString(callID) {
		return "", meta{}, tool.Refuse("%q is no id of a write.", callID)
	}
	m, err := s.meta(callID)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !m.Committed:
		return "", meta{}, tool.Refuse("No write %s is kept. Earlier contents are kept for %d days.", callID, int(keepFor.Hours()/24))
	case err != nil:
		return "", meta{}, err
	case m.Rel != rel:
		return "", meta{}, tool.Refuse("The write %s was of %s, not of %s.", callID, m.Rel, rel)
	}
	return callID, m, nil
}

// earlier is what a write has replaced, if it still is what it was.
func (s store) earlier(callID string, m meta) ([]byte, error) {
	b, err := os.ReadFile(s.path(callID, "before"))
	if err != nil {
		return nil, fmt.Errorf("earlier version of %s: %w", m.Rel, err)
	}
	if hashOf(b) != m.Before {
		return nil, tool.Refuse("What was kept of the earlier version of %s is damaged. Nothing was written.", m.Rel)
	}
	return b, nil
}
