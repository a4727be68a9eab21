package files

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/google/uuid"

	"gatehouse/agentd/taint"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/tools/version"
	"gatehouse/agentd/wire"
)

var errAct = &wire.RPCError{Code: "bad_request", Text: "This is nothing that can be done to a file."}

// change carries out an act of a person: signed, on record before and after, each once.
func (f *Files) change(ctx context.Context, p wire.FileChange) (wire.FileInfo, error) {
	do := map[wire.FileDo]func(context.Context, wire.FileAct, wire.DecidedBy) (did, error){
		wire.FileDoFolder: f.makeFolder, wire.FileDoMove: f.move, wire.FileDoDelete: f.remove, wire.FileDoRestore: f.restore,
	}[p.Act.Do]
	if do == nil || uuid.Validate(p.Act.ID) != nil {
		return wire.FileInfo{}, errAct
	}
	if err := f.allow(ctx, p.Act, p.Signature, p.By); err != nil {
		return wire.FileInfo{}, err
	}
	return f.outlast(ctx, func(ctx context.Context) (wire.FileInfo, error) {
		d, err := f.alone(func() (did, error) { return do(ctx, p.Act, p.By) })
		if err != nil {
			return wire.FileInfo{}, f.failed(ctx, p.Act, err)
		}
		return f.infoAfter(d), nil
	})
}

// did is what came of an act: where, and whether something that it took away is not kept.
type did struct {
	rel    string
	unkept bool
}

// infoAfter is what is there after an act.
func (f *Files) infoAfter(d did) wire.FileInfo {
	i := f.infoOf(d.rel)
	i.Unkept = d.unkept
	return i
}

// alone does something while no tool is between a look at a file and its change.
func (f *Files) alone(do func() (did, error)) (did, error) {
	done, err := f.d.Root.Alone()
	if err != nil {
		return did{}, err
	}
	defer done()
	return do()
}

// infoOf is what is at a path now, as far as anything is.
func (f *Files) infoOf(rel string) wire.FileInfo {
	info, err := f.d.Root.Lstat(rel)
	if err != nil {
		return wire.FileInfo{Path: rel}
	}
	return f.info(rel, info)
}

// spot is where a path really leads: an open folder, and a name in it.
type spot struct {
	*dataroot.Folder
	name string
}

func (s spot) rel() string { return s.Path(s.name) }

// spotOf opens the folder of a path that may be written. A folder in the path may be a link, so where it leads is judged too.
func (f *Files) spotOf(name string) (spot, error) { return f.spotIn(name, f.d.Root.Folder) }

// spotIn is spotOf with another way to open the folder.
func (f *Files) spotIn(name string, open func(rel string) (*dataroot.Folder, error)) (spot, error) {
	rel, err := f.target(name)
	if err != nil {
		return spot{}, err
	}
	if strings.HasPrefix(path.Base(rel), tempPrefix) {
		return spot{}, tool.Refuse("Names that begin with %s are not used for files.", tempPrefix)
	}
	folder, err := open(path.Dir(rel))
	if err != nil {
		return spot{}, err
	}
	s := spot{folder, path.Base(rel)}
	if _, err := f.target(s.rel()); err != nil {
		_ = folder.Close()
		return spot{}, err
	}
	return s, nil
}

func (f *Files) makeFolder(ctx context.Context, a wire.FileAct, _ wire.DecidedBy) (did, error) {
	s, err := f.spotOf(a.Path)
	if err != nil {
		return did{}, err
	}
	defer s.Close()
	if err := f.as(s.rel(), ""); err != nil {
		return did{}, err
	}
	if err := s.Mkdir(s.name); err != nil {
		return did{}, err
	}
	return did{rel: s.rel()}, f.did(ctx, a, nil, nil)
}

func (f *Files) move(ctx context.Context, a wire.FileAct, _ wire.DecidedBy) (did, error) {
	from, err := f.spotOf(a.Path)
	if err != nil {
		return did{}, err
	}
	defer from.Close()
	to, err := f.spotOf(a.To)
	if err != nil {
		return did{}, err
	}
	defer to.Close()
	if err := errors.Join(f.as(from.rel(), a.Before), f.movable(from)); err != nil {
		return did{}, err
	}
	if err := f.as(to.rel(), ""); err != nil {
		return did{}, err
	}
	// Marked under both names while it moves: a crash in between loses none.
	err = f.d.DB.Write(ctx, func(tx *sql.Tx) error { return taint.Moving(f.d.DB, tx, from.rel(), to.rel()) })
	if err != nil {
		return did{}, err
	}
	if err := f.d.Root.Move(from.Folder, from.name, to.Folder, to.name); err != nil {
		return did{}, err
	}
	return did{rel: to.rel()}, f.did(ctx, a, map[string]any{"to": a.To}, func(tx *sql.Tx) error {
		return taint.Moved(f.d.DB, tx, from.rel())
	})
}

// movable refuses what is neither a file nor a folder, and a folder in which something may hold secrets: under another name
// nobody might know it.
func (f *Files) movable(s spot) error {
	info, err := s.Lstat(s.name)
	switch {
	case err != nil:
		return dataroot.Explain(s.rel(), err)
	case info.Mode().IsRegular():
		return nil
	case !info.IsDir():
		return tool.Refuse("%s is neither a file nor a folder, so it stays as it is.", s.name)
	}
	err = fs.WalkDir(f.d.Root.FS(), s.rel(), func(p string, _ fs.DirEntry, err error) error {
		if err == nil && f.closed(p) {
			return tool.Refuse("Something in %s may hold passwords or keys, so the folder keeps its name.", s.name)
		}
		return err
	})
	if err != nil {
		return dataroot.Explain(s.rel(), err)
	}
	return nil
}

// remove deletes a file, which is kept for a while, or an empty folder.
func (f *Files) remove(ctx context.Context, a wire.FileAct, by wire.DecidedBy) (did, error) {
	s, err := f.spotOf(a.Path)
	if err != nil {
		return did{}, err
	}
	defer s.Close()
	if err := f.as(s.rel(), a.Before); err != nil {
		return did{}, err
	}
	kept, err := f.keepAndRemove(ctx, a, by, s)
	if err != nil {
		return did{}, err
	}
	return did{s.rel(), !kept}, f.did(ctx, a, map[string]any{"kept": kept}, nil)
}

// keepAndRemove removes one entry, after keeping it where there is room.
func (f *Files) keepAndRemove(ctx context.Context, a wire.FileAct, by wire.DecidedBy, s spot) (kept bool, err error) {
	if kept, err = f.keep(ctx, version.Kept{ID: a.ID, By: by.Name, Did: string(wire.FileDeleted), Path: s.rel()}); err != nil {
		return false, err
	}
	if err := s.Remove(s.name); err != nil {
		return false, f.notDone(ctx, a, dataroot.Explain(s.name, err))
	}
	return kept, nil
}

// keep keeps what a person's act takes away, where there is room for it.
func (f *Files) keep(ctx context.Context, k version.Kept) (bool, error) {
	_, err := f.d.Versions.Keep(ctx, k, []string{k.Path})
	if errors.Is(err, version.ErrNotKept) {
		return false, nil
	}
	return err == nil, err
}

// notDone forgets what was kept for an act that did not happen, and gives why.
func (f *Files) notDone(ctx context.Context, a wire.FileAct, why error) error {
	if err := f.d.Versions.Drop(a.ID); err != nil {
		f.d.Log.WarnContext(ctx, "what was kept for an act that failed is still there", "act", a.ID, "error", err)
	}
	return why
}
