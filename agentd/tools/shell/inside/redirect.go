package inside

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
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"gatehouse/agentd/policy"
)

// redirect opens what a statement reads from and writes to. done closes it again, also after an error.
func (r *runner) redirect(redirs []*syntax.Redirect, s streams) (_ streams, done func(), err error) {
	var opened []*os.File
	done = func() {
		for _, f := range opened {
			_ = f.Close() // what was written is written; a failed close of a file here has nobody to tell
		}
	}
	for _, rd := range redirs {
		f, err := r.target(rd, s)
		if err != nil {
			return s, done, err
		}
		if f != s.out && f != s.err {
			opened = append(opened, f)
		}
		s = s.with(rd, f)
	}
	return s, done, nil
}

// with puts f where the redirection says.
func (s streams) with(rd *syntax.Redirect, f *os.File) streams {
	switch {
	case rd.Op == syntax.RdrAll || rd.Op == syntax.AppAll:
		s.out, s.err = f, f
	case rd.N != nil && rd.N.Value == "2":
		s.err = f
	case rd.N != nil && rd.N.Value == "0", rd.N == nil && readsIn(rd.Op):
		s.in = f
	default:
		s.out = f
	}
	return s
}

func readsIn(op syntax.RedirOperator) bool {
	return op == syntax.RdrIn || op == syntax.Hdoc || op == syntax.DashHdoc || op == syntax.WordHdoc
}

func (r *runner) target(rd *syntax.Redirect, s streams) (*os.File, error) {
	switch rd.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		return r.document(rd, s)
	case syntax.WordHdoc:
		text, err := r.literal(rd.Word, s)
		if err != nil {
			return nil, err
		}
		return feed(text + "\n")
	}
	if p, ok := rd.Word.Parts[0].(*syntax.ProcSubst); ok && len(rd.Word.Parts) == 1 && rd.Op == syntax.RdrIn {
		return r.fed(p, s)
	}
	name, err := r.literal(rd.Word, s)
	if err != nil {
		return nil, err
	}
	switch rd.Op {
	case syntax.DplOut:
		if name == "1" {
			return s.out, nil
		}
		return s.err, nil
	case syntax.RdrIn:
		return r.open(name, os.O_RDONLY, false)
	case syntax.AppOut, syntax.AppAll:
		return r.open(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, false)
	case syntax.RdrOut, syntax.RdrClob, syntax.RdrAll:
		return r.open(name, os.O_WRONLY|os.O_CREATE, true)
	}
	return nil, fmt.Errorf("refused: this shell does not know %s", rd.Op)
}

// document is a text that stands in the command itself. Tabs at the start of its lines go with <<-.
func (r *runner) document(rd *syntax.Redirect, s streams) (*os.File, error) {
	if rd.Hdoc == nil {
		return feed("")
	}
	text, err := expand.Document(r.config(s), rd.Hdoc)
	if err != nil {
		return nil, err
	}
	if rd.Op == syntax.DashHdoc {
		text = strings.ReplaceAll("\n"+text, "\n\t", "\n")[1:]
	}
	return feed(text)
}

// feed is text as a file to read from: memory, not a pipe that somebody would have to fill.
func feed(text string) (*os.File, error) {
	fd, err := unix.MemfdCreate("text", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("share text: %w", err)
	}
	f := os.NewFile(uintptr(fd), "text")
	_, err = f.WriteString(text)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("share text: %w", err)
	}
	return f, nil
}

// open opens a real file for a redirection, after the same look that a command gets. Only plain files and the
// harmless devices are opened, and nothing is emptied before that is known.
func (r *runner) open(name string, flags int, empty bool) (*os.File, error) {
	write := flags != os.O_RDONLY
	plan := policy.Redirected(name, write, empty, r.here())
	if plan.Class.Tier.Rank() > r.allowed.Rank() {
		return nil, fmt.Errorf("refused: %s: %s", name, plan.Class.Why)
	}
	real, err := r.lead(name, write)
	if err := errors.Join(r.mayTouch(plan), r.noWayBack([]string{name}, false), err); err != nil {
		return nil, fmt.Errorf("refused: %s: %w", name, err)
	}
	f, inside, err := r.openAs(name, real, flags|syscall.O_NONBLOCK|syscall.O_NOCTTY)
	if err != nil {
		return nil, err
	}
	own := write || inside
	if err := settle(f, own, empty); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// openAs opens what a name was found to lead to. In the data root that is what was looked at, and no link that is there
// by now, in no part of its name.
func (r *runner) openAs(name, real string, flags int) (f *os.File, inside bool, err error) {
	if p := r.abs(name); !strings.HasPrefix(p, r.env.Root+"/") {
		f, err = os.OpenFile(p, flags, 0o644)
		return f, false, err
	}
	f, err = openExactly(real, flags)
	return f, true, err
}

// openExactly opens the file of an absolute name that holds no links, from folder to folder: a link that has come to
// stand in it meanwhile is not followed.
func openExactly(name string, flags int) (*os.File, error) {
	dir, base := filepath.Split(name)
	at, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	for _, part := range strings.FieldsFunc(dir, func(c rune) bool { return c == '/' }) {
		if err != nil {
			break
		}
		above := at
		at, err = unix.Openat(above, part, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		_ = unix.Close(above) // it is a place, and nothing was written to it
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	defer func() { _ = unix.Close(at) }()
	fd, err := unix.Openat(at, base, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o644)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

// settle checks what was opened, empties it if that is asked, and gives it back the way programs expect it. A file of the
// data folder has one name: another one may be that of a file that may not be touched.
func settle(f *os.File, own, empty bool) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.Mode()&os.ModeDevice == 0 && (!info.Mode().IsRegular() || own && st.Nlink != 1) {
		return fmt.Errorf("refused: %s is not a plain file", f.Name())
	}
	if empty && info.Mode().IsRegular() {
		if err := f.Truncate(0); err != nil {
			return err
		}
	}
	return unix.SetNonblock(int(f.Fd()), false)
}

// here is the environment in which real words are judged: relative ones start from the working folder.
func (r *runner) here() policy.Env {
	env := r.env
	env.Cwd = r.dir
	for i := range r.feeds {
		env.Feeds = append(env.Feeds, feedName(i))
	}
	return env
}
