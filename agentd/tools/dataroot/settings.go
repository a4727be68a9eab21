package dataroot

import (
	"os"
	"path"

	"golang.org/x/sys/unix"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
)

// ReadSettings reads a file of settings, which ReadFile refuses because it may hold secrets. Its caller never shows what
// is secret in it. The folder it really lies in must be one that may be touched, and its name must be its own.
func (r *Root) ReadSettings(rel string, limit int64) ([]byte, error) {
	folder, err := r.Folder(path.Dir(rel))
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	info, err := folder.Lstat(path.Base(rel))
	switch {
	case err != nil:
		return nil, Explain(rel, err)
	case !info.Mode().IsRegular():
		return nil, tool.Refuse("%s is not a plain file.", rel)
	case info.Size() > limit:
		return nil, tooLarge(rel, info.Size(), limit)
	}
	return folder.readOwn(path.Base(rel), rel, r, limit)
}

// readOwn reads a file by the name it has in this folder, following nothing.
func (f *Folder) readOwn(name, rel string, r *Root, limit int64) ([]byte, error) {
	file, err := f.root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, Explain(rel, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, Explain(rel, err)
	}
	st, err := stat(file)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || st.Nlink != 1 || uint64(st.Dev) != r.dev: //nolint:unconvert // int32 on some systems
		return nil, tool.Refuse("%s is not a plain file of its own.", rel)
	case path.Join(f.Rel, name) != rel && policy.Protected(f.Rel, r.env) != "":
		return nil, tool.Refuse("%s may not be touched.", rel)
	}
	return readAll(file, rel, limit)
}
