package dataroot

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
)

// Root is an open data folder.
type Root struct {
	env  policy.Env
	real string // where the handle really leads, links resolved
	dev  uint64
	root *os.Root
}

// Open opens the data folder dir of a server whose own files lie in state. Both are absolute and neither lies in the
// other.
func Open(dir, state string) (*Root, error) {
	dir, state = resolved(dir), resolved(state)
	if !filepath.IsAbs(dir) || !filepath.IsAbs(state) || within(dir, state) || within(state, dir) {
		return nil, fmt.Errorf("data folder %s and state directory %s must be absolute and apart", dir, state)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open data folder: %w", err)
	}
	r := &Root{env: policy.Env{Root: dir, State: state}, root: root}
	if err := r.pin(); err != nil {
		_ = root.Close()
		return nil, err
	}
	return r, nil
}

// resolved is a clean path without links, as far as it exists.
func resolved(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return filepath.Clean(dir)
}

// pin notes where the handle leads and on which device.
func (r *Root) pin() error {
	f, err := r.root.Open(".")
	if err != nil {
		return fmt.Errorf("open data folder: %w", err)
	}
	defer f.Close()
	st, err := stat(f)
	if err != nil {
		return err
	}
	r.dev = uint64(st.Dev) //nolint:unconvert // int32 on some systems
	r.real, err = nameOf(f)
	return err
}

// Close lets go of the folder.
func (r *Root) Close() error { return r.root.Close() }

// Env is what calls on this folder are judged with.
func (r *Root) Env() policy.Env { return r.env }

// Name gives the name beneath the folder that a path of a call means.
func (r *Root) Name(path string) (string, error) {
	rel, why, ok := policy.Rel(path, r.env)
	if !ok {
		return "", tool.Refuse("%s", why)
	}
	return rel, nil
}

// Open opens a regular file for reading. It refuses everything else: folders, devices, pipes, files with a second
// name (it could be a file from elsewhere), files on another device, and files that nobody may touch.
func (r *Root) Open(rel string) (*os.File, fs.FileInfo, error) {
	info, err := r.root.Stat(rel)
	if err != nil {
		return nil, nil, Explain(rel, err)
	}
	if !info.Mode().IsRegular() { // before opening: opening a device can already do something
		return nil, nil, tool.Refuse("%s is not a plain file.", rel)
	}
	f, err := r.root.OpenFile(rel, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, Explain(rel, err)
	}
	if info, err = r.check(f, rel); err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// ReadFile reads a file that Open opens, up to limit bytes.
func (r *Root) ReadFile(rel string, limit int64) ([]byte, error) {
	f, info, err := r.Open(rel)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > limit {
		return nil, tooLarge(rel, info.Size(), limit)
	}
	return readAll(f, rel, limit)
}

func readAll(f *os.File, rel string, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(f, limit+1)) // it may grow while we read
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", rel, err)
	}
	if int64(len(b)) > limit {
		return nil, tooLarge(rel, int64(len(b)), limit)
	}
	return b, nil
}

func tooLarge(rel string, n, limit int64) error {
	return tool.Refuse("%s holds %s; files up to %s are handled. Use head, tail or grep on it.", rel, tool.Bytes(n), tool.Bytes(limit))
}

// Lstat looks at an entry itself, not at what it may link to. Errors are those of the file system.
func (r *Root) Lstat(rel string) (fs.FileInfo, error) { return r.root.Lstat(rel) }

// check looks at what was really opened.
func (r *Root) check(f *os.File, rel string) (fs.FileInfo, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("stat %s: %w", rel, err)
	}
	st, err := stat(f)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, tool.Refuse("%s is not a plain file.", rel)
	case st.Nlink != 1:
		return nil, tool.Refuse("%s has a second name elsewhere and is not touched.", rel)
	case uint64(st.Dev) != r.dev: //nolint:unconvert // int32 on some systems
		return nil, tool.Refuse("%s lies on another device.", rel)
	}
	_, err = r.realName(f, rel)
	return info, err
}

// realName is the name beneath the folder where f really lies, links resolved.
func (r *Root) realName(f *os.File, rel string) (string, error) {
	name, err := nameOf(f)
	if err != nil {
		return "", err
	}
	if name == r.real {
		return ".", nil
	}
	name, ok := strings.CutPrefix(name, strings.TrimSuffix(r.real, "/")+"/")
	if !ok {
		return "", tool.Refuse("%s leads out of the data folder.", rel)
	}
	if why := policy.Protected(name, r.env); why != "" {
		return "", tool.Refuse("%s may not be touched. %s", rel, why)
	}
	return name, nil
}

func stat(f *os.File) (*syscall.Stat_t, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("stat: %w", err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil, errors.New("stat: no numbers of the system")
	}
	return st, nil
}

// nameOf asks the kernel where an open file lies.
func nameOf(f *os.File) (string, error) {
	name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return "", fmt.Errorf("name of open file: %w", err)
	}
	return name, nil
}

func within(p, dir string) bool {
	return p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}
