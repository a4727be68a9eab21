package kept

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// memory is where Linux keeps files in memory that every user may make.
const memory = "/dev/shm"

// Folder makes the named folder below the one that this user keeps in the folder for temporary files. Others may enter it:
// Postgres and agentd run as somebody else when we are root.
func Folder(names ...string) (string, error) { return folder(os.TempDir(), names) }

// MemoryFolder is Folder in memory, for files that are made and deleted all the time. A machine that has less than 2 GiB free
// there, or no such place, gets Folder, and so does whoever says with TMPDIR where temporary files belong.
func MemoryFolder(names ...string) (string, error) {
	if os.Getenv("TMPDIR") != "" {
		return Folder(names...)
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memory, &fs); err != nil || fs.Type != tmpfsMagic || fs.Bavail*uint64(fs.Bsize) < 2<<30 {
		return Folder(names...)
	}
	return folder(memory, names)
}

// tmpfsMagic is TMPFS_MAGIC of linux/magic.h.
const tmpfsMagic = 0x01021994

func folder(in string, names []string) (string, error) {
	top := filepath.Join(in, "gatehouse-kept-"+strconv.Itoa(os.Geteuid()))
	if err := os.Mkdir(top, 0o755); err != nil && !os.IsExist(err) {
		return "", fmt.Errorf("kept: %w", err)
	}
	if err := owned(top); err != nil {
		return "", err
	}
	dir := filepath.Join(append([]string{top}, names...)...)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("kept: %w", err)
	}
	return dir, nil
}

// owned refuses a folder that another user made first, or that others may write to: we run programs from it.
func owned(dir string) error {
	st, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("kept: %w", err)
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok || !st.IsDir() || int(sys.Uid) != os.Geteuid() || st.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("kept: %s is not a folder that only this user can change: delete it", dir)
	}
	return nil
}
