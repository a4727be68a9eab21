package filedelete

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
)

// measure resolves what a name means. A name that exists as it stands is itself, even with a star in it.
func (t *Tool) measure(ctx context.Context, rel string) (list, error) {
	names := []string{rel}
	if _, err := t.root.Lstat(rel); err != nil {
		start, isGlob := policy.GlobRoot(rel)
		if !isGlob || !errors.Is(err, fs.ErrNotExist) {
			return nil, dataroot.Explain(rel, err)
		}
		if names, err = t.glob(ctx, path.Clean("./"+start), rel); err != nil {
			return nil, err
		}
	}
	var l list
	for _, n := range names {
		var err error
		if l, err = t.add(ctx, l, n); err != nil {
			return nil, err
		}
	}
	if len(l) == 0 {
		return nil, tool.Refuse("Nothing matches %s.", rel)
	}
	return l, nil
}

// glob finds the names that match a pattern; ** stands for any number of folders.
func (t *Tool) glob(ctx context.Context, start, pattern string) ([]string, error) {
	if !strings.Contains(pattern, "**") {
		names, err := fs.Glob(t.root.FS(), pattern)
		if err != nil {
			return nil, tool.Refuse("%s is not a pattern.", pattern)
		}
		return names, nil
	}
	var out []string
	seen := 0
	err := fs.WalkDir(t.root.FS(), start, func(p string, _ fs.DirEntry, err error) error {
		if seen++; seen > 10*maxEntries {
			return tool.Refuse("%s looks at too many files: name a smaller folder.", pattern)
		}
		if err == nil && matchParts(strings.Split(pattern, "/"), strings.Split(p, "/")) {
			out = append(out, p)
		}
		return errors.Join(ctx.Err(), ignoreGone(err))
	})
	return outermost(out), explain(start, err)
}

func matchParts(pattern, name []string) bool {
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == "**":
		return matchParts(pattern[1:], name) || len(name) > 0 && matchParts(pattern, name[1:])
	case len(name) == 0:
		return false
	}
	ok, err := path.Match(pattern[0], name[0])
	return err == nil && ok && matchParts(pattern[1:], name[1:])
}

// outermost leaves out what lies in a folder that is named as well. The names are sorted.
func outermost(names []string) []string {
	var out []string
	for _, n := range names {
		if len(out) == 0 || !strings.HasPrefix(n, out[len(out)-1]+"/") {
			out = append(out, n)
		}
	}
	return out
}

// add puts one name and, for a folder, all in it on the list.
func (t *Tool) add(ctx context.Context, l list, rel string) (list, error) {
	parent, err := t.root.Folder(path.Dir(rel))
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	info, err := parent.Lstat(path.Base(rel))
	if err != nil {
		return nil, dataroot.Explain(rel, err)
	}
	real := parent.Path(path.Base(rel)) // links in the folders above resolved
	if info.IsDir() {
		if l, err = t.addFolder(ctx, l, real); err != nil {
			return nil, err
		}
	}
	if len(l) >= maxEntries {
		return nil, tool.Refuse("That is more than %d files and folders: delete in smaller steps.", maxEntries)
	}
	return append(l, newEntry(real, info)), nil
}

func (t *Tool) addFolder(ctx context.Context, l list, rel string) (list, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	folder, err := t.root.Folder(rel)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	entries, err := folder.Entries()
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if l, err = t.add(ctx, l, rel+"/"+e.Name()); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func explain(rel string, err error) error {
	var refused *tool.Refused
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return refused
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("measure %s: %w", rel, err)
	}
	return dataroot.Explain(rel, err)
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
