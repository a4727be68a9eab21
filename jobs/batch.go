package jobs

import (
	"context"
	"sync"
	"time"

	"gatehouse/app/order"
)

// How lines of a step are gathered: a page sees each within a blink, and a chatty step does not write each by itself.
const (
	batchEvery = 100 * time.Millisecond
	batchLines = 500
)

// batch gathers the lines that a step says and writes many at once.
type batch struct {
	write func(ctx context.Context, lines []order.Line)
	now   func() time.Time

	mu    sync.Mutex // also keeps batches in their order
	lines []order.Line
	stop  chan struct{}
	ended sync.WaitGroup
}

// newBatch begins to write; close ends that.
func newBatch(ctx context.Context, now func() time.Time, write func(context.Context, []order.Line)) *batch {
	b := &batch{write: write, now: now, stop: make(chan struct{})}
	b.ended.Go(func() {
		tick := time.NewTicker(batchEvery)
		defer tick.Stop()
		for {
			select {
			case <-b.stop:
				return
			case <-tick.C:
				b.flush(ctx)
			}
		}
	})
	return b
}

// say takes lines. Those that would be too many to wait are written at once, which holds the step up as long.
func (b *batch) say(ctx context.Context, texts ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range texts {
		b.lines = append(b.lines, order.Line{At: b.now().UTC(), Text: text})
	}
	if len(b.lines) >= batchLines {
		b.flushLocked(ctx)
	}
}

func (b *batch) flush(ctx context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flushLocked(ctx)
}

func (b *batch) flushLocked(ctx context.Context) {
	if len(b.lines) == 0 {
		return
	}
	b.write(context.WithoutCancel(ctx), b.lines)
	b.lines = nil
}

// close writes what is left: before the order goes on, so that its log reads in order.
func (b *batch) close(ctx context.Context) {
	close(b.stop)
	b.ended.Wait()
	b.flush(ctx)
}
