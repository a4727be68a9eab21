package db

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/relay"
	"gatehouse/app/server"
)

// Apply takes one reliable frame of a server: fn, which does what the frame says, the frame's id and its number are one
// transaction, and a frame that was applied before changes nothing. When fn's error means that the frame can never be
// applied, what fn wrote is taken back and the frame is noted as refused; with any other error nothing is kept.
func (l *Links) Apply(
	ctx context.Context, id server.ID, epoch int64, f wire.Frame, now time.Time, fn func(context.Context) error,
) (done relay.Applied, err error) {
	err = l.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if done, err = take(ctx, tx.PGX, id, epoch, f); err != nil || !done.Fresh {
			return err
		}
		why := tx.RunInTx(ctx, nil, func(context.Context, bun.Tx) error { return fn(ctx) }) // up to a savepoint
		if why != nil && !final(why) {
			return why
		}
		done.Refused = why
		_, err := tx.PGX.Exec(ctx, `INSERT INTO link_in (server_id, id, type, refused, applied_at)
			VALUES (@server, @id, @type, @refused, @now)`,
			cached, named{"server": id, "id": f.ID, "type": f.Type, "refused": refusal(why), "now": now})
		return err
	})
	if err != nil {
		return relay.Applied{}, fmt.Errorf("apply frame %s: %w", f.ID, err)
	}
	return done, nil
}

// take locks the direction, says whether the frame is new, and moves the number on.
func take(ctx context.Context, tx pgx.Tx, id server.ID, epoch int64, f wire.Frame) (relay.Applied, error) {
	var newest, seq int64
	err := tx.QueryRow(ctx, "SELECT epoch, seq FROM link_in_heads WHERE server_id = @server FOR UPDATE",
		cached, named{"server": id}).Scan(&newest, &seq)
	switch {
	case err != nil:
		return relay.Applied{}, toFault(err)
	case newest != epoch:
		return relay.Applied{}, relay.ErrFenced
	case f.Seq <= seq:
		return relay.Applied{Seq: seq}, nil
	case f.Seq > seq+1:
		return relay.Applied{}, relay.ErrGap
	}
	var known bool
	err = tx.QueryRow(ctx, `WITH moved AS (UPDATE link_in_heads SET seq = @seq WHERE server_id = @server)
		SELECT EXISTS (SELECT FROM link_in WHERE server_id = @server AND id = @id)`,
		cached, named{"server": id, "seq": f.Seq, "id": f.ID}).Scan(&known)
	if err != nil {
		return relay.Applied{}, err
	}
	return relay.Applied{Seq: f.Seq, Fresh: !known}, nil
}

// final says whether an error would come again however often the frame does: it was refused by a rule, or by a
// constraint of the database. Lost locks and lost connections are not.
func final(err error) bool {
	if errors.Is(err, ErrChanged) || errors.Is(err, ErrBusy) {
		return false
	}
	if state := sqlState(err); strings.HasPrefix(state, "22") || strings.HasPrefix(state, "23") {
		return true
	}
	switch fault.Of(err).Kind {
	case fault.Invalid, fault.NotFound, fault.Forbidden, fault.Conflict, fault.Gone:
		return true
	}
	return false
}

// refusal is the code of the reason, which shows no contents.
func refusal(why error) string {
	if why == nil {
		return ""
	}
	return fault.Of(why).Code
}
