package kept

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// Folder makes the named folder below the one that this user keeps in the folder for temporary files. Others may enter it:
// Postgres and agentd run as somebody else when we are root.
func Folder(names ...string) (string, error) {
	top := filepath.Join(os.TempDir(), "gatehouse-kept-"+strconv.Itoa(os.Geteuid()))
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
