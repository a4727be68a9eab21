package slate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Slate is the file of calls on their way. It is safe for use by many goroutines; one process has it.
type Slate struct {
	f    file
	boot string

	mu    sync.Mutex
	lines map[Line]*lane
	free  []int       // calls' places
	rows  []int       // lines' places that nobody has
	torn  dirty       // what a failing disk did not let be emptied
	open  int         // calls
	idle  *time.Timer // nil: no line rests
	ahead sync.WaitGroup
	done  bool
}

// file is what of an os.File is used.
type file interface {
	ReadAt(b []byte, at int64) (int, error)
	WriteAt(b []byte, at int64) (int, error)
	Sync() error
	Close() error
}

// ErrFull says that more calls are on their way than the file has places for.
var ErrFull = errors.New("slate: too many calls are on their way")

// Found is what a former life of the process left.
type Found struct {
	Calls   []Call
	crashed bool // the machine has started anew since
	blocks  map[int64]block
}

// Lost is what calls may have used that were lost, or whose last notes were, because the machine crashed: of each block what the
// calls that were found, and that nobody had counted before, have not used.
func (f Found) Lost(counted map[int64]bool) (all []Lost) {
	if !f.crashed {
		return nil
	}
	left := map[int64]Tokens{}
	for id, k := range f.blocks {
		left[id] = k.tokens
	}
	for _, c := range f.Calls {
		if !counted[c.ID] {
			left[c.block] = left[c.block].minus(Tokens{c.Used.Input + c.Used.CacheRead + c.Used.CacheWrite, c.Used.Output})
		}
	}
	for id, t := range left {
		if t = (Tokens{max(t.Input, 0), max(t.Output, 0)}); t != (Tokens{}) {
			all = append(all, Lost{id, f.blocks[id].line, t})
		}
	}
	return all
}

// Open opens the file, or makes it. What it finds stays there until Clear.
func Open(path string) (*Slate, Found, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the caller's own state
	if err != nil {
		return nil, Found{}, fmt.Errorf("open record of calls: %w", err)
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return nil, Found{}, errors.Join(fmt.Errorf("open record of calls: %w", err), f.Close())
	}
	s, found, err := open(f, bootID())
	if err != nil {
		return nil, Found{}, errors.Join(err, f.Close())
	}
	return s, found, nil
}

// syncDir makes sure that the file's name is on disk.
func syncDir(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // where the caller's own state lies
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// bootID changes with each start of the machine; empty when that is not known.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// open reads the file. One that is not whole is new: no call has left by it.
func open(f file, boot string) (*Slate, Found, error) {
	s := &Slate{f: f, boot: boot, lines: map[Line]*lane{}}
	b := make([]byte, fileSize)
	switch _, err := f.ReadAt(b, 0); {
	case errors.Is(err, io.EOF):
		return s, Found{}, nil
	case err != nil:
		return nil, Found{}, fmt.Errorf("read record of calls: %w", err)
	}
	return s, s.read(b), nil
}

// read finds what the file holds.
func (s *Slate) read(b []byte) Found {
	head := b[:headSize]
	if !whole(head) || !bytes.HasPrefix(head[8:], []byte(magic)) {
		return Found{}
	}
	boot, _, _ := strings.Cut(string(head[8+len(magic):]), "\n")
	found := Found{crashed: boot != s.boot || boot == "", blocks: map[int64]block{}}
	for i := range maxLines {
		if k, ok := blockOf(b[headSize+i*lineSize:][:lineSize]); ok {
			found.blocks[k.id] = k
		}
	}
	for i := range maxCalls {
		e, ok := entryOf(b[callsAt+i*callSize:][:callSize])
		k, known := found.blocks[e.block]
		if !ok || !known {
			continue // damaged, or of a block that was never on disk: no call leaves by one
		}
		found.Calls = append(found.Calls, Call{
			ID: e.id, Line: k.line, Run: e.run, Most: e.most, Used: e.used, Seen: time.Unix(e.seen, 0), block: k.id,
		})
	}
	return found
}

// Clear empties the file, on disk. Whoever counts has taken over what was found. Calls may begin then.
func (s *Slate) Clear() error {
	b := make([]byte, fileSize)
	copy(b[8:], magic+s.boot+"\n")
	sealed(b[:headSize])
	if _, err := s.f.WriteAt(b, 0); err != nil {
		return fmt.Errorf("empty record of calls: %w", err)
	}
	if err := s.f.Sync(); err != nil {
		return fmt.Errorf("empty record of calls: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range maxCalls {
		s.free = append(s.free, maxCalls-1-i)
	}
	for i := range maxLines {
		s.rows = append(s.rows, maxLines-1-i)
	}
	return nil
}

// Sync waits until the disk has what was written before.
func (s *Slate) Sync() error { return s.f.Sync() }

// Close ends the use of the file. Blocks are given back when nothing is on its way any more.
func (s *Slate) Close() error {
	s.mu.Lock()
	s.done = true
	if s.idle != nil {
		s.idle.Stop()
	}
	none := s.open == 0
	s.mu.Unlock()
	s.ahead.Wait()
	s.mend()
	var err error
	if none {
		err = s.giveBack(true)
	}
	return errors.Join(err, s.f.Close())
}

// newID is a number that is not given out twice.
func newID() int64 { return rand.Int64N(1<<62) + 1 } //nolint:gosec // to tell calls apart, not to be kept secret
