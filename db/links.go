package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/server"
)

// Links keeps both directions of the links to servers: frames that wait, and what was applied. Its statements are pgx's:
// every frame passes through them, and prepared ones are faster.
type Links struct{ DB *DB }

// ServerOf finds the server that the customer talks to.
func (l *Links) ServerOf(ctx context.Context, of account.CustomerID) (id server.ID, err error) {
	err = l.DB.pgx(ctx).QueryRow(ctx, "SELECT id::text FROM servers WHERE customer_id = @customer AND revoked_at IS NULL AND NOT next",
		cached, named{"customer": of}).Scan(&id)
	if err != nil {
		return "", fmt.Errorf("find server: %w", toFault(err))
	}
	return id, nil
}

// SealKey is the key to which bodies for a server are sealed; ErrNotFound before it has registered.
func (l *Links) SealKey(ctx context.Context, id server.ID) (key string, err error) {
	err = l.DB.pgx(ctx).QueryRow(ctx, "SELECT seal_key FROM servers WHERE id = @server AND seal_key IS NOT NULL",
		cached, named{"server": id}).Scan(&key)
	if err != nil {
		return "", fmt.Errorf("find seal key: %w", toFault(err))
	}
	return key, nil
}

// Put adds a frame to the outbox of a server, in the transaction of ctx. Frames of one server get their numbers in the
// order in which their transactions commit.
func (l *Links) Put(ctx context.Context, id server.ID, f wire.Frame) error {
	_, err := l.DB.pgx(ctx).Exec(ctx, `WITH head AS (
			INSERT INTO link_out_heads AS h (server_id, seq) VALUES (@server, 1)
			ON CONFLICT (server_id) DO UPDATE SET seq = h.seq + 1 RETURNING seq)
		INSERT INTO link_out (server_id, seq, id, type, time, body) SELECT @server, head.seq, @id, @type, @time, @body FROM head`,
		cached, named{"server": id, "id": f.ID, "type": f.Type, "time": f.Time, "body": string(f.Body)})
	if err != nil {
		return fmt.Errorf("put %s in outbox: %w", f.Type, toFault(err))
	}
	return nil
}

// Waiting says whether frames of a type wait for a server.
func (l *Links) Waiting(ctx context.Context, id server.ID, t wire.Type) (waits bool, err error) {
	err = l.DB.pgx(ctx).QueryRow(ctx, "SELECT EXISTS (SELECT FROM link_out WHERE server_id = @server AND type = @type)",
		cached, named{"server": id, "type": t}).Scan(&waits)
	if err != nil {
		return false, fmt.Errorf("look into outbox: %w", toFault(err))
	}
	return waits, nil
}

// Frames reads what waits for a server above a number, in order.
func (l *Links) Frames(ctx context.Context, id server.ID, after int64, limit int) ([]wire.Frame, error) {
	rows, err := l.DB.pgx(ctx).Query(ctx, `SELECT seq, id::text, type, time, body::text FROM link_out
		WHERE server_id = @server AND seq > @after ORDER BY seq LIMIT @limit`,
		cached, named{"server": id, "after": after, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("read outbox: %w", toFault(err))
	}
	frames, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (wire.Frame, error) {
		f := wire.Frame{V: wire.Version}
		var body string
		err := row.Scan(&f.Seq, &f.ID, &f.Type, &f.Time, &body)
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
	_, err := l.DB.pgx(ctx).Exec(ctx, `DELETE FROM link_out WHERE server_id = @server AND seq <= @up_to
		AND EXISTS (SELECT FROM link_in_heads WHERE server_id = @server AND epoch = @epoch)`,
		cached, named{"server": id, "epoch": epoch, "up_to": upTo})
	if err != nil {
		return fmt.Errorf("trim outbox: %w", toFault(err))
	}
	return nil
}
