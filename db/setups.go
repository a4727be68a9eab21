package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/order"
	"gatehouse/app/provider/vpshost/setup"
)

// Setups keeps how far the set-up of each server's machine is. It is setup.Record.
type Setups struct {
	DB  *DB
	Now func() time.Time
}

var _ setup.Record = (*Setups)(nil)

// setupStepRow mirrors table setup_steps.
type setupStepRow struct {
	bun.BaseModel `bun:"table:setup_steps,alias:p"`
	ServerID      string    `bun:"server_id,pk"`
	Attempt       int       `bun:"attempt,pk"`
	Step          string    `bun:"step,pk"`
	State         string    `bun:"state"`
	Note          string    `bun:"note"`
	StartedAt     time.Time `bun:"started_at"`
	EndedAt       time.Time `bun:"ended_at,nullzero"`
}

func (r setupStepRow) note() setup.Note {
	return setup.Note{Step: r.Step, Attempt: r.Attempt, State: setup.State(r.State), Text: r.Note, Started: r.StartedAt, Ended: r.EndedAt}
}

// Begin takes charge of a server's set-up. One statement decides: of two workers at once, the second finds the first's beat.
func (s *Setups) Begin(ctx context.Context, serverID string) (attempt int, err error) {
	now := s.Now().UTC()
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if err := wanted(ctx, tx, serverID); err != nil {
			return err
		}
		err := tx.NewRaw(`INSERT INTO setups AS s (server_id, attempt, beat_at) VALUES (?, 1, ?)
			ON CONFLICT (server_id) DO UPDATE SET attempt = s.attempt + 1, beat_at = excluded.beat_at, ended_at = NULL
			WHERE s.ended_at IS NOT NULL OR s.beat_at < ? RETURNING attempt`, serverID, now, now.Add(-setup.Silence)).Scan(ctx, &attempt)
		if err = toFault(err); errors.Is(err, ErrNotFound) {
			return setup.ErrBusy
		}
		if err != nil {
			return fmt.Errorf("begin set-up: %w", err)
		}
		_, err = tx.NewUpdate().Model((*setupStepRow)(nil)).Set("state = ?", setup.Cut).Set("ended_at = ?", now).
			Where("p.server_id = ?", serverID).Where("p.state = ?", setup.Running).Exec(ctx)
		return toFault(err)
	})
	return attempt, err
}

// wanted answers setup.ErrStopped when the order of a server was stopped. It keeps the order from being stopped until the
// transaction ends: whoever stops it then sees what began before.
func wanted(ctx context.Context, tx Tx, serverID string) error {
	var state string
	err := tx.NewSelect().Model((*orderRow)(nil)).Column("o.state").Join("JOIN servers AS s ON s.order_id = o.id").
		Where("s.id = ?", serverID).For("SHARE OF o").Scan(ctx, &state)
	if err != nil {
		return fmt.Errorf("look at order of a set-up: %w", toFault(err))
	}
	if order.State(state).GivesBack() || order.State(state).Over() {
		return setup.ErrStopped
	}
	return nil
}

// Busy says whether a worker is at a server's set-up and was heard of lately.
func (s *Setups) Busy(ctx context.Context, serverID string) (bool, error) {
	busy, err := s.DB.NewSelect().Table("setups").Where("server_id = ?", serverID).Where("ended_at IS NULL").
		Where("beat_at >= ?", s.Now().UTC().Add(-setup.Silence)).Exists(ctx)
	if err != nil {
		return false, fmt.Errorf("look for worker of a set-up: %w", toFault(err))
	}
	return busy, nil
}

// Beat says that the worker is at work.
func (s *Setups) Beat(ctx context.Context, serverID string, attempt int) error {
	return s.mine(ctx, s.DB, serverID, attempt, "beat_at = ?", s.Now().UTC())
}

// Leave ends the attempt.
func (s *Setups) Leave(ctx context.Context, serverID string, attempt int) error {
	return s.mine(ctx, s.DB, serverID, attempt, "ended_at = ?", s.Now().UTC())
}

