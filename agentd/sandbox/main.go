package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// The file descriptors that agentd hands to the confined process besides the standard ones. Programs inherit neither.
const (
	specFD   = 3
	statusFD = 4
)

// The steps of becoming confined, as the second argument of the hidden subcommand.
const (
	stepOuter  = "outer"  // between agentd and the next, when agentd hides its memory
	stepTake   = "take"   // takes everything away from one thread, and begins anew on it
	stepInside = "inside" // confined
	none       = "-"      // this is no such process
)

// spacesEnv tells the process between which namespaces to make.
const spacesEnv = "SPACES"

// The steps before the last need this package alone. They end here: to begin the rest of the program would take them
// several times as long as what they do.
func init() {
	switch step() {
	case stepOuter:
		os.Exit(outside())
	case stepTake:
		os.Exit(failed(take()))
	}
}

// Main runs a program when this process was started as a confined one, and never returns then. It must be called before
// anything opens files or starts threads of its own: first in main, or when a package begins.
func Main(programs ...Program) {
	switch step() {
	case none:
	case stepInside:
		os.Exit(inside(programs))
	default:
		os.Exit(exitSetup)
	}
}

// step is the step that this process was started for.
func step() string {
	if len(os.Args) != 3 || os.Args[1] != Command {
		return none
	}
	return os.Args[2]
}

// take confines the thread it runs on and starts this binary again on it: of all threads only this one lives on, so
// the new process is confined as a whole. It returns on an error only.
func take() error {
	runtime.LockOSThread()
	s, err := readSpec()
	if err != nil {
		return err
	}
	if err := confine(s); err != nil {
		return err
	}
	err = syscall.Exec("/proc/self/exe", []string{os.Args[0], Command, stepInside}, os.Environ())
	return fmt.Errorf("begin anew: %w", err)
}

// inside runs the program.
func inside(programs []Program) int {
	s, err := readSpec()
	if err == nil {
		err = closeInherited()
	}
	var run func(json.RawMessage, string) int
	if err == nil {
		run, err = find(s.Program, programs)
	}
	if err != nil {
		return failed(err)
	}
	if err := report("ok"); err != nil {
		return exitSetup
	}
	return run(s.Args, s.Scratch)
}

// closeInherited hides this process and sees to it that no program inherits a file.
func closeInherited() error {
	if err := unix.Close(specFD); err != nil {
		return fmt.Errorf("close spec: %w", err)
	}
	if err := unix.CloseRange(specFD, ^uint(0)>>33, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("close inherited files: %w", err)
	}
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

func find(name string, programs []Program) (func(json.RawMessage, string) int, error) {
	for _, p := range append([]Program{probeProgram}, programs...) {
		if p.Name == name {
			return p.Run, nil
		}
	}
	return nil, fmt.Errorf("this binary holds no program %q", name)
}

// readSpec reads what to do from memory that agentd shares. Its place is not moved: each step reads it.
func readSpec() (spec, error) {
	var s spec
	b, err := io.ReadAll(io.NewSectionReader(fdReader(specFD), 0, maxSpec))
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err != nil {
		return s, fmt.Errorf("read spec: %w", err)
	}
	return s, nil
}

type fdReader int

func (fd fdReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := unix.Pread(int(fd), p, off)
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return max(n, 0), err
}

// report tells agentd that the process is confined, or why not, and lets go of the way to agentd.
func report(text string) error {
	_, err := unix.Write(statusFD, []byte(text))
	return errors.Join(err, unix.Close(statusFD))
}

func failed(err error) int {
	_ = report(err.Error()) // agentd hears of it by the exit status at least
	return exitSetup
}

// outside is the process between: it only makes the namespaces, which agentd cannot because it hides its memory from
// other processes of its user, and with it the files through which a new namespace is set up.
func outside() int {
	if err := dieWithParent(); err != nil {
		return failed(err)
	}
	unix.CloseOnExec(specFD)
	unix.CloseOnExec(statusFD)
	flags, err := strconv.ParseUint(os.Getenv(spacesEnv), 10, 32)
	if err != nil {
		return failed(err)
	}
	cmd := taking(uintptr(flags))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{os.NewFile(specFD, "spec"), os.NewFile(statusFD, "status")}
	runtime.LockOSThread() // the kernel kills the child when the thread that made it ends
	if err := cmd.Start(); err != nil {
		return failed(err)
	}
	for _, f := range cmd.ExtraFiles {
		if err := f.Close(); err != nil {
			return exitSetup
		}
	}
	_ = cmd.Wait() // the status below says it all
	return statusOf(cmd.ProcessState)
}

// statusOf is the exit status as a shell would tell it.
func statusOf(p *os.ProcessState) int {
	if ws, ok := p.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return p.ExitCode()
}

func dieWithParent() error {
	return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
}
