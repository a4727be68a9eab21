package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"gatehouse/agentd/vault"
)

// TestProcess_noCore crashes the shipped binary while it holds secrets. The kernel writes its memory to no file and shows it
// to nobody of the same user, and what the crash says holds no secret.
func TestProcess_noCore(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	s := start(t, h, "GOTRACEBACK=crash")
	s.kill()
	var seeds strings.Builder
	for i := range 5 {
		fmt.Fprintf(&seeds, "%s=%s\n", seedName(i), seedValue(i))
	}
	if err := os.WriteFile(filepath.Join(s.state, vault.SeedFile), []byte(seeds.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s.asNobody()
	s.back()
	if got := len(s.secrets()); got != 5 {
		t.Fatalf("%d secrets of 5", got)
	}
	s.coreless()
	s.hidden()
	s.signal(syscall.SIGABRT)
	s.end()
	if end := s.cmd.ProcessState.Sys().(syscall.WaitStatus); end.Signal() != syscall.SIGABRT || end.CoreDump() {
		t.Errorf("it ended by %v, with a core file: %t", end.Signal(), end.CoreDump())
	}
	if said := s.log.String(); !strings.Contains(said, "SIGABRT") {
		t.Errorf("nothing about the crash in %q", said)
	}
	s.noCanary()
}

// asNobody lets root's server run as somebody else from now on: only then the kernel says whether it is hidden.
func (s *server) asNobody() {
	s.t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	path, err := binary()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, dir := range []string{filepath.Dir(path), filepath.Dir(s.dir)} {
		if err := os.Chmod(dir, 0o755); err != nil {
			s.t.Fatal(err)
		}
	}
	const nobody = 65534
	s.user = &syscall.Credential{Uid: nobody, Gid: nobody}
	err = filepath.WalkDir(s.dir, func(p string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(p, nobody, nobody)
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// hidden fails unless the memory of the process belongs to root, as that of one does which must not be dumped.
func (s *server) hidden() {
	s.t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(fmt.Sprintf("/proc/%d/mem", s.cmd.Process.Pid), &st); err != nil || st.Uid != 0 {
		s.t.Errorf("its memory belongs to user %d, %v", st.Uid, err)
	}
}

// coreless fails unless the limit of the process for core files is nothing.
func (s *server) coreless() {
	s.t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", s.cmd.Process.Pid))
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "Max core file size"); ok {
			if f := strings.Fields(rest); len(f) < 2 || f[0] != "0" || f[1] != "0" {
				s.t.Errorf("it may write core files: %s", line)
			}
			return
		}
	}
	s.t.Errorf("no limit in %s", b)
}
