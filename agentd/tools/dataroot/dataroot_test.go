package dataroot_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/tools/tooltest"
)

const canary = "CANARY-OUTSIDE"

func refused(err error) bool {
	var r *tool.Refused
	return errors.As(err, &r)
}

func TestOpen_apart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	if err := os.Mkdir(in, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{dir, dir}, {dir, in}, {in, dir}, {"relative", dir}, {dir, "relative"}, {filepath.Join(dir, "none"), "/state"}} {
		if r, err := dataroot.Open(c[0], c[1]); err == nil {
			t.Errorf("data %s with state %s was opened", c[0], c[1])
			_ = r.Close()
		}
	}
}

// TestReadFile_odd: nothing but plain files of the data folder is ever read.
func TestReadFile_odd(t *testing.T) {
	t.Parallel()
	d := tooltest.NewDir(t)
	outside := filepath.Join(d.Path, "outside.txt")
	must(t, os.WriteFile(outside, []byte(canary), 0o644))
	d.Write(t, map[string]string{"plain.txt": "ok", ".env": canary, "sub/x": "ok", "big": strings.Repeat("a", 101)})
	at := func(name string) string { return filepath.Join(d.Data, name) }
	must(t, os.Symlink(outside, at("link")))
	must(t, os.Symlink("../outside.txt", at("relative-link")))
	must(t, os.Symlink(d.Path, at("folder-link")))
	must(t, os.Symlink("plain.txt", at("inner-link")))
	must(t, os.Symlink(".env", at("secret-link")))
	must(t, os.Symlink("loop", at("loop")))
	must(t, os.Symlink("/dev/zero", at("zero-link")))
	must(t, os.Link(outside, at("hard")))
	must(t, unix.Mkfifo(at("fifo"), 0o644))
	sock, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	must(t, err)
	defer unix.Close(sock)
	wd := at("s")
	if len(wd) < 100 { // longer names do not fit a socket
		must(t, unix.Bind(sock, &unix.SockaddrUnix{Name: wd}))
	}
	names := []string{
		"link", "relative-link", "folder-link/outside.txt", "secret-link", ".env", "loop", "zero-link", "hard", "fifo", "s", "sub", ".", "none", "plain.txt/x", "plain.txt/", "link/",
		"folder-link", "folder-link/../outside.txt", "../outside.txt", "sub/../../outside.txt", outside, "/etc/passwd", strings.Repeat("a/", 5000) + "x", strings.Repeat("a", 300), "a\x00b", "", "big",
	}
	if unix.Geteuid() == 0 && unix.Mknod(at("device"), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5))) == nil {
		names = append(names, "device")
	}
	for _, name := range names {
		from := time.Now()
		b, err := d.Root.ReadFile(name, 100)
		if err == nil || strings.Contains(string(b), canary) {
			t.Errorf("%.60q was read: %q, %v", name, b, err)
		}
		if took := time.Since(from); took > time.Minute { // a pipe or a device would hold it forever
			t.Errorf("%.60q took %v", name, took)
		}
	}
	for _, name := range []string{"plain.txt", "inner-link", "sub/x", "sub/../plain.txt"} {
		if b, err := d.Root.ReadFile(name, 100); err != nil || string(b) != "ok" {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
}

func TestReadFile_otherDevice(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount")
	}
	d := tooltest.NewDir(t)
	at := filepath.Join(d.Data, "mounted")
	must(t, os.Mkdir(at, 0o755))
	if err := unix.Mount("none", at, "tmpfs", 0, ""); err != nil {
		t.Skipf("this machine does not let root mount: %v", err)
	}
	defer func() { must(t, unix.Unmount(at, 0)) }()
	must(t, os.WriteFile(filepath.Join(at, "x"), []byte(canary), 0o644))
	if b, err := d.Root.ReadFile("mounted/x", 100); !refused(err) {
		t.Errorf("read %q, %v", b, err)
	}
	if f, err := d.Root.Folder("mounted"); !refused(err) {
		t.Errorf("opened %v, %v", f, err)
	}
}

