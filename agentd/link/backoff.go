package link

import (
	"context"
	"math/rand/v2"
	"time"
)

// backoff is how long to wait before the next try: anything up to a limit that doubles (full jitter), so that servers
// which lost their hub together do not come back together.
type backoff struct {
	min, max time.Duration
	limit    time.Duration
}

// next draws the next wait.
func (b *backoff) next() time.Duration {
	b.limit = min(max(b.limit*2, b.min), b.max)
	return rand.N(b.limit) + 1
}

func (b *backoff) reset() { b.limit = 0 }

// sleep waits for the next try; it ends early with ctx's error.
func (b *backoff) sleep(ctx context.Context) error { return pause(ctx, b.next()) }

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
