package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Sandbox runs programs that see one data folder.
type Sandbox struct {
	root       string
	scratch    string
	landlock   int               // version of the kernel's Landlock
	protection func() Protection // what the probe found; waits for its end
}

// Protection is what holds for programs on this machine, found out by trying.
type Protection struct {
	Landlock   int    // version of the kernel's Landlock; 0: none
	Namespaces bool   // no network at all, and nothing survives the first process
	Off        string // why no program is run; empty when all is well
	Lacking    string // why there are no namespaces; empty when there are
}

// New makes the sandbox for a data folder and has it probed in the background: a confined process tries to read and write
// a file in the state directory and to reach the network. Unless all of that fails, no program will ever run, and
// Protection says why. Whoever asks for the protection, or runs a program, waits for the probe.
func New(ctx context.Context, root, state string) (*Sandbox, error) {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	s := &Sandbox{root: real, scratch: filepath.Join(state, "scratch")}
	if err := errors.Join(os.RemoveAll(s.scratch), os.MkdirAll(s.scratch, 0o700)); err != nil {
		return nil, fmt.Errorf("scratch folder: %w", err)
	}
	secret := filepath.Join(s.scratch, "probe")
	if err := os.WriteFile(secret, []byte("not for tools\n"), 0o600); err != nil {
		return nil, fmt.Errorf("scratch folder: %w", err)
	}
	if v, err := ll.LandlockGetABIVersion(); err == nil {
		s.landlock = v
	}
	s.protection = sync.OnceValue(func() Protection { return s.probe(ctx, secret) })
	go s.protection()
	return s, nil
}

// Protection says what holds.
func (s *Sandbox) Protection() Protection { return s.protection() }

// probe tries with namespaces, then without.
func (s *Sandbox) probe(ctx context.Context, secret string) Protection {
	p := Protection{Landlock: s.landlock}
	if p.Landlock < minLandlock {
		p.Off = fmt.Sprintf("this kernel cannot keep programs inside the data folder (Landlock version %d, needed %d: "+
			"Linux 5.19 or newer with Landlock switched on)", p.Landlock, minLandlock)
		return p
	}
	with := s.try(ctx, secret, true)
	if p.Namespaces = with == nil; p.Namespaces {
		return p
	}
	p.Lacking = with.Error()
	if without := s.try(ctx, secret, false); without != nil {
		p.Off = without.Error()
	}
	return p
}

// Harden hides this process from others of the same user: no memory, no environment, no core file. agentd calls it at
// its start.
func Harden() error {
	return errors.Join(unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0), unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}))
}
