package jobs

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// RetryTx makes a job that does not run ready to be tried at once. It is part of db.JobDesk.
func (q *Queue) RetryTx(ctx context.Context, tx pgx.Tx, id int64) error {
	if _, err := q.client.JobRetryTx(ctx, tx, id); err != nil {
		return fmt.Errorf("retry job %d: %w", id, err)
	}
	return nil
}

// CancelTx keeps a job from being tried again; one that runs is told to stop.
func (q *Queue) CancelTx(ctx context.Context, tx pgx.Tx, id int64) error {
	if _, err := q.client.JobCancelTx(ctx, tx, id); err != nil {
		return fmt.Errorf("cancel job %d: %w", id, err)
	}
	return nil
}

// PauseTx has all workers begin nothing more in a queue, or go on.
func (q *Queue) PauseTx(ctx context.Context, tx pgx.Tx, queue string, paused bool) error {
	change := q.client.QueueResumeTx
	if paused {
		change = q.client.QueuePauseTx
	}
	if err := change(ctx, tx, queue, nil); err != nil {
		return fmt.Errorf("pause queue %s (%t): %w", queue, paused, err)
	}
	return nil
}
