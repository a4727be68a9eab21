package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/server"
)

// Links keeps both directions of the links to servers: frames that wait, and what was applied.
type Links struct{ DB *DB }

// ServerOf finds the server that the customer talks to.
func (l *Links) ServerOf(ctx context.Context, of account.CustomerID) (id server.ID, err error) {
	err = l.DB.reader(ctx).QueryRow(ctx, "SELECT id::text FROM servers WHERE customer_id = $1 AND revoked_at IS NULL", cached, string(of)).
		Scan((*string)(&id))
	if err != nil {
		return "", fmt.Errorf("find server: %w", toFault(err))
	}
	return id, nil
}

// SealKey is the key to which bodies for a server are sealed; ErrNotFound before it has registered.
func (l *Links) SealKey(ctx context.Context, id server.ID) (key string, err error) {
	err = l.DB.reader(ctx).QueryRow(ctx, "SELECT seal_key FROM servers WHERE id = $1 AND seal_key IS NOT NULL", cached, string(id)).Scan(&key)
	if err != nil {
		return "", fmt.Errorf("find seal key: %w", toFault(err))
	}
	return key, nil
}

// Put adds a frame to the outbox of a server, in the transaction of ctx. Frames of one server get their numbers in the
// order in which their transactions commit.
func (l *Links) Put(ctx context.Context, id server.ID, f wire.Frame) error {
	err := l.DB.joined(ctx, func(ctx context.Context, tx joint) error {
		_, err := tx.pgx.Exec(ctx, `WITH head AS (
				INSERT INTO link_out_heads AS h (server_id, seq) VALUES ($1, 1)
				ON CONFLICT (server_id) DO UPDATE SET seq = h.seq + 1 RETURNING seq)
			INSERT INTO link_out (server_id, seq, id, type, time, body) SELECT $1, head.seq, $2, $3, $4, $5 FROM head`, cached,
			string(id), f.ID, string(f.Type), f.Time, string(f.Body))
		return err
	})
	if err != nil {
		return fmt.Errorf("put %s in outbox: %w", f.Type, toFault(err))
	}
	return nil
}

// Waiting says whether frames of a type wait for a server.
func (l *Links) Waiting(ctx context.Context, id server.ID, t wire.Type) (waits bool, err error) {
	err = l.DB.reader(ctx).QueryRow(ctx, "SELECT EXISTS (SELECT FROM link_out WHERE server_id = $1 AND type = $2)", cached, string(id), string(t)).
		Scan(&waits)
	if err != nil {
		return false, fmt.Errorf("look into outbox: %w", toFault(err))
	}
	return waits, nil
}

// Frames reads what waits for a server above a number, in order.
func (l *Links) Frames(ctx context.Context, id server.ID, after int64, limit int) ([]wire.Frame, error) {
	rows, err := l.DB.reader(ctx).Query(ctx, `SELECT seq, id::text, type, time, body::text FROM link_out
		WHERE server_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`, cached, string(id), after, limit)
	if err != nil {
		return nil, fmt.Errorf("read outbox: %w", toFault(err))
	}
	frames, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (wire.Frame, error) {
		f := wire.Frame{V: wire.Version}
		var body string
		err := row.Scan(&f.Seq, &f.ID, (*string)(&f.Type), &f.Time, &body)
		f.Body = []byte(body)
		return f, err
	})
	if err != nil {
		return nil, fmt.Errorf("read outbox: %w", toFault(err))
	}
	return frames, nil
}

// Acked forgets what a server has applied, if epoch is still its newest connection.
func (l *Links) Acked(ctx context.Context, id server.ID, epoch, upTo int64) error {
	_, err := l.DB.reader(ctx).Exec(ctx, `DELETE FROM link_out WHERE server_id = $1 AND seq <= $3
		AND EXISTS (SELECT FROM link_in_heads WHERE server_id = $1 AND epoch = $2)`, cached, string(id), epoch, upTo)
	if err != nil {
		return fmt.Errorf("trim outbox: %w", toFault(err))
	}
	return nil
}
