package db

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/app/server"
	"gatehouse/app/tune"
)

// History keeps what servers measured. It is server.Histories, and what the job that makes it smaller works with.
type History struct {
	DB   *DB
	Keep tune.Value[[3]time.Duration] // how long heartbeats, steps of five minutes and of an hour stay
}

var _ server.Histories = (*History)(nil)

// measures are the columns of what is measured, in the order in which Points reads them.
var measures = []string{"cpu", "mem", "disk", "net_in", "net_out", "containers"}

// rollColumns are the columns of a coarser row, and binned what they are of finer ones. A mean weighs each row with its
// heartbeats.
var rollColumns, binned = func() (columns, of string) {
	var names, values []string
	for _, m := range measures {
		names = append(names, m, m+"_min", m+"_max")
		values = append(values, "sum("+m+" * n) / nullif(sum(n) FILTER (WHERE "+m+" IS NOT NULL), 0)",
			"min(coalesce("+m+"_min, "+m+"))", "max(coalesce("+m+"_max, "+m+"))")
	}
	return strings.Join(names, ", "), strings.Join(values, ", ")
}()

// pointsSQL reads a history in steps: rows of the coarsest step as far as they are complete, then finer ones.
var pointsSQL = `WITH marks AS (
		SELECT coalesce(max(until) FILTER (WHERE step = 300), '-infinity') AS fives,
			coalesce(max(until) FILTER (WHERE step = 3600), '-infinity') AS hours FROM server_history_marks
	), edges AS (
		SELECT CASE WHEN @coarse::int >= 3600 THEN hours ELSE '-infinity' END AS hours_end,
			CASE WHEN @coarse::int >= 300 THEN fives ELSE '-infinity' END AS fives_end FROM marks
	), samples AS (
		SELECT h.* FROM server_history AS h, edges WHERE h.server_id = @server AND h.step = 3600 AND h.at >= @from AND h.at < @to
			AND h.at < hours_end
		UNION ALL
		SELECT h.* FROM server_history AS h, edges WHERE h.server_id = @server AND h.step = 300 AND h.at >= @from AND h.at < @to
			AND h.at >= hours_end AND h.at < fives_end
		UNION ALL
		SELECT h.* FROM server_history AS h, edges WHERE h.server_id = @server AND h.step = 0 AND h.at >= @from AND h.at < @to
			AND h.at >= greatest(hours_end, fives_end)
	)
	SELECT date_bin(make_interval(secs => @step), at, @from::timestamptz) AS bin, sum(n)::int, ` + binned + `
	FROM samples GROUP BY bin ORDER BY bin`

// Points reads a history of a server in steps.
func (h *History) Points(ctx context.Context, id server.ID, c server.Cut, from, to time.Time) ([]server.Point, error) {
	rows, err := h.DB.pgx(ctx).Query(ctx, pointsSQL, cached, named{
		"server": id, "coarse": int(c.From.Seconds()), "from": from, "to": to, "step": c.Step.Seconds(),
	})
	if err != nil {
		return nil, fmt.Errorf("read history: %w", toFault(err))
	}
	points, err := pgx.CollectRows(rows, pointOf)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", toFault(err))
	}
	return points, nil
}

func pointOf(row pgx.CollectableRow) (p server.Point, err error) {
	stats := []*server.Stat{&p.CPU, &p.Mem, &p.Disk, &p.NetIn, &p.NetOut, &p.Boxes}
	values := make([]*float64, 3*len(stats))
	into := []any{&p.At, &p.Beats}
	for i := range values {
		into = append(into, &values[i])
	}
	if err := row.Scan(into...); err != nil {
		return p, err
	}
	for i, s := range stats {
		if avg := values[3*i]; avg != nil {
			*s = server.Stat{Known: true, Avg: *avg, Min: *values[3*i+1], Max: *values[3*i+2]}
		}
	}
	p.At = p.At.UTC()
	return p, nil
}

// level is one step of the history: what its rows are made of, and how long they stay.
type level struct {
	step, of int // seconds; of is the step of the finer rows, -1 for heartbeats themselves
	piece    time.Duration
	keep     time.Duration
}

// levels are the steps, the finest first. A piece is what one transaction works through.
var levels = []level{
	{0, -1, 15 * time.Minute, 0},
	{300, 0, 15 * time.Minute, 0},
	{3600, 300, 6 * time.Hour, 0},
}

// settled is how old a heartbeat is when none from before it can come any more: one that is stored right now carries the
// time at which it came.
const settled = time.Minute

// Roll works the history through: finer rows become coarser ones, and what is too old goes. Every piece is a transaction of
// its own that begins where the last one ended, so being killed costs one piece, and two hubs at once do it once. It ends
// when there is nothing left or ctx ends, and says how many rows it made and dropped.
func (h *History) Roll(ctx context.Context, now time.Time) (made, dropped int64, err error) {
	for _, l := range levels[1:] {
		n, err := h.every(ctx, l, func(l level) (int64, bool, error) { return h.rollPiece(ctx, l, now) })
		if made += n; err != nil {
			return made, dropped, fmt.Errorf("roll history up to steps of %d s: %w", l.step, err)
		}
	}
	keep := h.Keep.Or([3]time.Duration{server.KeepBeats, server.KeepFives, server.KeepHours})
	for i, l := range levels {
		l.keep = keep[i]
		n, err := h.every(ctx, l, func(l level) (int64, bool, error) { return h.dropPiece(ctx, l, now) })
		if dropped += n; err != nil {
			return made, dropped, fmt.Errorf("drop history in steps of %d s: %w", l.step, err)
		}
	}
	return made, dropped, nil
}

