package version

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/wire"
)

const (
	mostKept  = 1 << 30 // bytes of all that is kept
	mostFiles = 10_000  // of one change
)

// ErrNotKept says that something is too large to be kept, or that the disk has no room for it. Nothing was kept.
var ErrNotKept = errors.New("not kept: it would take too much of the disk")

// ErrGone says that a change is not kept, or not any more.
var ErrGone = errors.New("this change is not kept any more")

// Store keeps versions.
type Store struct {
	root *dataroot.Root
	dir  string
	now  func() time.Time
	free func() int64 // bytes that are left on the disk of the state directory
	mark Marks
	mu   sync.Mutex // one change of the store at a time
}

// Marks saves what is on record about the origin of these files under the id of a change, so that it comes back with them.
type Marks func(ctx context.Context, id string, rels []string) error

// Kept is one change with what was there before.
type Kept struct {
	ID      string    `json:"id"`           // of the call or the act
	By      string    `json:"by,omitempty"` // the person who did it; empty: a call of an agent
	Did     string    `json:"did"`          // as wire.FileVersionOf
	Path    string    `json:"path"`         // what was asked for: a file, or the folder that holds all
	Time    time.Time `json:"time"`
	Entries []Entry   `json:"entries"`         // what a folder holds comes before it
	Begun   bool      `json:"begun,omitempty"` // putting it back began: a crash may have left files half written
	Undone  bool      `json:"undone,omitempty"`

	After    string `json:"after,omitempty"`    // hex SHA-256 of what took the place of a replaced file
	Left     string `json:"left,omitempty"`     // version of the file that took its place, as whoever keeps it names versions
	Restores string `json:"restores,omitempty"` // the change that this one takes back; making room for this one spares it
}

// Lost is how many entries could not be kept and do not come back.
func (k Kept) Lost() (n int) {
	for _, e := range k.Entries {
		if e.Lost {
			n++
		}
	}
	return n
}

// Entry is one file or folder that was there.
type Entry struct {
	Path   string      `json:"path"`
	Folder bool        `json:"folder,omitempty"`
	Size   int64       `json:"size,omitempty"`
	Mode   fs.FileMode `json:"mode,omitempty"`
	Hash   string      `json:"hash,omitempty"` // hex SHA-256
	Lost   bool        `json:"lost,omitempty"` // it could not be kept: a link, or a file that may not be opened
}

// New gives the versions of a data folder. free says how much of the disk is left; nil: enough. mark may be nil.
func New(root *dataroot.Root, now func() time.Time, free func() int64, mark Marks) *Store {
	if free == nil {
		free = func() int64 { return 1 << 62 }
	}
	if mark == nil {
		mark = func(context.Context, string, []string) error { return nil }
	}
	return &Store{root: root, dir: filepath.Join(root.Env().State, "versions"), now: now, free: free, mark: mark}
}

// Room says whether so many bytes would be kept.
func (s *Store) Room(size int64) bool { return size <= mostKept && size <= s.free()/4 }

// Left notes what took the place of what was replaced.
func (s *Store) Left(id, version string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, err := s.Get(id)
	if errors.Is(err, ErrGone) {
		return nil // it was too large
	}
	if err != nil {
		return err
	}
	k.Left = version
	return s.note(k)
}

// Drop forgets a change that did not happen after all.
func (s *Store) Drop(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !idForm.MatchString(id) {
		return nil
	}
	if err := os.RemoveAll(s.path(id)); err != nil {
		return fmt.Errorf("drop version: %w", err)
	}
	return nil
}

var idForm = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

func (s *Store) path(id string, name ...string) string {
	return filepath.Join(append([]string{s.dir, id}, name...)...)
}

// Get reads one change, or answers ErrGone.
func (s *Store) Get(id string) (Kept, error) {
	var k Kept
	if !idForm.MatchString(id) {
		return k, ErrGone
	}
	b, err := os.ReadFile(s.path(id, "meta.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return k, ErrGone
	}
	if err == nil {
		err = json.Unmarshal(b, &k)
	}
	if err != nil {
		return Kept{}, fmt.Errorf("read version: %w", err)
	}
	if k.Undone || s.now().Sub(k.Time) > wire.KeptFor {
		return Kept{}, ErrGone
	}
	return k, nil
}

// List is every change that can be put back, the newest first.
func (s *Store) List() ([]Kept, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list versions: %w", err)
	}
	var all []Kept
	for _, e := range entries {
		if k, err := s.Get(e.Name()); err == nil { // a damaged one must not stand in the way of the others
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b Kept) int { return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(b.ID, a.ID)) })
	return all, nil
}

// note writes what is known of a change: it counts from then on.
func (s *Store) note(k Kept) error {
	b, err := json.Marshal(k)
	if err != nil {
		return fmt.Errorf("note version: %w", err)
	}
	temp := s.path(k.ID, "meta.new")
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("note version: %w", err)
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(temp, s.path(k.ID, "meta.json"))
	}
	if err != nil {
		return fmt.Errorf("note version: %w", err)
	}
	return nil
}
