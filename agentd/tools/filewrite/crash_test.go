package filewrite_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/seeded"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/tools/filewrite"
	"gatehouse/agentd/tools/tooltest"
	"gatehouse/agentd/wire"
)

const victimEnv = "GATEHOUSE_CRASH_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimEnv); dir != "" {
		fmt.Fprintln(os.Stderr, victim(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// victim writes the same file over and over, whole contents of one letter, until it is killed.
func victim(dir string) error {
	root, err := dataroot.Open(filepath.Join(dir, "data"), filepath.Join(dir, "state"))
	if err != nil {
		return err
	}
	tool, err := filewrite.New(root, time.Now)
	if err != nil {
		return err
	}
	w, err := gatetest.Open(dir, time.Now, tool)
	if err != nil {
		return err
	}
	t := &testing.T{}
	g := &tooltest.Gate{World: w, Level: 3}
	fmt.Println("ready")
	for i := 0; ; i++ {
		c := g.Call(t, "file_write", args("sub/f.txt", content(byte('a'+i%26))))
		if o, err := g.Gate.Do(context.Background(), c, func(bool) {}); err != nil || o.State != wire.ToolDone {
			return fmt.Errorf("write %d: %+v, %w", i, o, err)
		}
	}
}

func content(letter byte) string { return strings.Repeat(string(letter), 2_000_000) }

// TestCrash kills a process at any moment of writing, 60 times over. What is found is always one whole content, and
// after the next start nothing else lies in the folder.
func TestCrash(t *testing.T) {
	seeded.Turn(t)
	t.Parallel()
	dir := t.TempDir()
	for _, d := range []string{"data", "state"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	strays := 0
	for seed := range uint64(60) {
		kill(t, dir, time.Duration(rand.New(rand.NewPCG(seed, 1)).IntN(60_000))*time.Microsecond)
		b, err := os.ReadFile(filepath.Join(dir, "data/sub/f.txt"))
		if err == nil && (len(b) != 2_000_000 || bytes.Count(b, b[:1]) != len(b)) {
			t.Fatalf("seed %d: %d bytes, mixed", seed, len(b))
		}
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		strays += others(t, dir)
		restart(t, dir)
		if n := others(t, dir); n != 0 {
			t.Fatalf("seed %d: %d stray files after the restart", seed, n)
		}
	}
	if strays == 0 {
		t.Log("no kill fell between writing and replacing")
	}
}

// kill starts the victim and kills it a while after it began to write.
func kill(t *testing.T, dir string, after time.Duration) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), victimEnv+"="+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 6)); err != nil {
		t.Fatalf("the victim did not start: %v %s", err, stderr.String())
	}
	<-time.After(after)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if stderr.Len() > 0 {
		t.Fatal(stderr.String())
	}
}

// others counts what lies beside the file.
func others(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(filepath.Join(dir, "data/sub"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	n := 0
	for _, e := range list {
		if e.Name() != "f.txt" {
			n++
		}
	}
	return n
}

func restart(t *testing.T, dir string) {
	t.Helper()
	root, err := dataroot.Open(filepath.Join(dir, "data"), filepath.Join(dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := filewrite.New(root, time.Now); err != nil {
		t.Fatal(err)
	}
	if err := root.Close(); err != nil {
		t.Fatal(err)
	}
}
