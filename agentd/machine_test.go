package agentd

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"gatehouse/agentd/policy"
)

// onDisk names the folder in which the test goes on as a process of its own, where it may mount a small disk.
const onDisk = "AGENTD_TEST_DISK"

// TestMachine_smallDisk fills a real disk under the records: changes are held back before it is full.
func TestMachine_smallDisk(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(onDisk); dir != "" {
		smallDisk(t, dir)
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), onDisk+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if began := err == nil || errors.As(err, new(*exec.ExitError)); !began || bytes.Contains(out, []byte("no disk")) {
		t.Skipf("this machine gives no namespaces: %v", err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func smallDisk(t *testing.T, dir string) {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=20m,mode=0700"); err != nil {
		t.Fatalf("no disk: %v", err)
	}
	now := time.Now()
	m := &machine{state: dir, data: t.TempDir(), now: func() time.Time { return now }}
	short := func() bool {
		left := m.Left()
		left.Data, left.Memory = policy.Disk{}, 0 // those of whoever runs the test
		s, short := left.Short(policy.Class{Tier: policy.Yellow}, false)
		return short && s.What == "the disk of the records"
	}
	if got := m.Left(); got.State.Free < 15<<20 || got.State.Total != 20<<20 || got.Memory <= 0 || got.Data.Total <= 0 {
		t.Fatalf("of a new disk %+v are left", got)
	}
	if short() {
		t.Error("an empty disk is short")
	}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 20<<20-900<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	if short() {
		t.Error("it looked again within a second")
	}
	now = now.Add(freshFor)
	if !short() {
		t.Errorf("with 900 kB of 20 MB nothing is short: %+v", m.Left())
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	now = now.Add(-time.Hour) // a clock that is put back
	if short() {
		t.Error("with room again it is still short")
	}
}

func BenchmarkMachine(b *testing.B) {
	m := &machine{state: b.TempDir(), data: b.TempDir(), now: time.Now}
	b.Run("look", func(b *testing.B) {
		for b.Loop() {
			_ = m.look()
		}
	})
	b.Run("known", func(b *testing.B) {
		for b.Loop() {
			_ = m.Left()
		}
	})
}