// TestRace swaps a folder for a link to the outside as fast as it can, while files are read and written through it.
func TestRace(t *testing.T) {
	t.Parallel()
	d := tooltest.NewDir(t)
	outside := filepath.Join(d.Path, "outside")
	must(t, os.Mkdir(outside, 0o755))
	must(t, os.WriteFile(filepath.Join(outside, "f"), []byte(canary), 0o644))
	d.Write(t, map[string]string{"dir/f": "inside"})
	must(t, os.Symlink(outside, filepath.Join(d.Data, "evil")))
	stop, swapped := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for ; ; n++ {
			select {
			case <-stop:
				swapped <- n
				return
			default:
				_ = unix.Renameat2(unix.AT_FDCWD, filepath.Join(d.Data, "dir"), unix.AT_FDCWD, filepath.Join(d.Data, "evil"), unix.RENAME_EXCHANGE)
			}
		}
	}()
	good, no := 0, 0
	for i := range 40_000 {
		switch b, err := d.Root.ReadFile("dir/f", 100); {
		case strings.Contains(string(b), canary):
			t.Fatal("the outside was read")
		case err == nil:
			good++
		default:
			no++
		}
		if i%20 == 0 {
			write(d, "dir", "f", "inside")
		}
	}
	close(stop)
	if n := <-swapped; n < 1000 || good == 0 || no == 0 {
		t.Errorf("no race: %d swaps, %d read, %d refused", n, good, no)
	}
	if b, err := os.ReadFile(filepath.Join(outside, "f")); err != nil || string(b) != canary {
		t.Errorf("the outside holds %q, %v", b, err)
	}
	if list, err := os.ReadDir(outside); err != nil || len(list) != 1 {
		t.Errorf("the outside holds %v, %v", list, err)
	}
}

// write replaces a file through a folder that may be a link at any moment. An error is fine, the outside is not.
func write(d tooltest.Dir, dir, name, content string) {
	f, err := d.Root.Folder(dir)
	if err != nil {
		return
	}
	defer f.Close()
	_ = f.Replace(name, ".temp", []byte(content), 0o644)
}

func TestReplace(t *testing.T) {
	t.Parallel()
	d := tooltest.NewDir(t)
	d.Write(t, map[string]string{"x/old": "old"})
	must(t, os.Chmod(filepath.Join(d.Data, "x/old"), 0o640))
	f, err := d.Root.Folder("x")
	must(t, err)
	defer f.Close()
	must(t, f.Replace("old", ".t", []byte("new"), 0o644))
	must(t, f.Replace("fresh", ".t", []byte("fresh"), 0o644))
	if d.Read(t, "x/old") != "new" || d.Read(t, "x/fresh") != "fresh" || d.Has("x/.t") {
		t.Error("not replaced")
	}
	info, err := os.Stat(filepath.Join(d.Data, "x/old"))
	must(t, err)
	if info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
	must(t, os.Symlink("old", filepath.Join(d.Data, "x/link")))
	if err := f.Replace("link", ".t", []byte("x"), 0o644); !refused(err) {
		t.Errorf("a link was replaced: %v", err)
	}
}

// TestReplace_noRoom: when the disk is full the old content stays and nothing is left beside it.
func TestReplace_noRoom(t *testing.T) {
	t.Parallel()
	d := tooltest.NewDir(t)
	d.Write(t, map[string]string{"f": "old"})
	folder, err := d.Root.Folder(".")
	must(t, err)
	defer folder.Close()
	if err := folder.Replace("f", "no/such/folder", []byte("new"), 0o644); err == nil {
		t.Error("written into nothing")
	}
	if d.Read(t, "f") != "old" {
		t.Error("the old content is gone")
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	for _, err := range []error{fs.ErrNotExist, fs.ErrPermission, unix.ENOSPC, unix.EDQUOT, unix.EROFS, unix.ELOOP, unix.ENOTDIR, unix.ENOTEMPTY, unix.ENAMETOOLONG} {
		got := dataroot.Explain("x", &fs.PathError{Op: "open", Path: "/secret/x", Err: err})
		if !refused(got) || !errors.Is(got, err) || strings.Contains(got.Error(), "/secret") {
			t.Errorf("%v became %v", err, got)
		}
	}
	if got := dataroot.Explain("x", io.ErrUnexpectedEOF); refused(got) || !errors.Is(got, io.ErrUnexpectedEOF) {
		t.Errorf("an unknown error became %v", got)
	}
	if got := dataroot.Explain("x", syscall.EIO); refused(got) {
		t.Errorf("a broken disk became %v", got)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
