package report

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"gatehouse/agentd/link"
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// Source is a meter. meter.Book is one, and so is the model proxy's.
type Source interface {
	// Changed gives rows that changed after a revision, in the order in which they did, at most wire.MaxUsageRows.
	Changed(ctx context.Context, after int64, limit int) ([]wire.UsageRow, error)
	// OfDay gives the rows of a day, UTC, that changed after a revision, likewise.
	OfDay(ctx context.Context, day time.Time, after int64, limit int) ([]wire.UsageRow, error)
	// Sums adds up each day from from until to.
	Sums(ctx context.Context, from, to time.Time) ([]wire.UsageSum, error)
}

// Deps is what a Reporter stands on.
type Deps struct {
	DB      *store.DB
	Outbox  *link.Outbox
	Sources map[string]Source // by the name under which it is kept how far they were read
	Now     func() time.Time
	Log     *slog.Logger
}

// Reporter reports.
type Reporter struct {
	d    Deps
	wake chan struct{} // one when something was used

	round sync.Mutex // one at a time

	mu    sync.Mutex
	asked time.Time // all that was used until then is in the outbox, or was
	known time.Time // all that was used until then has left it
}

// New makes a Reporter; Run sets it going.
func New(d Deps) *Reporter { return &Reporter{d: d, wake: make(chan struct{}, 1)} }

const (
	every = 20 * time.Second
	soon  = 2 * time.Second // after something was used: an answer is seldom the last
)

// Run reports until ctx ends.
func (r *Reporter) Run(ctx context.Context) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := r.Report(ctx); err != nil && ctx.Err() == nil {
			r.d.Log.WarnContext(ctx, "usage not reported yet", "error", err)
		}
		select {
		case <-tick.C:
		case <-r.wake:
			select {
			case <-time.After(soon):
			case <-ctx.Done():
			}
		case <-ctx.Done():
		}
	}
	return nil
}

// Used says that something was used, so that the hub hears of it soon.
func (r *Reporter) Used() {
	select {
	case r.wake <- struct{}{}:
	default: // one is enough
	}
}

// Report puts what has changed into the outbox, unless a report waits there.
func (r *Reporter) Report(ctx context.Context) error {
	r.round.Lock()
	defer r.round.Unlock()
	waits, err := r.waiting(ctx)
	if err != nil || waits {
		return err
	}
	at := r.d.Now()
	var failed []error
	for name, s := range r.d.Sources {
		if err := r.drain(ctx, name, s); err != nil {
			failed = append(failed, fmt.Errorf("report usage of %s: %w", name, err))
		}
	}
	if len(failed) > 0 {
		return errors.Join(failed...)
	}
	r.mu.Lock()
	r.asked = at
	r.mu.Unlock()
	return nil
}

// drain reports all rows of a meter that have changed.
func (r *Reporter) drain(ctx context.Context, name string, s Source) error {
	after, err := r.reported(ctx, name)
	if err != nil {
		return err
	}
	for {
		rows, err := s.Changed(ctx, after, wire.MaxUsageRows)
		if err != nil || len(rows) == 0 {
			return err
		}
		after = rows[len(rows)-1].Revision
		if err := r.put(ctx, name, rows, after); err != nil || len(rows) < wire.MaxUsageRows {
			return err
		}
	}
}

func (r *Reporter) put(ctx context.Context, name string, rows []wire.UsageRow, after int64) error {
	return r.d.DB.Write(ctx, func(tx *sql.Tx) error {
		if err := r.d.Outbox.Put(ctx, tx, wire.TypeUsageReport, wire.UsageReport{Rows: rows}); err != nil {
			return err
		}
		_, err := r.d.DB.Exec(tx, `INSERT INTO usage_reported (source, revision) VALUES (?, ?)
			ON CONFLICT (source) DO UPDATE SET revision = excluded.revision`, name, after)
		return err
	})
}

// reported is up to which revision a meter was reported.
func (r *Reporter) reported(ctx context.Context, name string) (after int64, err error) {
	err = r.d.DB.Read().QueryRowContext(ctx, "SELECT coalesce(max(revision), 0) FROM usage_reported WHERE source = ?", name).Scan(&after)
	return after, err
}

// waiting says whether a report waits for the hub. When none does, all that was put there has arrived.
func (r *Reporter) waiting(ctx context.Context) (bool, error) {
	r.mu.Lock()
	asked := r.asked
	r.mu.Unlock()
	waits, err := r.d.Outbox.Waiting(ctx, wire.TypeUsageReport)
	if err == nil && !waits {
		r.mu.Lock()
		r.known = asked
		r.mu.Unlock()
	}
	return waits, err
}

// Known is until when all that was used has arrived at the hub; nil before the first report.
func (r *Reporter) Known(ctx context.Context) *time.Time {
	if _, err := r.waiting(ctx); err != nil {
		r.d.Log.WarnContext(ctx, "outbox not looked at for usage", "error", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known.IsZero() {
		return nil
	}
	known := r.known.UTC()
	return &known
}

// Methods are the questions about usage.
func (r *Reporter) Methods() rpc.Methods {
	return rpc.Methods{
		wire.MethodUsageSums:  rpc.With(rpc.Params{Unreadable: "The question cannot be read.", Strict: true}, r.sums),
		wire.MethodUsageAgain: rpc.With(rpc.Params{Unreadable: "The question cannot be read.", Strict: true}, r.again),
	}
}

// sums adds up what all meters counted. What has not arrived at the hub yet is said, so that nobody takes it for a difference.
func (r *Reporter) sums(ctx context.Context, p wire.UsageSumsParams) (wire.UsageSums, error) {
	if err := r.Report(ctx); err != nil {
		return wire.UsageSums{}, err
	}
	out := wire.UsageSums{Items: []wire.UsageSum{}}
	for name, s := range r.d.Sources {
		sums, err := s.Sums(ctx, p.From, p.To)
		if err != nil {
			return out, fmt.Errorf("add up usage of %s: %w", name, err)
		}
		out.Items = append(out.Items, sums...)
	}
	waits, err := r.waiting(ctx)
	out.Waiting = waits
	return out, err
}
