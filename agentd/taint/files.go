package taint

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"gatehouse/agentd/lazyre"
	"gatehouse/agentd/wire"
)

// Files knows which files of the data folder hold content from outside.
type Files struct {
	store Store
	root  string
	log   *slog.Logger
}

// NewFiles gives the marked files of a data folder. root is absolute, with links resolved.
func NewFiles(s Store, root string, log *slog.Logger) *Files {
	return &Files{store: s, root: root, log: log}
}

// file is a marked file or folder that exists.
type file struct {
	mark
	names []string // absolute ones: as it is marked, and where links lead from there
	inode inode
}

// inode is what a file keeps when it is renamed.
type inode struct{ dev, ino uint64 }

func inodeOf(st unix.Stat_t) inode { return inode{st.Dev, st.Ino} }

// marked are the marked files that exist, after those that were found before.
func (f *Files) marked(ctx context.Context, before []file) ([]file, error) {
	known := map[string]bool{}
	for _, one := range before {
		known[one.path] = true
	}
	all, err := marksWhere(ctx, f.store, "")
	more := slices.DeleteFunc(all, func(m mark) bool { return known[m.path] })
	return append(slices.Clone(before), f.existing(more)...), err
}

// existing looks for marked files on the disk, and resolves each of their folders once. It leaves out what is not there.
func (f *Files) existing(all []mark) []file {
	folders := map[string]string{} // with links resolved
	var found []file
	for _, m := range all {
		at := f.absolute(m.path)
		var st unix.Stat_t
		if missing(unix.Lstat(at, &st)) {
			continue
		}
		folder, base := filepath.Split(at)
		if folders[folder] == "" {
			names := f.names(folder)
			folders[folder] = names[len(names)-1]
		}
		one := file{mark: m, names: []string{at}, inode: inodeOf(st)}
		if resolved := filepath.Join(folders[folder], base); resolved != at {
			one.names = append(one.names, resolved)
		}
		if st.Mode&unix.S_IFMT == unix.S_IFLNK {
			one.names = append(one.names, f.names(at)...)
		}
		found = append(found, one)
	}
	return found
}

// matches reports whether one of these absolute names is a name of the file, or of a folder above or below it.
func (f file) matches(names []string) bool {
	return slices.ContainsFunc(f.names, func(name string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return within(n, name) || within(name, n) })
	})
}

// names are the absolute names of a file: as it is written, and where links lead from there.
func (f *Files) names(name string) []string {
	all := []string{f.absolute(name)}
	if !filepath.IsAbs(name) {
		name = f.root + "/" + name // not cleaned: ".." after a link leads elsewhere
	}
	if at, err := filepath.EvalSymlinks(name); err == nil {
		all = append(all, at)
	}
	return all
}

func (f *Files) absolute(name string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(f.root, name)
	}
	return filepath.Clean(name)
}

// relative is a path as it is below the data folder.
func (f *Files) relative(name string) string {
	rel, err := filepath.Rel(f.root, f.absolute(name))
	if err != nil {
		return path.Clean(name)
	}
	return rel
}

// exists reports whether a file of the data folder is there.
func (f *Files) exists(rel string) bool {
	return !missing(unix.Lstat(f.absolute(rel), new(unix.Stat_t)))
}

// Tidy drops the marks of files that are gone and can no longer be put back. When the folder of a file is gone, too, or is
// empty, a file system may just not be mounted: such marks stay.
func (f *Files) Tidy(ctx context.Context, now time.Time) error {
	all, err := marksWhere(ctx, f.store, "HAVING max(at) < ?", now.Add(-wire.KeptFor).UnixMicro())
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(m mark) bool { return f.exists(m.path) || emptyFolder(filepath.Dir(f.absolute(m.path))) })
	return f.store.Write(ctx, func(tx *sql.Tx) error {
		// Kept content itself goes only with the next write, hence twice the time.
		err := exec(f.store, tx, "let go of kept marks", "DELETE FROM kept_marks WHERE at < ?", now.Add(-2*wire.KeptFor).UnixMicro())
		if err != nil {
			return err
		}
		for _, m := range all {
			if err := exec(f.store, tx, "let go of mark", "DELETE FROM derived_files WHERE path = ?", m.path); err != nil {
				return err
			}
		}
		return nil
	})
}

// emptyFolder reports whether nothing can be seen in a folder.
func emptyFolder(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return true
	}
	defer f.Close()
	_, err = f.Readdirnames(1)
	return err != nil
}

// procPath is where a process shows its files, which may be any.
var procPath = lazyre.MustCompile(`^/proc/([0-9]+|self|thread-self)/`)

// within reports whether an absolute name is that of a folder or of something in it.
func within(folder, name string) bool {
	rest, ok := strings.CutPrefix(name, folder)
	return ok && (rest == "" || rest[0] == '/' || folder == "/")
}

// missing reports that a file is not there. A file that cannot be looked at may be there.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) }
