package local

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// account is the user that a server runs as: a number that nobody else on the machine has.
type account struct{ uid, gid int }

// The numbers that are kept for users which exist only while a service runs.
const (
	firstUID = 61184
	lastUID  = 65519
)

// accountOf is the user of a slot. Each folder of servers has numbers of its own, so that two of them on one machine
// share none, as far as a hash can keep them apart.
func accountOf(dir string, slot int) *account {
	sum := sha256.Sum256([]byte(dir))
	group := int(binary.BigEndian.Uint32(sum[:4])) % ((lastUID - firstUID + 1) / MaxServers)
	n := firstUID + group*MaxServers + slot
	return &account{uid: n, gid: n}
}

// proxyAccountOf is the user of a slot's model proxy: from another group of numbers than agentd's, so that neither can
// look at the other.
func proxyAccountOf(dir string, slot int) *account {
	const groups = (lastUID - firstUID + 1) / MaxServers
	sum := sha256.Sum256([]byte(dir))
	shift := 1 + int(binary.BigEndian.Uint32(sum[4:8]))%(groups-1)
	group := (int(binary.BigEndian.Uint32(sum[:4]))%groups + shift) % groups
	n := firstUID + group*MaxServers + slot
	return &account{uid: n, gid: n}
}

// settle moves the servers and the binary to where another user can reach them, when they are not.
func (h *Host) settle() error {
	if !reachable(filepath.Dir(h.opt.Dir)) {
		sum := sha256.Sum256([]byte(h.opt.Dir))
		away := filepath.Join("/var/lib/gatehouse", hex.EncodeToString(sum[:6]), "servers")
		if err := h.moveAway(away); err != nil {
			return err
		}
	}
	if reachable(h.opt.Bin) {
		return nil
	}
	bin := filepath.Join(filepath.Dir(h.opt.Dir), "bin", "agentd")
	if err := copyBinary(h.opt.Bin, bin); err != nil {
		return fmt.Errorf("agentd for another user: %w", err)
	}
	h.opt.Bin = bin
	return nil
}

// moveAway lets the servers stand at away, with a link from where they are looked for.
func (h *Host) moveAway(away string) error {
	if err := os.MkdirAll(away, 0o755); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(h.opt.Dir), 0o755); err != nil {
		return err
	}
	if err := os.Symlink(away, h.opt.Dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if to, err := os.Readlink(h.opt.Dir); err != nil || to != away {
		return fmt.Errorf("%s must be a link to %s, because users without privileges cannot reach it: move it away", h.opt.Dir, away)
	}
	h.opt.Log.Info("local servers stand elsewhere, because other users cannot reach the folder", "folder", h.opt.Dir, "stands_at", away)
	h.opt.Dir = away
	return nil
}

// reachable says whether any user can pass to path: every folder above it, and it itself, is open to others.
func reachable(path string) bool {
	for {
		info, err := os.Stat(path)
		switch {
		case err == nil && info.Mode().Perm()&0o001 == 0:
			return false
		case err != nil && !errors.Is(err, fs.ErrNotExist): // what is missing will be made open
			return false
		}
		up := filepath.Dir(path)
		if up == path {
			return true
		}
		path = up
	}
}

func copyBinary(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	out, err := os.OpenFile(to+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Chmod(0o755), out.Close()); err != nil {
		return err
	}
	return os.Rename(to+".new", to)
}
