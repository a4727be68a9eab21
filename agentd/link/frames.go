package link

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"gatehouse/agentd/wire"
)

// Taker takes the body of a reliable frame in tx, as Handler.Apply does.
type Taker func(ctx context.Context, tx *sql.Tx, body json.RawMessage) error

// Frames holds the taker of each type of frame.
type Frames map[wire.Type]Taker

// Take makes a taker of a function that takes the body. A body that cannot be read is refused, and so is one that the
// function answers with a *wire.RPCError: it would come again and again.
func Take[T any](to func(context.Context, *sql.Tx, T) error) Taker {
	return func(ctx context.Context, tx *sql.Tx, raw json.RawMessage) error {
		var body T
		if err := json.Unmarshal(raw, &body); err != nil {
			return fmt.Errorf("%w: its body cannot be read: %w", ErrRefused, err)
		}
		err := to(ctx, tx, body)
		var no *wire.RPCError
		if errors.As(err, &no) {
			return fmt.Errorf("%w: %w", ErrRefused, err)
		}
		return err
	}
}

// Apply hands f to the taker of its type.
func (fs Frames) Apply(ctx context.Context, tx *sql.Tx, f wire.Frame) error {
	to := fs[f.Type]
	if to == nil {
		return fmt.Errorf("%w: agentd takes no frame %q", ErrRefused, f.Type)
	}
	return to(ctx, tx, f.Body)
}
