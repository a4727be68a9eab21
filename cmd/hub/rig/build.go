package rig

import (
	"os"

	"gatehouse/cmd/kept"
)

// Build puts the shipped programs into dir, which other users may enter: agentd runs as somebody else when we are root. Root
// is the checkout.
func Build(root, dir string) error {
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"hub", "agentd"} {
		if _, err := kept.Program(root, dir, name); err != nil {
			return err
		}
	}
	return nil
}
