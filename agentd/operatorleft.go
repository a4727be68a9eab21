package agentd

import (
	"context"
	"errors"
	"time"

	"gatehouse/agentd/store"
)

// leftEvery is how often agentd looks for calls of commands that were killed.
const leftEvery = 15 * time.Second

// endLeft ends the calls that a killed command of the operator has left. While one is at work, its calls are its own.
func (d *Daemon) endLeft(ctx context.Context) error {
	lock, err := store.Hold(d.cfg.State, operatorLock)
	if errors.Is(err, store.ErrHeld) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(d.gate.EndLeft(ctx, operators), lock.Close())
}

// keepEnding is endLeft from time to time. What failed is tried again.
func (d *Daemon) keepEnding(ctx context.Context) error {
	tick := time.NewTicker(leftEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		if err := d.endLeft(ctx); err != nil && ctx.Err() == nil {
			d.log.ErrorContext(ctx, "calls of the operator not ended; tried again", "error", err)
		}
	}
}
