package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	gather  = 100 * time.Millisecond // changes that come within are looked at together
	anyways = 10 * time.Minute       // so often everything is compared, should a change not have been told
)

// Run keeps the index up with the files until ctx ends. When the system tells no changes, they are found every ten minutes.
func (b *Book) Run(ctx context.Context) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		b.log.WarnContext(ctx, "changes of memory are found late", "error", err)
		w = &fsnotify.Watcher{}
	} else {
		defer func() {
			if err := w.Close(); err != nil {
				b.log.WarnContext(ctx, "changes of memory are still watched", "error", err)
			}
		}()
	}
	b.lookAt(ctx, w)
	late := time.NewTicker(anyways)
	defer late.Stop()
	soon := time.NewTimer(0)
	defer soon.Stop()
	waits := true // something changed that is not looked at yet; more changes do not put that off
	look := func() {
		if !waits {
			waits = true
			soon.Reset(gather)
		}
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-w.Events:
			if name, ok := b.name(e.Name); ok && (mine(name) || e.Has(fsnotify.Create)) {
				look()
			}
		case err := <-w.Errors:
			b.log.WarnContext(ctx, "changes of memory were not all told", "error", err)
			look()
		case <-late.C:
			b.lookAt(ctx, w)
		case <-soon.C:
			waits = false
			b.lookAt(ctx, w)
		}
	}
}

// lookAt watches folders that are new, and reads what changed.
func (b *Book) lookAt(ctx context.Context, w *fsnotify.Watcher) {
	if err := errors.Join(b.watch(w), b.catchUp(ctx)); err != nil && ctx.Err() == nil {
		b.log.WarnContext(ctx, "memory not looked at whole", "error", err)
	}
}

func (b *Book) catchUp(ctx context.Context) error {
	_, err := b.Refresh(ctx)
	return err
}

// watch adds every folder; one that is watched already stays so.
func (b *Book) watch(w *fsnotify.Watcher) error {
	if w.Events == nil {
		return nil
	}
	return fs.WalkDir(b.root.FS(), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if err := w.Add(filepath.Join(b.dir, filepath.FromSlash(file))); err != nil {
			return fmt.Errorf("watch memory: %w", err)
		}
		return nil
	})
}
