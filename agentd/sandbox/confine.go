package sandbox

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// confine takes away from this thread what a tool must not have. The order matters: what needs rights comes before they go.
func confine(s spec) error {
	if err := dieWithParent(); err != nil {
		return fmt.Errorf("die with agentd: %w", err)
	}
	firstToDie()
	if err := limit(s); err != nil {
		return err
	}
	if s.Namespaces {
		if err := restrictMounts(s); err != nil {
			return err
		}
	}
	if err := os.Chdir(s.Root); err != nil {
		return fmt.Errorf("go to the data folder: %w", err)
	}
	if err := dropRights(); err != nil {
		return err
	}
	if err := restrictFiles(s); err != nil {
		return err
	}
	return filterCalls(s)
}

// firstToDie makes the kernel choose these processes when memory runs out. It is a wish, not a wall.
func firstToDie() { _ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) }

func limit(s spec) error {
	seconds, procs := uint64(s.CPU/time.Second)+1, uint64(maxProcs)
	if !s.Namespaces { // the kernel counts everything of the user then, agentd included
		procs = maxUserProcs
	}
	limits := map[int]uint64{
		unix.RLIMIT_CORE: 0, unix.RLIMIT_CPU: seconds, unix.RLIMIT_FSIZE: maxFile, unix.RLIMIT_NOFILE: maxFiles, unix.RLIMIT_NPROC: procs,
	}
	if !raceEnabled { // the race detector maps terabytes
		limits[unix.RLIMIT_AS] = maxMemory
	}
	for what, n := range limits {
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			return fmt.Errorf("set limit %d: %w", what, err)
		}
	}
	return nil
}

// dropRights makes sure that no program started from here ever has a capability, whoever its user is.
func dropRights() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	const noRoot = 1<<0 | 1<<1 | 1<<2 | 1<<3 // SECBIT_NOROOT, SECBIT_NO_SETUID_FIXUP and their locks
	err := unix.Prctl(unix.PR_SET_SECUREBITS, noRoot, 0, 0, 0)
	if err != nil && !errors.Is(err, unix.EPERM) { // without the right to do so there are no rights to drop
		return fmt.Errorf("drop the rights of root: %w", err)
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("drop rights: %w", err)
	}
	for c := range uintptr(unix.CAP_LAST_CAP + 1) {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); errors.Is(err, unix.EPERM) {
			break
		} else if err != nil && !errors.Is(err, unix.EINVAL) { // a right that this kernel does not know
			return fmt.Errorf("drop right %d: %w", c, err)
		}
	}
	return nil
}
