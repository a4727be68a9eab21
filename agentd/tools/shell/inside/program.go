package inside

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"gatehouse/agentd/policy"
)

// aliases are commands that distributions ship as scripts for a shell.
var aliases = map[string][]string{
	"egrep": {"grep", "-E"}, "fgrep": {"grep", "-F"}, "zcat": {"gzip", "-dc"}, "gunzip": {"gzip", "-d"},
}

// alias gives the words that really start: scripts become the program behind them, and what was judged as reading is
// held to it.
func alias(argv []string, plan policy.ShellPlan) []string {
	if to, ok := aliases[filepath.Base(argv[0])]; ok {
		return slices.Concat(to, argv[1:])
	}
	if plan.Class.Tier == policy.Green {
		return hold(argv, plan.Programs)
	}
	return argv
}

var (
	errMissing = errors.New("not installed on this server")
	errScript  = errors.New("a script, and no shell is run")
)

// find gives the file of a program by the fixed list of folders.
func find(name string) (string, error) {
	f, err := open(name)
	if f == nil {
		return "", err
	}
	return f.Name(), errors.Join(err, f.Close())
}

// open is find for a program that is to be started: what was looked at is what starts (process), whatever takes its name
// meanwhile. With an error there is a file only if a program of that name is there that does not start.
func open(name string) (*os.File, error) { return openIn(policy.Binaries, filepath.Base(name)) }

func openIn(dirs []string, name string) (*os.File, error) {
	for _, dir := range dirs {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		return f, isBinary(f)
	}
	return nil, fmt.Errorf("%s: %w", name, errMissing)
}

// isBinary refuses scripts: starting one would start a shell.
func isBinary(f *os.File) error {
	name := filepath.Base(f.Name())
	magic := make([]byte, 4)
	if _, err := io.ReadFull(f, magic); err != nil || !bytes.Equal(magic, []byte("\x7fELF")) {
		return fmt.Errorf("%s: %w", name, errScript)
	}
	real, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return err
	}
	if !strings.HasPrefix(real, "/") || strings.HasSuffix(real, " (deleted)") { // the kernel knows no name of it any more
		return fmt.Errorf("%s: it is being replaced, try again", name)
	}
	if why := policy.Never(filepath.Base(real)); why != "" { // a link to a shell
		return fmt.Errorf("%s: %s", name, why)
	}
	return nil
}

// process starts a program by its open file, which it is given behind the others.
func (r *runner) process(program *os.File, argv, env []string, more ...*os.File) exec.Cmd {
	files := slices.Concat(more, []*os.File{program})
	return exec.Cmd{
		Path: fmt.Sprintf("/proc/self/fd/%d", 2+len(files)), Args: argv, Env: slices.Concat(r.programEnv, env), Dir: r.dir,
		ExtraFiles: files, SysProcAttr: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL},
	}
}

func path() string { return strings.Join(policy.Binaries, ":") }
