package filewrite

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"gatehouse/agentd/gate"
)

var callName = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

// meta is what is known of one staged call.
type meta struct {
	Rel       string `json:"rel"`
	Before    string `json:"before"` // hash of the content that was there, "-" when none
	After     string `json:"after"`
	Temp      string `json:"temp"` // set once the commit began: the file next to the target
	Committed bool   `json:"committed"`
	Restores  string `json:"restores,omitempty"` // the write that this one takes back
	// Mode is that of the file that was there; of one that is put back and is not there any more, what it had.
	Mode fs.FileMode `json:"mode,omitempty"`
}

// mode is that of the file when there is none now. What is put back may hold what only one user could read.
func (m meta) mode() fs.FileMode {
	switch {
	case m.Mode != 0:
		return m.Mode
	case m.Restores != "":
		return 0o600
	}
	return 0o644
}

// store keeps staged calls, a folder each, in the state directory.
type store struct{ dir string }

func storeIn(state string) store { return store{dir: filepath.Join(state, "staged")} }

func (s store) path(callID, name string) string { return filepath.Join(s.dir, callID, name) }

// put keeps a proposal. The note comes last: a proposal without one does not count.
func (s store) put(callID string, m meta, before, after []byte) error {
	if !callName.MatchString(callID) {
		return fmt.Errorf("call id %q is no name", callID)
	}
	if err := os.MkdirAll(filepath.Join(s.dir, callID), 0o700); err != nil {
		return err
	}
	if m.Before != none {
		if err := write(s.path(callID, "before"), before); err != nil {
			return err
		}
	}
	if err := write(s.path(callID, "after"), after); err != nil {
		return err
	}
	return s.note(callID, m)
}

// stage is put, and what a person is shown of it.
func (s store) stage(callID string, m meta, before, after []byte) (gate.Staged, error) {
	if err := s.put(callID, m, before, after); err != nil {
		return gate.Staged{}, fmt.Errorf("stage %s: %w", m.Rel, err)
	}
	isNew := m.Before == none
	d := diffOf(m.Rel, string(before), string(after), isNew)
	return gate.Staged{Hash: m.After, Before: m.Before, Path: m.Rel, Unified: d.text, New: isNew, Added: d.added, Removed: d.removed}, nil
}

func (s store) note(callID string, m meta) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return write(s.path(callID, "meta.json"), b)
}

// get reads a proposal back.
func (s store) get(callID string) (meta, []byte, error) {
	m, err := s.meta(callID)
	if err != nil {
		return meta{}, nil, err
	}
	after, err := os.ReadFile(s.path(callID, "after"))
	return m, after, err
}

func (s store) meta(callID string) (meta, error) {
	var m meta
	if !callName.MatchString(callID) {
		return m, fmt.Errorf("call id %q is no name", callID)
	}
	b, err := os.ReadFile(s.path(callID, "meta.json"))
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	return m, err
}

// drop forgets a proposal that was not committed.
func (s store) drop(callID string) error {
	m, err := s.meta(callID)
	switch {
	case errors.Is(err, fs.ErrNotExist) || m.Committed:
		return nil
	case err != nil:
		return err
	}
	return os.RemoveAll(filepath.Join(s.dir, callID))
}

// write is atomic and durable.
func write(name string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	d, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