// widest is how much longer than usual a piece becomes where there are no rows: after a long rest most pieces are empty.
const widest = 32

// every runs fn piece by piece until it says that it is through.
func (h *History) every(ctx context.Context, l level, fn func(level) (int64, bool, error)) (sum int64, err error) {
	for wide := time.Duration(1); ctx.Err() == nil; {
		piece := l
		piece.piece *= wide
		n, through, err := fn(piece)
		if sum += n; err != nil || through {
			return sum, err
		}
		if wide = min(2*wide, widest); n > 0 {
			wide = 1
		}
	}
	return sum, ctx.Err()
}

// rollPiece makes the coarser rows of one piece.
func (h *History) rollPiece(ctx context.Context, l level, now time.Time) (made int64, through bool, err error) {
	err = h.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		until, err := h.mark(ctx, tx, l, "until")
		if err != nil {
			return err
		}
		end := until.Add(l.piece)
		if limit, err := h.complete(ctx, tx, l, now); err != nil {
			return err
		} else if end.After(limit) {
			end = limit
		}
		if through = !end.After(until); through {
			return nil
		}
		tag, err := tx.PGX.Exec(ctx, `INSERT INTO server_history (server_id, step, at, n, `+rollColumns+`)
			SELECT server_id, @step::int, date_bin(make_interval(secs => @step), at, 'epoch') AS bin, sum(n), `+binned+`
			FROM server_history WHERE step = `+strconv.Itoa(l.of)+` AND at >= @from AND at < @to GROUP BY server_id, bin
			ON CONFLICT DO NOTHING`, named{"step": l.step, "from": until, "to": end})
		if err != nil {
			return toFault(err)
		}
		made = tag.RowsAffected()
		return h.setMark(ctx, tx, l, "until", end)
	})
	return made, through, err
}

// complete is until when the finer rows are all there, in whole steps.
func (h *History) complete(ctx context.Context, tx Tx, l level, now time.Time) (time.Time, error) {
	step := time.Duration(l.step) * time.Second
	if l.of == 0 {
		return now.Add(-settled).Truncate(step), nil
	}
	var until time.Time
	const mark = "SELECT coalesce((SELECT until FROM server_history_marks WHERE step = @of), 'epoch')"
	err := tx.PGX.QueryRow(ctx, mark, named{"of": l.of}).Scan(&until)
	if err != nil {
		return time.Time{}, toFault(err)
	}
	return until.UTC().Truncate(step), nil
}

// dropPiece forgets the rows of one piece that are older than they are kept, if the coarser rows are made of them.
func (h *History) dropPiece(ctx context.Context, l level, now time.Time) (dropped int64, through bool, err error) {
	err = h.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		since, err := h.mark(ctx, tx, l, "since")
		if err != nil {
			return err
		}
		limit := now.Add(-l.keep)
		var above *time.Time
		const mark = "SELECT max(until) FROM server_history_marks WHERE step = @above"
		err = tx.PGX.QueryRow(ctx, mark, named{"above": coarser(l.step)}).Scan(&above)
		if err != nil {
			return toFault(err)
		}
		if above != nil && above.Before(limit) {
			limit = *above
		}
		end := since.Add(l.piece)
		if end.After(limit) {
			end = limit
		}
		if through = !end.After(since); through {
			return nil
		}
		tag, err := tx.PGX.Exec(ctx, "DELETE FROM server_history WHERE step = "+strconv.Itoa(l.step)+" AND at >= @from AND at < @to",
			named{"from": since, "to": end})
		if err != nil {
			return toFault(err)
		}
		dropped = tag.RowsAffected()
		return h.setMark(ctx, tx, l, "since", end)
	})
	return dropped, through, err
}

// coarser is the step that is made of rows of step; -1 for the coarsest, of which nothing is made: there is no such mark.
func coarser(step int) int {
	for _, l := range levels {
		if l.of == step {
			return l.step
		}
	}
	return -1
}

// never is a mark of a step that has no rows yet, nor is made of any.
var never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// mark reads a mark of a step and locks it. The first one lies at the oldest row that the step is made of, or has.
func (h *History) mark(ctx context.Context, tx Tx, l level, which string) (time.Time, error) {
	at, err := h.lockMark(ctx, tx, l, which)
	if err != nil || !at.Equal(never) {
		return at, err
	}
	_, err = tx.PGX.Exec(ctx, `INSERT INTO server_history_marks (step, until, since)
		SELECT @step::int, first.at, first.at FROM (
			SELECT date_bin(make_interval(secs => greatest(@step, 1)), min(at), 'epoch') AS at
			FROM server_history WHERE step = `+strconv.Itoa(max(l.of, 0))+`
		) AS first WHERE first.at IS NOT NULL ON CONFLICT DO NOTHING`, named{"step": l.step})
	if err != nil {
		return at, toFault(err)
	}
	return h.lockMark(ctx, tx, l, which)
}

func (h *History) lockMark(ctx context.Context, tx Tx, l level, which string) (at time.Time, err error) {
	err = tx.PGX.QueryRow(ctx, "SELECT "+which+" FROM server_history_marks WHERE step = @step FOR UPDATE", named{"step": l.step}).Scan(&at)
	if errors.Is(err, pgx.ErrNoRows) {
		return never, nil
	}
	return at.UTC(), toFault(err)
}

func (h *History) setMark(ctx context.Context, tx Tx, l level, which string, at time.Time) error {
	_, err := tx.PGX.Exec(ctx, "UPDATE server_history_marks SET "+which+" = @at WHERE step = @step", named{"step": l.step, "at": at})
	return toFault(err)
}
