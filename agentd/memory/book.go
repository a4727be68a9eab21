package memory

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"gatehouse/agentd/memory/recall"
)

// maxFile is the largest file that is read, in bytes: a larger one was not written by a person.
const maxFile = 8 << 20

// Book is the memory of a server. Many may use it at once.
type Book struct {
	dir   string
	root  *os.Root
	index *recall.Index
	now   func() time.Time
	log   *slog.Logger

	mu sync.Mutex // one change of files at a time, so that of two who write one file both are kept
}

// ErrUnknown says that there is no note of this id.
var ErrUnknown = errors.New("there is no such note")

// Open opens the memory in dir, which it makes when it is missing; index is the file of the index, beside it.
func Open(ctx context.Context, dir, index string, now func() time.Time, log *slog.Logger) (*Book, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of memory: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open memory: %w", err)
	}
	x, err := recall.Open(ctx, index)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Book{dir: dir, root: root, index: x, now: now, log: log}, nil
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
