package db

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/closing"
	"gatehouse/app/work"
)

// Closing erases customers who left. It is closing.Store.
type Closing struct {
	DB   *DB
	Jobs Enqueuer
}

var _ closing.Store = (*Closing)(nil)

// openMoney is what has to be settled before a customer is erased: the rest is for nobody then.
var openMoney = []struct {
	wait closing.Wait
	sql  string // of a table t, of the customer c
}{
	{closing.WaitMonth, "billing_periods AS t WHERE t.customer_id = c.id AND t.state IN ('ACTIVE', 'CLOSED')"},
	{closing.WaitInvoice, "invoices AS t WHERE t.customer_id = c.id AND t.state = 'open'"},
	{closing.WaitInvoice, "dunnings AS t WHERE t.customer_id = c.id AND t.closed_at IS NULL AND t.state <> 'ended'"},
	{closing.WaitPayment, "payments AS t WHERE t.customer_id = c.id AND t.state IN ('asked', 'waiting', 'processing')"},
	{closing.WaitPayment, "pending_checkouts AS t WHERE t.customer_id = c.id AND t.state = 'open'"},
	{closing.WaitRefund, "refunds AS t JOIN payments AS p ON p.id = t.payment_id WHERE p.customer_id = c.id AND " +
		"(t.state = 'asked' OR t.state = 'failed' AND t.credit_id IS NULL)"}, // one with a credit note is asked for again by that
	{closing.WaitRefund, "credit_notes AS t WHERE t.customer_id = c.id AND t.refund AND t.refunded_at IS NULL"},
	{closing.WaitDispute, "disputes AS t JOIN payments AS p ON p.id = t.payment_id WHERE p.customer_id = c.id AND " +
		"t.state NOT IN ('won', 'lost', 'warning_closed')"},
}

// leftSQL is when the last order of a customer c ended for good; NULL: one is open, or none ever worked.
const leftSQL = `(SELECT max(o.updated_at) FROM orders AS o WHERE o.customer_id = c.id
	HAVING bool_and(o.state IN ('RELEASED', 'CANCELLED')) AND bool_or(o.state = 'RELEASED'))`

// waitSQL is what is open of a customer c.
func waitSQL() string {
	var b strings.Builder
	b.WriteString("CASE")
	for _, o := range openMoney {
		fmt.Fprintf(&b, " WHEN EXISTS (SELECT FROM %s) THEN '%s'", o.sql, o.wait)
	}
	return b.String() + " ELSE '' END"
}

// leavers selects customers who are to be erased: they left until then, and nothing is open.
func leavers(tx bun.IDB, left time.Time) *bun.SelectQuery {
	return tx.NewSelect().TableExpr("customers AS c").Column("c.id").
		Where("EXISTS (SELECT FROM orders AS o WHERE o.customer_id = c.id AND o.state = 'RELEASED' AND o.updated_at <= ?)", left).
		Where("NOT EXISTS (SELECT FROM erasures AS e WHERE e.customer_id = c.id AND e.done)").
		Where(leftSQL+" <= ?", left).Where(waitSQL() + " = ''")
}

// Queue queues the work of closing the accounts that are to be closed.
func (s *Closing) Queue(ctx context.Context, left time.Time) (n int, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var ids []string
		err := leavers(tx, left).
			Where(`NOT EXISTS (SELECT FROM river_job AS j WHERE j.kind = 'close_account' AND j.args->>'customer_id' = c.id::text
				AND j.state NOT IN ('completed', 'discarded', 'cancelled'))`).
			OrderExpr("c.id").Limit(100).Scan(ctx, &ids)
		if err != nil {
			return fmt.Errorf("list accounts to close: %w", toFault(err))
		}
		n = len(ids)
		return s.Jobs.EnqueueTx(ctx, tx.PGX, each(ids, func(id string) work.Item { return work.CloseAccount{CustomerID: id} }))
	})
	return n, err
}

// Erase erases a customer in one transaction.
func (s *Closing) Erase(
	ctx context.Context, of account.CustomerID, left time.Time, how closing.Erasure, record audit.Entry,
) (done bool, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.ExecContext(ctx, "SELECT FROM customers WHERE id = ? FOR UPDATE", of); err != nil {
			return err
		}
		due, err := leavers(tx, left).Where("c.id = ?", of).Exists(ctx)
		if err != nil || !due {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO erasures (customer_id, erased_at, kept_until) VALUES (?, ?, ?)",
			of, how.At, how.KeptUntil)
		if err != nil {
			return err
		}
		for _, e := range endings {
			if err := e.run(ctx, tx, of); err != nil {
				return fmt.Errorf("%s: %w", e.table, err)
			}
		}
		if _, err := tx.ExecContext(ctx, "UPDATE erasures SET done = true WHERE customer_id = ? AND NOT done", of); err != nil {
			return err
		}
		done = true
		return writeAudit(ctx, tx, record)
	})
	if err != nil {
		return false, fmt.Errorf("erase customer: %w", toFault(err))
	}
	return done, nil
}

