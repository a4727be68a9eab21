package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/payment"
	"gatehouse/app/work"
)

// stripeEventRow mirrors table stripe_events.
type stripeEventRow struct {
	bun.BaseModel `bun:"table:stripe_events,alias:se"`
	ID            string    `bun:"id,pk"`
	Kind          string    `bun:"kind"`
	Object        string    `bun:"object"`
	ObjectID      string    `bun:"object_id"`
	Intent        string    `bun:"intent"`
	Payer         string    `bun:"payer"`
	MadeAt        time.Time `bun:"made_at"`
	Raw           []byte    `bun:"raw"`
	ReceivedAt    time.Time `bun:"received_at"`
	DoneAt        time.Time `bun:"done_at,nullzero"`
	Outcome       string    `bun:"outcome"`
}

func (r stripeEventRow) event() payment.Event {
	return payment.Event{
		ID: r.ID, Kind: r.Kind, Object: r.Object, Of: r.ObjectID, Intent: r.Intent, Payer: r.Payer, At: r.MadeAt, Raw: r.Raw,
		DoneAt: r.DoneAt, Outcome: r.Outcome,
	}
}

// Keep stores an event of the provider as it came and queues its work, once for each id. What comes about a customer who was erased is
// kept without its words: it says only where to look.
func (s *Payments) Keep(ctx context.Context, e payment.Event, at time.Time) (fresh bool, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		gone, err := ofErased(ctx, tx, e)
		if err != nil {
			return err
		}
		if gone {
			e.Raw, e.Payer = []byte("{}"), ""
		}
		row := &stripeEventRow{
			ID: e.ID, Kind: e.Kind, Object: e.Object, ObjectID: e.Of, Intent: e.Intent, Payer: e.Payer, MadeAt: e.At, Raw: e.Raw,
			ReceivedAt: at,
		}
		res, err := tx.NewInsert().Model(row).On("CONFLICT (id) DO NOTHING").Exec(ctx)
		if err != nil {
			return fmt.Errorf("store event: %w", toFault(err))
		}
		n, err := res.RowsAffected()
		if fresh = n == 1; err != nil || !fresh {
			return err
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, []work.Item{work.ReadEvent{EventID: e.ID}})
	})
	return fresh, err
}

// Event finds an event.
func (s *Payments) Event(ctx context.Context, id string) (payment.Event, error) {
	var row stripeEventRow
	if err := s.DB.bun(ctx).NewSelect().Model(&row).Where("se.id = ?", id).Scan(ctx); err != nil {
		return payment.Event{}, fmt.Errorf("load event: %w", toFault(err))
	}
	return row.event(), nil
}

// Done notes that an event was dealt with.
func (s *Payments) Done(ctx context.Context, id, outcome string, at time.Time) error {
	_, err := s.DB.bun(ctx).NewUpdate().Model((*stripeEventRow)(nil)).Set("done_at = ?", at).Set("outcome = ?", outcome).
		Where("se.id = ?", id).Where("se.done_at IS NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("note event: %w", toFault(err))
	}
	return nil
}

// CaughtUp is until when all events were fetched; zero: never.
func (s *Payments) CaughtUp(ctx context.Context) (time.Time, error) {
	var at bun.NullTime
	err := s.DB.bun(ctx).NewSelect().Table("stripe_caught_up").ColumnExpr("max(until)").Scan(ctx, &at)
	if err != nil {
		return time.Time{}, fmt.Errorf("how far events were fetched: %w", toFault(err))
	}
	return at.Time, nil
}

// CatchUpTo notes that all events until then are kept. It never goes back.
func (s *Payments) CatchUpTo(ctx context.Context, until time.Time) error {
	_, err := s.DB.bun(ctx).NewRaw(`INSERT INTO stripe_caught_up AS c (until) VALUES (?)
		ON CONFLICT (one) DO UPDATE SET until = greatest(c.until, EXCLUDED.until)`, until).Exec(ctx)
	if err != nil {
		return fmt.Errorf("note how far events were fetched: %w", toFault(err))
	}
	return nil
}

// disputeRow mirrors table disputes.
type disputeRow struct {
	bun.BaseModel `bun:"table:disputes,alias:dp"`
	ID            string    `bun:"id,pk"`
	PaymentID     string    `bun:"payment_id"`
	Amount        int64     `bun:"amount"`
	Reason        string    `bun:"reason"`
	State         string    `bun:"state"`
	DueAt         time.Time `bun:"due_at,nullzero"`
	OpenedAt      time.Time `bun:"opened_at"`
	SeenAt        time.Time `bun:"seen_at"`
}

// SaveDispute stores how a dispute stands, unless something newer was seen. It says whether nobody knew of it.
func (s *Payments) SaveDispute(ctx context.Context, d payment.Dispute) (fresh bool, err error) {
	row := &disputeRow{
		ID: d.ID, PaymentID: string(d.PaymentID), Amount: int64(d.Amount), Reason: d.Reason, State: d.State, DueAt: d.DueAt,
		OpenedAt: d.OpenedAt, SeenAt: d.SeenAt,
	}
	err = s.DB.bun(ctx).NewInsert().Model(row).On("CONFLICT (id) DO UPDATE").
		Set("state = CASE WHEN dp.seen_at <= EXCLUDED.seen_at THEN EXCLUDED.state ELSE dp.state END").
		Set("due_at = EXCLUDED.due_at").Set("seen_at = greatest(dp.seen_at, EXCLUDED.seen_at)").
		Returning("(xmax = 0)").Scan(ctx, &fresh)
	if err != nil {
		return false, fmt.Errorf("store dispute: %w", toFault(err))
	}
	return fresh, nil
}
