package files

import (
	"context"
	"io/fs"
	"os"
	"strings"

	"gatehouse/agentd/wire"
)

// Each gives everything below the data folder that is no folder, and folders that may hold secrets or cannot be read, as a whole.
func (f *Files) Each(ctx context.Context, do func(wire.FileInfo) error) error {
	return fs.WalkDir(f.d.Root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case p == ".":
			return err // of the data folder itself
		case err != nil:
			return after(do(wire.FileInfo{Path: p, Kind: wire.FileOther}), d)
		case strings.HasPrefix(d.Name(), tempPrefix):
			return skip(d)
		case d.IsDir() && !f.closed(p):
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // it is gone since it was listed
		}
		return after(do(f.info(p, info)), d)
	})
}

// after goes on behind an entry that was given.
func after(err error, d fs.DirEntry) error {
	if err != nil {
		return err
	}
	return skip(d)
}

// OpenPlain opens a plain file that a person may look at.
func (f *Files) OpenPlain(name string) (*os.File, fs.FileInfo, error) {
	_, file, info, err := f.open(name)
	return file, info, err
}