// run does to the rows of a customer what becomes of them.
func (e ending) run(ctx context.Context, tx bun.IDB, of account.CustomerID) error {
	var all []string
	if e.first != "" {
		all = strings.Split(e.first, ";")
	}
	switch {
	case e.fate == erased:
		all = append(all, "DELETE FROM "+e.table+" AS t WHERE "+e.whose())
	case e.set != "":
		all = append(all, "UPDATE "+e.table+" AS t SET "+e.set+" WHERE "+e.whose())
	}
	for _, q := range all {
		if err := withCustomer(ctx, tx, q, of); err != nil {
			return err
		}
	}
	return nil
}

// withCustomer runs a statement in which each ? is the customer.
func withCustomer(ctx context.Context, tx bun.IDB, q string, of account.CustomerID) error {
	_, err := tx.ExecContext(ctx, q, slices.Repeat([]any{of}, strings.Count(q, "?"))...)
	return err
}

// whose says which rows of a table t are the customer's.
func (e ending) whose() string {
	if e.rows != "" {
		return "(" + e.rows + ")"
	}
	for _, p := range knownParts {
		if p.table == e.table {
			return "(" + p.of + ")"
		}
	}
	panic("no table of a customer: " + e.table) // a test runs all of them
}

// Long lists customers of whom what was kept is to be deleted, those first who wait longest.
func (s *Closing) Long(ctx context.Context, now time.Time) (ids []account.CustomerID, err error) {
	err = s.DB.bun(ctx).NewSelect().TableExpr("erasures AS e").Column("e.customer_id").Where("e.done").Where("e.purged_at IS NULL").
		Where("e.kept_until <= ?", now).OrderExpr("e.kept_until").Limit(100).Scan(ctx, &ids)
	if err != nil {
		return nil, fmt.Errorf("list what was kept long enough: %w", toFault(err))
	}
	return ids, nil
}

// Prolong has what was kept stay until then, if that is later.
func (s *Closing) Prolong(ctx context.Context, of account.CustomerID, until time.Time) error {
	_, err := s.DB.bun(ctx).NewRaw("UPDATE erasures SET kept_until = ?1 WHERE customer_id = ?0 AND purged_at IS NULL AND kept_until < ?1",
		of, until).Exec(ctx)
	if err != nil {
		return fmt.Errorf("keep longer: %w", toFault(err))
	}
	return nil
}

// Purge deletes what was kept of a customer, in one transaction.
func (s *Closing) Purge(ctx context.Context, of account.CustomerID, now time.Time) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		for _, e := range endings {
			if e.fate != kept && e.table != "usage_buckets" {
				continue
			}
			if err := withCustomer(ctx, tx, "DELETE FROM "+e.table+" AS t WHERE "+e.whose(), of); err != nil {
				return fmt.Errorf("%s: %w", e.table, err)
			}
		}
		_, err := tx.ExecContext(ctx, "UPDATE erasures SET purged_at = ? WHERE customer_id = ? AND purged_at IS NULL", now, of)
		return err
	})
}

// Of says how far it is with a customer.
func (s *Closing) Of(ctx context.Context, of account.CustomerID) (*closing.Erasure, time.Time, closing.Wait, error) {
	var row struct {
		ErasedAt  bun.NullTime `bun:"erased_at"`
		KeptUntil bun.NullTime `bun:"kept_until"`
		PurgedAt  bun.NullTime `bun:"purged_at"`
		LeftAt    bun.NullTime `bun:"left_at"`
		Waits     closing.Wait `bun:"waits"`
	}
	err := s.DB.bun(ctx).NewSelect().TableExpr("customers AS c").ColumnExpr("e.erased_at, e.kept_until, e.purged_at").
		ColumnExpr(leftSQL+" AS left_at").ColumnExpr(waitSQL()+" AS waits").
		Join("LEFT JOIN erasures AS e ON e.customer_id = c.id AND e.done").Where("c.id = ?", of).Scan(ctx, &row)
	if err != nil {
		return nil, time.Time{}, "", fmt.Errorf("how far an account is closed: %w", toFault(err))
	}
	if row.ErasedAt.IsZero() {
		return nil, row.LeftAt.Time, row.Waits, nil
	}
	return &closing.Erasure{At: row.ErasedAt.Time, KeptUntil: row.KeptUntil.Time, Purged: row.PurgedAt.Time}, row.LeftAt.Time, "", nil
}

// LastMoney is when the last invoice, credit note, payment or refund was.
func (s *Closing) LastMoney(ctx context.Context, of account.CustomerID) (time.Time, error) {
	var at bun.NullTime
	err := s.DB.bun(ctx).NewRaw(`SELECT greatest((SELECT max(greatest(issued_at, paid_at)) FROM invoices WHERE customer_id = ?0),
		(SELECT max(greatest(issued_at, refunded_at)) FROM credit_notes WHERE customer_id = ?0),
		(SELECT max(greatest(created_at, paid_at)) FROM payments WHERE customer_id = ?0),
		(SELECT max(r.done_at) FROM refunds AS r JOIN payments AS p ON p.id = r.payment_id WHERE p.customer_id = ?0))`, of).Scan(ctx, &at)
	if err != nil {
		return time.Time{}, fmt.Errorf("when money moved last: %w", toFault(err))
	}
	return at.Time, nil
}
