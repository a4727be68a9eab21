package runtime

import (
	"context"
	"maps"
	"slices"
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
	loose []func(txn) error // changes of trees that are no longer at work
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

func (f *flusher) later(change func(txn) error) {
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

// flush keeps what is pending.
func (f *flusher) flush() error {
	trees, loose := f.collect()
	if len(trees) == 0 && len(loose) == 0 {
		return nil
	}
	take := make([]func() pending, len(trees))
	for i, t := range trees {
		take[i] = t.takeOnce()
	}
	err := write(context.Background(), f.store, func(tx txn) error {
		for _, take := range take {
			if err := take().apply(tx); err != nil {
				return err
			}
		}
		for _, do := range loose {
			if err := do(tx); err != nil {
				return err
			}
		}
		return nil
	})
	for i, t := range trees {
		t.settle(take[i](), err)
	}
	if err != nil {
		f.restore(trees, loose)
	}
	return err
}

func (f *flusher) collect() ([]*tree, []func(txn) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	trees := slices.Collect(maps.Keys(f.dirty))
	clear(f.dirty)
	loose := f.loose
	f.loose = nil
	return trees, loose
}

func (f *flusher) restore(trees []*tree, loose []func(txn) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range trees {
		f.dirty[t] = true
	}
	f.loose = append(loose, f.loose...)
	f.ring()
}
