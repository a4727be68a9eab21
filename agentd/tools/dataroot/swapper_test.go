package dataroot_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gatehouse/agentd/tools/tooltest"
)

// swapperEnv names, for a process of its own, the folder in which it exchanges names until it is killed.
const swapperEnv = "DATAROOT_TEST_SWAPPER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(swapperEnv); dir != "" {
		swapForever(dir)
	}
	os.Exit(m.Run())
}

// swapForever exchanges a file with each of what it must not be taken for, as fast as the kernel does it.
func swapForever(dir string) {
	name := func(s string) string { return filepath.Join(dir, s) }
	for n := 0; ; n++ {
		for _, evil := range []string{"link", "hard", "deep"} {
			for range 2 { // there and back
				if err := unix.Renameat2(unix.AT_FDCWD, name("f"), unix.AT_FDCWD, name(evil), unix.RENAME_EXCHANGE); err != nil {
					os.Exit(1)
				}
			}
		}
		if n == 0 {
			_, _ = os.Stdout.WriteString("swapping\n") // who waits for it sees its end otherwise
		}
	}
}

// TestSwapper lets another process exchange a file with links and with a second name of a file outside, while it is read
// here: what was judged is not what is opened, and the outside is never read.
func TestSwapper(t *testing.T) {
	t.Parallel()
	d := tooltest.NewDir(t)
	outside := filepath.Join(d.Path, "outside")
	must(t, os.WriteFile(outside, []byte(canary), 0o644))
	d.Write(t, map[string]string{"dir/f": "inside"})
	at := filepath.Join(d.Data, "dir")
	must(t, os.Symlink(outside, filepath.Join(at, "link")))
	must(t, os.Symlink("../../outside", filepath.Join(at, "deep")))
	must(t, os.Link(outside, filepath.Join(at, "hard")))
	swapper := exec.CommandContext(t.Context(), "/proc/self/exe")
	swapper.Env = append(os.Environ(), swapperEnv+"="+at)
	out, err := swapper.StdoutPipe()
	must(t, err)
	must(t, swapper.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the swapper said %q, %v", line, err)
	}
	good, no := 0, 0
	for range 20_000 {
		switch b, err := d.Root.ReadFile("dir/f", 100); {
		case strings.Contains(string(b), canary):
			t.Fatal("the outside was read")
		case err == nil:
			good++
		default:
			no++
		}
	}
	must(t, swapper.Process.Kill())
	_ = swapper.Wait() // it was killed
	if good < 100 || no < 100 {
		t.Errorf("no race: %d read, %d refused", good, no)
	}
}
