package kept

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Program puts a program of the checkout at root into dir, built as it is shipped, or with build tags, which its name then
// shows. It is never stale, and costs a link only when something in it has changed since somebody last asked.
func Program(root, dir, name string, tags ...string) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(root))
	kept, err := Folder("programs-" + hex.EncodeToString(sum[:8]))
	if err != nil {
		return "", err
	}
	file := strings.Join(append([]string{name}, tags...), "-")
	l, err := Exclusive(filepath.Join(kept, file+".lock"))
	if err != nil {
		return "", err
	}
	defer l.Release()
	built, path := filepath.Join(kept, file), filepath.Join(dir, file)
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-tags", strings.Join(tags, ","), "-o", built, "./cmd/"+name)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0", "GOTMPDIR="+kept)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w: %s", name, err, out)
	}
	return path, place(built, path)
}

// place links to the file itself, or copies it to another disk: the next build replaces the file that was built, and leaves
// what was placed as it is.
func place(built, path string) error {
	if os.Link(built, path) == nil {
		return nil
	}
	b, err := os.ReadFile(filepath.Clean(built))
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) { // it may be a link to what others run
		return err
	}
	return os.WriteFile(path, b, 0o755)
}