// mine changes a set-up for the worker whose attempt is the newest. It locks the row until the transaction ends.
func (s *Setups) mine(ctx context.Context, db bun.IDB, serverID string, attempt int, set string, now time.Time) error {
	res, err := db.NewUpdate().Table("setups").Set(set, now).Where("server_id = ?", serverID).Where("attempt = ?", attempt).Exec(ctx)
	if err != nil {
		return fmt.Errorf("note set-up: %w", toFault(err))
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, setup.ErrOvertaken)
	}
	return nil
}

// Start notes that a step begins.
func (s *Setups) Start(ctx context.Context, serverID string, attempt int, step string) error {
	return s.step(ctx, serverID, attempt, func(ctx context.Context, tx Tx, now time.Time) error {
		if err := wanted(ctx, tx, serverID); err != nil {
			return err
		}
		row := setupStepRow{ServerID: serverID, Attempt: attempt, Step: step, State: string(setup.Running), StartedAt: now}
		_, err := tx.NewInsert().Model(&row).Exec(ctx)
		return err
	})
}

// End notes how a step ended.
func (s *Setups) End(ctx context.Context, serverID string, attempt int, step string, state setup.State, text string) error {
	return s.step(ctx, serverID, attempt, func(ctx context.Context, tx Tx, now time.Time) error {
		_, err := tx.NewUpdate().Model((*setupStepRow)(nil)).Set("state = ?", state).Set("note = ?", text).Set("ended_at = ?", now).
			Where("p.server_id = ?", serverID).Where("p.attempt = ?", attempt).Where("p.step = ?", step).Exec(ctx)
		return err
	})
}

func (s *Setups) step(ctx context.Context, serverID string, attempt int, fn func(context.Context, Tx, time.Time) error) error {
	now := s.Now().UTC()
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if err := s.mine(ctx, tx, serverID, attempt, "beat_at = ?", now); err != nil {
			return err
		}
		if err := fn(ctx, tx, now); err != nil {
			return fmt.Errorf("note step of a set-up: %w", toFault(err))
		}
		return nil
	})
}

// Notes lists what became of each step of a server, of each the newest attempt, in the order in which they began.
func (s *Setups) Notes(ctx context.Context, serverID string) ([]setup.Note, error) {
	var rows []setupStepRow
	newest := s.DB.NewSelect().Model((*setupStepRow)(nil)).DistinctOn("p.step").Where("p.server_id = ?", serverID).Order("p.step",
		"p.attempt DESC")
	err := s.DB.NewSelect().Model(&rows).ModelTableExpr("(?) AS p", newest).Order("p.started_at", "p.step").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list steps of a set-up: %w", toFault(err))
	}
	return each(rows, setupStepRow.note), nil
}

// Silent lists the orders whose set-up runs by its row, while nobody was heard of since before.
func (s *Setups) Silent(ctx context.Context, before time.Time) (orders []string, err error) {
	err = s.DB.NewSelect().TableExpr("setups AS u").
		Join("JOIN servers AS s ON s.id = u.server_id").Join("JOIN orders AS o ON o.id = s.order_id").
		ColumnExpr("o.id").Where("u.ended_at IS NULL").Where("u.beat_at < ?", before).Where("o.state = 'PROVISIONING'").Scan(ctx, &orders)
	if err != nil {
		return nil, fmt.Errorf("list silent set-ups: %w", toFault(err))
	}
	return orders, nil
}

// Begun says whether the set-up of a server's machine was ever begun.
func (s *Setups) Begun(ctx context.Context, serverID string) (bool, error) {
	begun, err := s.DB.NewSelect().Table("setups").Where("server_id = ?", serverID).Exists(ctx)
	if err != nil {
		return false, fmt.Errorf("look for set-up: %w", toFault(err))
	}
	return begun, nil
}

// Leaving says whether the last step of a server's set-up was begun, and did not fail.
func (s *Setups) Leaving(ctx context.Context, serverID string) (bool, error) {
	left, err := s.DB.NewSelect().Model((*setupStepRow)(nil)).Where("p.server_id = ?",
		serverID).Where("p.step = 'leave'").Where("p.state <> 'failed'").Exists(ctx)
	if err != nil {
		return false, fmt.Errorf("look for last step of set-up: %w", toFault(err))
	}
	return left, nil
}
