package inside

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"gatehouse/agentd/policy"
)

// clean says whether a folder of the data root holds nothing that may not be touched by programs that work on all that
// is in it.
func (r *runner) clean(dir string, programs []string) error {
	if dir != r.env.Root && !strings.HasPrefix(dir, r.env.Root+"/") {
		return nil // the sandbox decides there
	}
	look := r.harmless
	if unpacks(programs) {
		look = func(p string, e fs.DirEntry) error { return errors.Join(r.harmless(p, e), r.holds(p)) }
	}
	seen, err := walk(dir, look)
	if err != nil || !slices.ContainsFunc(programs, func(p string) bool { return !Tells(p) }) {
		return err
	}
	return seen.elsewhere()
}

// copies looks into the folders that would be copied with all that is in them: what is in a file then stands in another
// one, which has its name and no second one.
func (r *runner) copies(argv, programs []string) error {
	if err := r.renames(argv, programs); err != nil {
		return err
	}
	copier := slices.ContainsFunc(programs, func(p string) bool { return p == "cp" || p == "rsync" })
	if !copier || !slices.ContainsFunc(argv, func(w string) bool { return strings.HasPrefix(w, "-") && strings.ContainsAny(w, "rRa") }) {
		return nil
	}
	for _, w := range argv[1:] {
		for _, name := range namesIn(w) {
			p := r.abs(name)
			if info, err := os.Stat(p); err != nil || !info.IsDir() || !strings.HasPrefix(p+"/", r.env.Root+"/") {
				continue
			}
			seen, err := walk(p, func(p string, e fs.DirEntry) error { return errors.Join(r.linked(p, e), r.carried(p, e)) })
			if err = errors.Join(err, seen.elsewhere()); err != nil {
				return err
			}
		}
	}
	return nil
}

// renames looks for folders that would get another name: what is in some of them is known by theirs alone.
func (r *runner) renames(argv, programs []string) error {
	if !slices.ContainsFunc(programs, func(p string) bool { return p == "cp" || p == "rsync" || p == "mv" }) {
		return nil
	}
	for _, w := range argv[1:] {
		for _, name := range namesIn(w) {
			real, err := realName(r.abs(name))
			if err = errors.Join(err, r.placed(real)); err != nil {
				return err
			}
		}
	}
	return nil
}

// placed says whether a folder holds secrets that its name alone tells of.
func (r *runner) placed(dir string) error {
	rel, err := filepath.Rel(r.env.Root, dir)
	if err != nil || rel == "." || strings.HasPrefix(rel, "..") {
		return nil //nolint:nilerr // what lies elsewhere is judged by its place
	}
	for _, rest := range policy.SecretsBeneath(rel) {
		if _, err := os.Lstat(filepath.Join(dir, rest)); err == nil {
			return fmt.Errorf("%s holds secrets and keeps its place and its name", filepath.Base(dir))
		}
	}
	return nil
}

// carried says whether a link that would be copied leads to what must not lie under another name, or be written.
func (r *runner) carried(p string, e fs.DirEntry) error {
	if e.Type()&fs.ModeSymlink == 0 {
		return nil
	}
	real, err := realName(p)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(real, r.env.Root+"/") {
		return nil
	}
	if c := policy.Redirected(real, true, false, r.env).Class; c.Tier == policy.Forbidden {
		return fmt.Errorf("%s leads to a file that may not be written", filepath.Base(p))
	}
	return r.placed(real)
}

// walk looks at every file of a folder, and gathers those that have more names.
func walk(dir string, look func(string, fs.DirEntry) error) (names, error) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	seen := names{}
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be looked at cannot be read by the command either
		}
		seen.add(p, e)
		return look(p, e)
	})
	return seen, err
}

// harmless says whether one file of a folder may be touched.
func (r *runner) harmless(p string, e fs.DirEntry) error {
	if why := r.protected(p); why != "" {
		return fmt.Errorf("%s lies in it. %s Leave that folder out, or name the files: find … | xargs …", filepath.Base(p), why)
	}
	return r.linked(p, e)
}

// linked says whether a file of a folder is a link to one that may not be touched.
func (r *runner) linked(p string, e fs.DirEntry) error {
	if e.Type()&fs.ModeSymlink == 0 {
		return nil
	}
	if real, err := filepath.EvalSymlinks(p); err == nil && r.protected(real) != "" {
		return fmt.Errorf("%s leads to a file that may not be touched", filepath.Base(p))
	}
	return nil
}

// names are the files of a folder that have more than one name, with how many of those were found in it.
type names map[inode]*named

type inode struct{ dev, ino uint64 }

type named struct {
	name        string
	found, have uint64
}

func (n names) add(p string, e fs.DirEntry) {
	if !e.Type().IsRegular() {
		return
	}
	info, err := e.Info()
	if err != nil || !secondName(info) {
		return // what is gone cannot be read either
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	id := inode{uint64(st.Dev), st.Ino} //nolint:unconvert // int32 on some systems
	if n[id] == nil {
		n[id] = &named{name: p, have: links(info)}
	}
	n[id].found++
}

// elsewhere says that a file has a name outside the folder. Where all of its names are inside, each was looked at.
func (n names) elsewhere() error {
	for _, f := range n {
		if f.found < f.have {
			return fmt.Errorf("%s, which lies in it, has a second name elsewhere. Leave that folder out, or name the files: "+
				"find … | xargs …", filepath.Base(f.name))
		}
	}
	return nil
}
