package store_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"gatehouse/agentd/store"
)

// Tests that fill a disk run again as a process of their own: these name the folder to work in.
const (
	inTmpfs = "STORE_TEST_DISK"
	inLimit = "STORE_TEST_LIMIT"
)

// again runs the calling test in a new process with a folder of its own.
func again(t *testing.T, variable string, attr *syscall.SysProcAttr) ([]byte, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), variable+"="+t.TempDir())
	cmd.SysProcAttr = attr
	return cmd.CombinedOutput()
}

// TestWrite_fullDisk fills a small disk that it mounts in namespaces of its own. Where the machine gives none,
// TestWrite_fileLimit stands for it.
func TestWrite_fullDisk(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(inTmpfs); dir != "" {
		fillDisk(t, dir)
		return
	}
	out, err := again(t, inTmpfs, &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	})
	if began := err == nil || errors.As(err, new(*exec.ExitError)); !began || bytes.Contains(out, []byte("no disk")) {
		t.Logf("this machine gives no namespaces: %v", err)
		return
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// fillDisk runs where it may mount: a disk of 2 MB is filled, must refuse cleanly, and must go on once there is room.
func fillDisk(t *testing.T, dir string) {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m,mode=0700"); err != nil {
		t.Fatalf("no disk: %v", err)
	}
	ballast := filepath.Join(dir, "ballast")
	db := open(t, filepath.Join(dir, "state"))
	if err := db.Write(t.Context(), statement("CREATE TABLE t (n INTEGER PRIMARY KEY, b BLOB)")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(ballast, make([]byte, 512<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	kept := fill(t, db)
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	goesOn(t, db, kept)
}

// fill writes until the disk is full, then some more, and says how many writes were promised.
func fill(t *testing.T, db *store.DB) (kept int) {
	t.Helper()
	for refused := 0; refused < 20; {
		err := db.Write(t.Context(), statement("INSERT INTO t (b) VALUES (randomblob(20000))"))
		switch {
		case err == nil:
			kept++
		case errors.Is(err, store.ErrFull):
			refused++
		default:
			t.Fatalf("a full disk answers %v", err)
		}
		if kept > 1000 {
			t.Fatal("the disk is never full")
		}
	}
	if got := count(t, db); got != kept {
		t.Fatalf("%d rows, %d were promised", got, kept)
	}
	return kept
}

// goesOn fails unless the store works again without any repair.
func goesOn(t *testing.T, db *store.DB, kept int) {
	t.Helper()
	for range 3 {
		if err := db.Write(t.Context(), statement("INSERT INTO t (b) VALUES (randomblob(20000))")); err != nil {
			t.Fatalf("with room again: %v", err)
		}
	}
	if got := count(t, db); got != kept+3 {
		t.Errorf("%d rows, want %d", got, kept+3)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if got := count(t, open(t, db.Dir())); got != kept+3 {
		t.Errorf("%d rows after a restart, want %d", got, kept+3)
	}
}

// TestWrite_fileLimit does the same with a limit on the size of files.
func TestWrite_fileLimit(t *testing.T) {
	dir := os.Getenv(inLimit)
	if dir == "" {
		t.Parallel()
		if out, err := again(t, inLimit, nil); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	db := open(t, filepath.Join(dir, "state"))
	if err := db.Write(t.Context(), statement("CREATE TABLE t (n INTEGER PRIMARY KEY, b BLOB)")); err != nil {
		t.Fatal(err)
	}
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 20, Max: was.Max}); err != nil {
		t.Fatal(err)
	}
	kept := fill(t, db)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	goesOn(t, db, kept)
}
