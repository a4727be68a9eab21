package db

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/app/server"
)

// forgetFrames is how long ids of applied frames are remembered beyond their numbers.
const forgetFrames = 7 * 24 * time.Hour

// Open begins a connection of a server that has applied our frames up to resume. It makes the connection the newest one,
// and brings the numbers of the outbox in line.
func (l *Links) Open(ctx context.Context, id server.ID, resume int64, now time.Time) (epoch, applied int64, err error) {
	err = l.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		err := tx.PGX.QueryRow(ctx, `INSERT INTO link_in_heads AS h (server_id, epoch, seq) VALUES (@server, 1, 0)
			ON CONFLICT (server_id) DO UPDATE SET epoch = h.epoch + 1 RETURNING epoch, seq`,
			cached, named{"server": id}).Scan(&epoch, &applied)
		if err != nil {
			return err
		}
		_, err = tx.PGX.Exec(ctx, "DELETE FROM link_in WHERE server_id = @server AND applied_at < @before",
			cached, named{"server": id, "before": now.Add(-forgetFrames)})
		if err != nil {
			return err
		}
		return align(ctx, tx.PGX, id, resume)
	})
	if err != nil {
		return 0, 0, fmt.Errorf("open link: %w", toFault(err))
	}
	return epoch, applied, nil
}

// align gives what waits the numbers that follow what the server has, when they do not follow already: the word that it
// has some of it was lost, or one of the two was set back to an older copy of its data. What the server has it knows by
// its id, whatever its number.
func align(ctx context.Context, tx pgx.Tx, id server.ID, resume int64) error {
	var last, waiting, first int64
	err := tx.QueryRow(ctx, `INSERT INTO link_out_heads AS h (server_id, seq) VALUES (@server, @resume)
		ON CONFLICT (server_id) DO UPDATE SET seq = h.seq RETURNING seq`,
		cached, named{"server": id, "resume": resume}).Scan(&last)
	if err != nil {
		return err
	}
	err = tx.QueryRow(ctx, "SELECT count(*), coalesce(min(seq), 0) FROM link_out WHERE server_id = @server",
		cached, named{"server": id}).Scan(&waiting, &first)
	if err != nil || last == resume+waiting && (waiting == 0 || first == resume+1) {
		return err
	}
	if _, err := tx.Exec(ctx, "SET CONSTRAINTS link_out_pkey DEFERRED"); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE link_out o SET seq = @resume + w.place
		FROM (SELECT id, row_number() OVER (ORDER BY seq) AS place FROM link_out WHERE server_id = @server) AS w WHERE o.id = w.id`,
		cached, named{"server": id, "resume": resume})
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "UPDATE link_out_heads SET seq = @last WHERE server_id = @server",
		cached, named{"server": id, "last": resume + waiting})
	return err
}
