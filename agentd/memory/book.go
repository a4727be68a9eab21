package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gatehouse/agentd/memory/recall"
)

// What is read of the files, so that no folder takes more than a part of the server's memory. What is beyond is left out, the oldest
// days first, and told: see LeftOut.
const (
	maxFile   = 8 << 20  // bytes of one file: a larger one was not written by a person
	mostBytes = 32 << 20 // of all
	mostNotes = 150_000  // of all
)

// Book is the memory of a server. Many may use it at once.
type Book struct {
	dir   string
	root  *os.Root
	index *recall.Index

	vouched func(context.Context, Note) (bool, error) // may be nil
	odd     func(text string) string                  // may be nil
	flagged func(context.Context, string) (bool, error)
	aside   Aside // may be nil
	most    int64

	now func() time.Time
	log *slog.Logger

	left    atomic.Pointer[[]string] // files that are not in the index
	meaning atomic.Pointer[Meaning]  // nil: nobody knows what anything means
	changed chan struct{}            // holds one when the index may have texts of which nobody knows what they mean

	mu sync.Mutex // one change of files at a time, so that of two who write one file both are kept
}

// ErrUnknown says that there is no note of this id.
var ErrUnknown = errors.New("there is no such note")

// Deps is what a Book stands on.
type Deps struct {
	Dir   string // the folder of memory; it is made when it is missing
	Index string // the file of the index, outside that folder
	// Vouched says whether the owner has signed for what a note says. Without that, a note that claims to be the owner's counts as one
	// from a file. nil: nobody has signed for anything.
	Vouched func(ctx context.Context, n Note) (bool, error)
	// Odd says why a text reads like an instruction to a machine, or nothing. What does is put aside. nil: nothing does.
	Odd func(text string) string
	// Flagged says whether a run had read something suspicious. nil: none had.
	Flagged func(ctx context.Context, run string) (bool, error)
	Aside   Aside // nil: what is put aside stands in the files alone
	Most    int64 // how much of the files is read, in bytes; 0: the usual
	Now     func() time.Time
	Log     *slog.Logger
}

// Open opens the memory of a server.
func Open(ctx context.Context, d Deps) (*Book, error) {
	dir := d.Dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of memory: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open memory: %w", err)
	}
	x, err := recall.Open(ctx, d.Index)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Book{
		dir: dir, root: root, index: x, vouched: d.Vouched, odd: d.Odd, flagged: d.Flagged, aside: d.Aside, most: cmp.Or(d.Most, mostBytes),
		now: d.Now, log: d.Log, changed: make(chan struct{}, 1),
	}, nil
}

// Close ends the book.
func (b *Book) Close() error { return errors.Join(b.index.Close(), b.root.Close()) }

// mine says whether a path is one of memory: a Markdown file that is not hidden.
func mine(file string) bool {
	base := path.Base(file)
	return strings.HasSuffix(base, ".md") && !strings.HasPrefix(base, ".")
}

// read is a file as it stands, empty when there is none.
func (b *Book) read(file string) (string, error) {
	info, err := b.root.Stat(file)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read memory: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return "", fmt.Errorf("read memory: %s is no file of at most %d MB", file, maxFile>>20)
	}
	text, err := b.root.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read memory: %w", err)
	}
	return string(text), nil
}

// replace puts a file in place of what stood there, at once and durably.
func (b *Book) replace(file, text string) error {
	if len(text) > maxFile {
		return fmt.Errorf("write memory: %s would be larger than %d MB", file, maxFile>>20)
	}
	if err := b.root.MkdirAll(path.Dir(file), 0o700); err != nil {
		return fmt.Errorf("write memory: %w", err)
	}
	temp := path.Join(path.Dir(file), ".writing-"+path.Base(file))
	if err := b.durable(temp, text); err != nil {
		return err
	}
	if err := b.root.Rename(temp, file); err != nil {
		return fmt.Errorf("write memory: %w", err)
	}
	folder, err := b.root.Open(path.Dir(file))
	if err != nil {
		return fmt.Errorf("write memory: %w", err)
	}
	return errors.Join(folder.Sync(), folder.Close())
}

func (b *Book) durable(file, text string) error {
	f, err := b.root.OpenFile(file, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write memory: %w", err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write memory: %w", err)
	}
	return nil
}

// name is the path of a file from the root of memory, with slashes.
func (b *Book) name(full string) (string, bool) {
	rel, err := filepath.Rel(b.dir, full)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}
