package db

import (
	"context"
	"fmt"
	"time"

	"gatehouse/app/server"
)

// forgetFrames is how long ids of applied frames are remembered beyond their numbers.
const forgetFrames = 7 * 24 * time.Hour

// Open begins a connection of a server that has applied our frames up to resume. It makes the connection the newest one,
// and brings the numbers of the outbox in line.
func (l *Links) Open(ctx context.Context, id server.ID, resume int64, now time.Time) (epoch, applied int64, err error) {
	err = l.DB.joined(ctx, func(ctx context.Context, tx joint) error {
		err := tx.pgx.QueryRow(ctx, `INSERT INTO link_in_heads AS h (server_id, epoch, seq) VALUES ($1, 1, 0)
			ON CONFLICT (server_id) DO UPDATE SET epoch = h.epoch + 1 RETURNING epoch, seq`, cached, string(id)).Scan(&epoch, &applied)
		if err != nil {
			return err
		}
		if _, err := tx.pgx.Exec(ctx, "DELETE FROM link_in WHERE server_id = $1 AND applied_at < $2", cached, string(id), now.Add(-forgetFrames)); err != nil {
			return err
		}
		return align(ctx, tx, id, resume)
	})
	if err != nil {
		return 0, 0, fmt.Errorf("open link: %w", toFault(err))
	}
	return epoch, applied, nil
}

// align gives what waits the numbers that follow what the server has, when they do not follow already: the word that it
// has some of it was lost, or one of the two was set back to an older copy of its data. What the server has it knows by
// its id, whatever its number.
func align(ctx context.Context, tx joint, id server.ID, resume int64) error {
	var last, waiting, first int64
	err := tx.pgx.QueryRow(ctx, `INSERT INTO link_out_heads AS h (server_id, seq) VALUES ($1, $2)
		ON CONFLICT (server_id) DO UPDATE SET seq = h.seq RETURNING seq`, cached, string(id), resume).Scan(&last)
	if err != nil {
		return err
	}
	err = tx.pgx.QueryRow(ctx, "SELECT count(*), coalesce(min(seq), 0) FROM link_out WHERE server_id = $1", cached, string(id)).Scan(&waiting, &first)
	if err != nil || last == resume+waiting && (waiting == 0 || first == resume+1) {
		return err
	}
	if _, err := tx.pgx.Exec(ctx, "SET CONSTRAINTS link_out_pkey DEFERRED"); err != nil {
		return err
	}
	if _, err := tx.pgx.Exec(ctx, `UPDATE link_out o SET seq = $2 + w.place
		FROM (SELECT id, row_number() OVER (ORDER BY seq) AS place FROM link_out WHERE server_id = $1) AS w WHERE o.id = w.id`,
		cached, string(id), resume); err != nil {
		return err
	}
	_, err = tx.pgx.Exec(ctx, "UPDATE link_out_heads SET seq = $2 WHERE server_id = $1", cached, string(id), resume+waiting)
	return err
}
