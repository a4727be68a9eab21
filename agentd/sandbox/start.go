package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Job is one run of a program in the sandbox.
type Job struct {
	Program string
	Args    any           // given to the program as JSON
	Out     io.Writer     // standard output and error, in the order of writing
	CPU     time.Duration // processor time; 0: a minute
	// Machine lets it see the machine's processes and network tables, still without reaching either. It is meant for
	// programs that are known to only look and to leave nothing running.
	Machine bool
	// Services lets it reach the services of this machine that listen on unix sockets: what it asks of them they do outside
	// the sandbox. It is meant for programs that are nothing without one, as a client of a database.
	Services bool
}

// ErrSetup says that a process could not be confined, so that nothing was run.
var ErrSetup = errors.New("the sandbox could not be set up")

// Run runs a job and answers its exit status. When ctx ends, every process of it is killed at once.
func (s *Sandbox) Run(ctx context.Context, job Job) (int, error) {
	p := s.Protection()
	if p.Off != "" {
		return 0, fmt.Errorf("%w: %s", ErrSetup, p.Off)
	}
	return s.run(ctx, job, p.Namespaces)
}

func (s *Sandbox) run(ctx context.Context, job Job, namespaces bool) (int, error) {
	scratch, err := os.MkdirTemp(s.scratch, "run-")
	if err != nil {
		return 0, fmt.Errorf("make scratch folder: %w", err)
	}
	defer os.RemoveAll(scratch)
	args, err := json.Marshal(job.Args)
	if err != nil {
		return 0, fmt.Errorf("write job: %w", err)
	}
	if job.CPU == 0 {
		job.CPU = time.Minute
	}
	sp, err := json.Marshal(spec{Program: job.Program, Args: args, Root: s.root, Scratch: scratch, Namespaces: namespaces, Machine: job.Machine, Services: job.Services, CPU: job.CPU + cpuReserve})
	if err != nil {
		return 0, fmt.Errorf("write job: %w", err)
	}
	return start(ctx, sp, job.Out, spaces(namespaces, job.Machine))
}

// start starts the process, hands it the spec, hears whether it is confined, and waits for its end.
func start(ctx context.Context, sp []byte, out io.Writer, spaces uintptr) (int, error) {
	cmd, err := command(spaces)
	if err != nil {
		return 0, err
	}
	cmd.Stdout, cmd.Stderr = out, out // the same writer: one pipe, so the order stays
	shared, err := share(sp)
	if err != nil {
		return 0, err
	}
	statusR, statusW, err := os.Pipe()
	if err != nil {
		return 0, errors.Join(fmt.Errorf("pipe: %w", err), shared.Close())
	}
	defer statusR.Close()
	cmd.ExtraFiles = []*os.File{shared, statusW}
	// The kernel kills the child when the thread that made it ends: this thread stays until the child is gone.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err = cmd.Start()
	if err = errors.Join(err, shared.Close(), statusW.Close()); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrSetup, err)
	}
	release := context.AfterFunc(ctx, func() { killGroup(cmd) })
	defer release()
	status, err := io.ReadAll(io.LimitReader(statusR, 4096))
	return end(ctx, cmd, string(status), err)
}

// share puts the spec into memory that the child can read.
func share(sp []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("spec", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("share memory: %w", err)
	}
	f := os.NewFile(uintptr(fd), "spec")
	if _, err := f.Write(sp); err != nil {
		return nil, errors.Join(fmt.Errorf("share memory: %w", err), f.Close())
	}
	return f, nil
}

// end waits for the process and says how it ended.
func end(ctx context.Context, cmd *exec.Cmd, status string, rerr error) (int, error) {
	untilGone(cmd.Process.Pid)
	killGroup(cmd) // whatever it left behind; its number is still its own
	werr := cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case status != "ok":
		return 0, fmt.Errorf("%w: %s", ErrSetup, orElse(status, "the process ended early"))
	case rerr != nil:
		return 0, fmt.Errorf("%w: %w", ErrSetup, rerr)
	}
	var exit *exec.ExitError
	if werr != nil && !errors.As(werr, &exit) && !errors.Is(werr, exec.ErrWaitDelay) {
		return 0, fmt.Errorf("wait for the sandbox: %w", werr)
	}
	return statusOf(cmd.ProcessState), nil
}

// untilGone waits for the end of a child without taking note of it, so that its number is not given away.
func untilGone(pid int) {
	for {
		var info unix.Siginfo
		if err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT, nil); !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// killGroup kills the process and all that it started. In a process namespace of its own, nothing survives its first
// process.
func killGroup(cmd *exec.Cmd) { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }

// command is the process that agentd starts: the confined one, or the one between when agentd hides its memory.
func command(spaces uintptr) (*exec.Cmd, error) {
	visible, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	if err != nil {
		return nil, fmt.Errorf("ask the kernel: %w", err)
	}
	cmd := taking(spaces)
	if spaces != 0 && visible != 1 && os.Geteuid() != 0 {
		cmd = self(stepOuter)
		cmd.Env = append(cmd.Env, spacesEnv+"="+strconv.FormatUint(uint64(spaces), 10))
	}
	cmd.SysProcAttr.Setpgid = true
	cmd.WaitDelay = 500 * time.Millisecond // for output that a process it left behind still holds
	return cmd, nil
}

// spaces are the namespaces of their own that processes get, as flags of clone.
func spaces(namespaces, machine bool) uintptr {
	switch {
	case !namespaces:
		return 0
	case machine:
		return unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	}
	return unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWNET | unix.CLONE_NEWPID
}

// taking is the command of the process that confines itself.
func taking(spaces uintptr) *exec.Cmd {
	cmd := self(stepTake)
	if spaces != 0 {
		cmd.SysProcAttr.Cloneflags = spaces
		// The rights of the new namespace, and of nothing else, until it is set up.
		cmd.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP}
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	}
	return cmd
}

// self is this binary again, with an empty environment.
func self(step string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", Command, step)
	cmd.Env = []string{"GOMAXPROCS=2", "GOTRACEBACK=none"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}
