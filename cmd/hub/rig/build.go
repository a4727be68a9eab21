package rig

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build compiles the shipped programs into dir, which other users may enter: agentd runs as somebody else when we are
// root. Root is the checkout.
func Build(root, dir string) error {
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"hub", "agentd"} {
		cmd := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(dir, name), "./cmd/"+name) //nolint:noctx // ends with the compiler
		cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w: %s", name, err, out)
		}
	}
	return nil
}
