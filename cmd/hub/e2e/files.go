package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Temps are the temporary files that the demo has to delete.
func (h *Hub) Temps(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(h.Data("tmp", "*.tmp"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Lines are those of a file; none when it does not exist.
func Lines(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(b)))
}

// Own writes a file that belongs to whoever agentd runs as, and makes its folder.
func (h *Hub) Own(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	st, err := os.Stat(h.Data())
	if err != nil {
		t.Fatal(err)
	}
	sys := st.Sys().(*syscall.Stat_t)
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if dir != h.Server("state") {
		_ = os.Chown(dir, int(sys.Uid), int(sys.Gid)) // not root: it is ours already
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	_ = os.Chown(path, int(sys.Uid), int(sys.Gid))
}
