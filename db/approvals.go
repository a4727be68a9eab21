package db

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"gatehouse/app/account"
	"gatehouse/app/approval"
)

// Approvals keeps what servers ask people. It is approval.Store. Its statements are pgx's: a question passes through them
// on its way to the person and back, and every page of the portal counts or lists what waits.
type Approvals struct{ DB *DB }

var _ approval.Store = (*Approvals)(nil)

var addApproval = "INSERT INTO approvals (" + askedColumns + ", state, execution) VALUES (@" +
	strings.Join(strings.Fields(askedColumns), " @") + ", 'pending', 'none') ON CONFLICT (id) DO NOTHING"

// Add keeps a new approval; false when one with this id is there already.
func (s *Approvals) Add(ctx context.Context, a approval.Item) (bool, error) {
	row, err := toApprovalRow(a)
	if err != nil {
		return false, fmt.Errorf("store approval: %w", err)
	}
	if row.Args == nil {
		row.Args = new(string) // which Postgres refuses: a question shows what it asks for
	}
	tag, err := s.DB.pgx(ctx).Exec(ctx, addApproval, cached, pgx.StructArgs(row))
	if err != nil {
		return false, fmt.Errorf("store approval: %w", toFault(err))
	}
	return tag.RowsAffected() == 1, nil
}

// Get finds an approval of the customer.
func (s *Approvals) Get(ctx context.Context, of account.CustomerID, id string) (approval.Item, error) {
	return s.one(ctx, "WHERE a.customer_id = @customer AND a.id = @id", named{"customer": of, "id": id})
}

func (s *Approvals) one(ctx context.Context, where string, args named) (approval.Item, error) {
	return s.load(ctx, "SELECT "+approvalColumns+approvalContents+" FROM approvals a "+where, args, scanApproval)
}

// Find finds an approval whoever it belongs to, without contents.
func (s *Approvals) Find(ctx context.Context, id string) (approval.Item, error) {
	return s.load(ctx, staffSelect+" WHERE a.id = @id", named{"id": id}, scanForStaff)
}

func (s *Approvals) load(ctx context.Context, sql string, args named, scan pgx.RowToFunc[approval.Item]) (approval.Item, error) {
	rows, err := s.DB.pgx(ctx).Query(ctx, sql, cached, args)
	if err != nil {
		return approval.Item{}, fmt.Errorf("load approval: %w", toFault(err))
	}
	a, err := pgx.CollectExactlyOneRow(rows, scan)
	if err != nil {
		return approval.Item{}, fmt.Errorf("load approval: %w", toFault(err))
	}
	return a, nil
}

// Change locks an approval of the customer, runs fn on it and saves what it did: all or nothing.
func (s *Approvals) Change(
	ctx context.Context, of account.CustomerID, id string, fn func(context.Context, *approval.Item) error,
) (approval.Item, error) {
	return s.change(ctx, fn, "WHERE a.customer_id = @customer AND a.id = @id FOR UPDATE", named{"customer": of, "id": id})
}

// ChangeAny is Change whoever the approval belongs to.
func (s *Approvals) ChangeAny(ctx context.Context, id string, fn func(context.Context, *approval.Item) error) (approval.Item, error) {
	return s.change(ctx, fn, "WHERE a.id = @id FOR UPDATE", named{"id": id})
}

func (s *Approvals) change(
	ctx context.Context, fn func(context.Context, *approval.Item) error, where string, args named,
) (a approval.Item, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if a, err = s.one(ctx, where, args); err != nil {
			return err
		}
		if err := fn(ctx, &a); err != nil {
			return err
		}
		return save(ctx, tx.PGX, a)
	})
	return a, err
}

const saveApproval = `UPDATE approvals SET state = @state, execution = @execution, next_id = @next_id, verb = @verb, minutes = @minutes,
	decided_by = @decided_by, decided_at = @decided_at, refused = @refused,
	summary = CASE WHEN @state = 'pending' THEN coalesce(summary, @summary) END,
	args = CASE WHEN @state = 'pending' THEN coalesce(args, @args::json) END,
	facts = CASE WHEN @state = 'pending' THEN coalesce(facts, @facts::json) END,
	reason = CASE WHEN @state = 'pending' THEN coalesce(reason, @reason) END,
	why_asked = CASE WHEN @state = 'pending' THEN coalesce(why_asked, @why_asked) END,
	diff = CASE WHEN @state = 'pending' THEN coalesce(diff, @diff::json) END,
	context = CASE WHEN @state = 'pending' THEN coalesce(context, @context::json) END
	WHERE id = @id`

// save writes what can change. Contents stay as they are while the approval is pending and go with the decision, whatever
// the caller holds; they come back only with a question that is open again.
func save(ctx context.Context, tx pgx.Tx, a approval.Item) error {
	row, err := toApprovalRow(a)
	if err != nil {
		return fmt.Errorf("save approval: %w", err)
	}
	tag, err := tx.Exec(ctx, saveApproval, cached, pgx.StructArgs(row))
	if err != nil {
		return fmt.Errorf("save approval: %w", toFault(err))
	}
	if tag.RowsAffected() != 1 {
		return errors.New("save approval: the row is gone")
	}
	return nil
}
