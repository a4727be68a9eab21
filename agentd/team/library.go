package team

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
)

//go:embed templates
var templates embed.FS

// starters are the agents that every server begins with; the others wait in the library.
var starters = []string{Dispatcher, "it-admin", "secretary"}

// Library is the templates of agents, a folder each.
type Library struct{ files fs.FS }

// Shipped is the library of this version.
func Shipped() Library {
	sub, err := fs.Sub(templates, "templates")
	if err != nil {
		panic("templates: " + err.Error()) // the name is a constant
	}
	return LibraryOf(sub)
}

// LibraryOf is the library in a file system.
func LibraryOf(files fs.FS) Library { return Library{files} }

// IDs lists the templates.
func (l Library) IDs() ([]string, error) {
	entries, err := fs.ReadDir(l.files, ".")
	if err != nil {
		return nil, fmt.Errorf("read templates: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() {
			ids = append(ids, e.Name())
		}
	}
	slices.SortFunc(ids, byID)
	return ids, nil
}

// Files gives a template, or ErrUnknown.
func (l Library) Files(id string) (Files, error) {
	all := Files{}
	for _, name := range FileNames {
		b, err := fs.ReadFile(l.files, path.Join(id, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read template %s: %w", id, err)
		}
		all[name] = string(b)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrUnknown, id)
	}
	return all, nil
}

// Files are the files of an agent: texts by name.
type Files map[string]string

// FileNames are the files that an agent can have, in the order in which they stand in its prompt; the first describes it to
// people and says which tools it has.
var FileNames = append([]string{descriptor}, promptFiles...)

// Names lists the files that are there, in the order of FileNames.
func (f Files) Names() []string {
	return slices.DeleteFunc(slices.Clone(FileNames), func(name string) bool { _, ok := f[name]; return !ok })
}

// Sum names what stands in the files: another text has another sum.
func (f Files) Sum() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(h, "%s %d\n%s", name, len(f[name]), f[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}
