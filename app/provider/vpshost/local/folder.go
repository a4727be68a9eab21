package local

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// The files of a server, below its folder.
const (
	recordFile = "machine.json"
	logFile    = "agentd.log"
	dataDir    = "data"
	stateDir   = "state"
	tokenFile  = "register.token" // below stateDir
	keyFile    = "model.key"      // below proxyDir
)

// record is what is known of a server on this machine.
type record struct {
	ServerID  string    `json:"server_id"`
	Slug      string    `json:"slug"`
	Slot      int       `json:"slot"`       // 0 to MaxServers-1: picks the server's user
	Process   process   `json:"process"`    // the last agentd that was started
	Proxy     process   `json:"proxy"`      // the last model proxy that was started
	StartedAt time.Time `json:"started_at"` // zero: never started
	Seeded    bool      `json:"seeded"`     // the owner's first key was left for the first start
	Sealed    bool      `json:"sealed"`     // the browser of that key gets the recovery code, so the terminal does not
	Retired   bool      `json:"retired"`    // never started again
	Off       bool      `json:"off"`        // not started until it is switched on
}

func (h *Host) folder(serverID string) string { return filepath.Join(h.opt.Dir, serverID) }

func (h *Host) path(serverID string, names ...string) string {
	return filepath.Join(append([]string{h.folder(serverID)}, names...)...)
}

// makeFolders makes everything of a server; the record comes last, so that a server with a record is whole.
func (h *Host) makeFolders(r record) error {
	if filepath.Base(r.ServerID) != r.ServerID {
		return fmt.Errorf("server id %q is no name of a folder", r.ServerID)
	}
	if err := os.MkdirAll(h.folder(r.ServerID), 0o711); err != nil { // its user passes through, and reads nothing here
		return err
	}
	for _, dir := range []string{dataDir, stateDir} {
		path := h.path(r.ServerID, dir)
		if err := os.MkdirAll(path, 0o700); err != nil {
			return err
		}
		if err := h.give(r, path); err != nil {
			return err
		}
	}
	return h.save(r)
}

// give makes the server's user the owner of path, when it has one.
func (h *Host) give(r record, path string) error {
	if h.account == nil {
		return nil
	}
	a := h.account(r.Slot)
	return os.Lchown(path, a.uid, a.gid)
}

// writeSecret writes a file into the state directory that only the server's user can read. The folder belongs to that
// user, so what lies under the name is replaced, never followed. When it answers, the file outlives a loss of power.
func (h *Host) writeSecret(r record, name, secret string) error {
	return h.writeOwned(h.path(r.ServerID, stateDir, name), secret, h.userOf(r, agent))
}

// writeOwned writes a file that only its owner can read; nil means the hub's own user.
func (h *Host) writeOwned(path, secret string, a *account) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(secret)
	if a != nil {
		err = errors.Join(err, f.Chown(a.uid, a.gid))
	}
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (h *Host) record(serverID string) (record, error) {
	var r record
	b, err := os.ReadFile(h.path(serverID, recordFile))
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return r, fmt.Errorf("%s of server %s: %w", recordFile, serverID, err)
	}
	return r, nil
}

// save writes the record so that a crash leaves the old one or the new one, and a loss of power after it the new one.
func (h *Host) save(r record) error {
	b, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	path := h.path(r.ServerID, recordFile)
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	return syncDir(h.folder(r.ServerID))
}

// records lists the servers of this machine.
func (h *Host) records() ([]record, error) {
	found, err := filepath.Glob(filepath.Join(h.opt.Dir, "*", recordFile))
	if err != nil {
		return nil, err
	}
	var all []record
	for _, path := range found {
		r, err := h.record(filepath.Base(filepath.Dir(path)))
		if errors.Is(err, fs.ErrNotExist) {
			continue // released meanwhile
		}
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// LastLog gives the last lines that agentd wrote, at most n.
func (h *Host) LastLog(_ context.Context, serverID string, n int) ([]string, error) {
	f, err := os.Open(h.path(serverID, logFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("log of %s: %w", serverID, err)
	}
	defer func() { _ = f.Close() }()
	var lines []string
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if lines = append(lines, s.Text()); len(lines) > n {
			lines = lines[1:]
		}
	}
	return lines, s.Err()
}

// lock takes a file as a lock that ends with this process at the latest.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil
}
