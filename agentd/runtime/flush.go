package runtime

import (
	"context"
	"database/sql"
	"sync"
	"time"
)

const (
	// perFlush is how long events may be shown before they are kept, when nothing else is written meanwhile.
	perFlush = 15 * time.Millisecond
	// perRetry is the pause after a write that failed: a full disk stays full for a while.
	perRetry = time.Second
)

// flusher keeps what trees have shown, all trees in one write.
type flusher struct {
	store Store
	wake  chan struct{}

	mu    sync.Mutex
	dirty map[*tree]bool
	loose []func(*sql.Tx) error // changes of trees that are no longer at work
}

func newFlusher(s Store) *flusher {
	return &flusher{store: s, wake: make(chan struct{}, 1), dirty: map[*tree]bool{}}
}

func (f *flusher) mark(t *tree) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dirty[t] = true
	f.ring()
}

func (f *flusher) later(change func(*sql.Tx) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.loose = append(f.loose, change)
	f.ring()
}

func (f *flusher) ring() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// run flushes until ctx ends, and a last time then.
func (f *flusher) run(ctx context.Context, failed func(error)) {
	for {
		select {
		case <-f.wake:
		case <-ctx.Done():
			if err := f.flush(); err != nil {
				failed(err)
			}
			return
		}
		pause := perFlush
		if err := f.flush(); err != nil {
			failed(err)
			pause = perRetry
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// flush keeps what is pending. Trees that are just being written are left to the next round.
func (f *flusher) flush() error {
	trees, loose := f.collect()
	if len(trees) == 0 && len(loose) == 0 {
		return nil
	}
	var took []pending
	for _, t := range trees {
		defer t.writing.Unlock()
		took = append(took, t.take())
	}
	err := f.store.Write(context.Background(), func(tx *sql.Tx) error {
		for _, p := range append(took, pending{changes: loose}) {
			if err := p.apply(tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		f.restore(trees, took, loose)
	}
	return err
}

// collect takes the trees that need a write and locks them against others that would write them.
func (f *flusher) collect() ([]*tree, []func(*sql.Tx) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var trees []*tree
	for t := range f.dirty {
		if !t.writing.TryLock() {
			f.ring()
			continue
		}
		delete(f.dirty, t)
		trees = append(trees, t)
	}
	loose := f.loose
	f.loose = nil
	return trees, loose
}

func (f *flusher) restore(trees []*tree, took []pending, loose []func(*sql.Tx) error) {
	for i, t := range trees {
		t.putBack(took[i])
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.loose = append(loose, f.loose...)
	f.ring()
}
