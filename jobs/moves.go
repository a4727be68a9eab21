package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrStuck says that queued work waits although its time has come.
var ErrStuck = errors.New("queued work waits")

// stuckAfter is how long work may wait before the queue counts as stuck.
const stuckAfter = time.Minute

// Moves says whether queued work is done, and ErrStuck when it waits for a minute.
func Moves(ctx context.Context, pool *pgxpool.Pool) error {
	var stuck bool
	err := pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM river_job WHERE state = 'available' AND scheduled_at < $1)", time.Now().Add(-stuckAfter)).Scan(&stuck)
	if err != nil {
		return fmt.Errorf("look at queue: %w", err)
	}
	if stuck {
		return ErrStuck
	}
	return nil
}
