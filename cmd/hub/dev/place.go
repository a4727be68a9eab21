package dev

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"gatehouse/db/devpg"
)

// elsewhere is where data lies that must not lie in the checkout.
const elsewhere = "/var/lib/gatehouse"

// Place is the folder for all data. It is wanted (GATEHOUSE_DIR, default ./var), unless we are root and the user that
// Postgres and agentd run as cannot reach it, as below a home of mode 0700: then it is a folder below
// /var/lib/gatehouse that belongs to wanted alone, and moved is true.
func Place(wanted string) (dir string, moved bool, err error) {
	if wanted, err = filepath.Abs(wanted); err != nil {
		return "", false, fmt.Errorf("data folder: %w", err)
	}
	account, err := devpg.Unprivileged()
	if err != nil {
		return "", false, err
	}
	if account.Reaches(wanted) {
		return wanted, false, os.MkdirAll(wanted, 0o755)
	}
	sum := sha256.Sum256([]byte(wanted))
	dir = filepath.Join(elsewhere, hex.EncodeToString(sum[:6]))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", false, fmt.Errorf("data folder: %w", err)
	}
	return dir, true, link(wanted, dir)
}

// link leaves a way from the wanted folder to the real one, so that var/demo.json is where the README says.
func link(wanted, dir string) error {
	if have, err := os.Readlink(wanted); err == nil && have == dir {
		return nil
	}
	if _, err := os.Lstat(wanted); err == nil {
		return fmt.Errorf("%s cannot be reached by the unprivileged user that the demo runs as; move it away or set GATEHOUSE_DIR to a folder that others may enter", wanted)
	}
	if err := os.Symlink(dir, wanted); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	return nil
}
