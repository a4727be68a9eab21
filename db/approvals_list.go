package db

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/page"
)

// usualList is how long a list of approvals usually is at most.
const usualList = 51

// List lists approvals of the customer, newest first.
func (s *Approvals) List(ctx context.Context, of account.CustomerID, q approval.Query) (page.Of[approval.Item], error) {
	w := listing(q)
	w.add("a.customer_id = @customer", "customer", of)
	columns := approvalColumns + approvalContents
	if q.Bare {
		columns = bareColumns
	}
	return s.page(ctx, "SELECT "+columns+" FROM approvals a", w, q.Page.Limit, scanApproval)
}

// ListAll lists approvals of all customers, newest first, without contents: of what was measured, the numbers. Neither
// does a search look at contents: it finds by what the list shows and by who the customer is.
func (s *Approvals) ListAll(ctx context.Context, q approval.Query) (page.Of[approval.Item], error) {
	w := listing(q)
	if q.Page.Search != "" {
		w.add(found("@search", "a.id", "a.code", "a.tool", "a.agent", "replace(a.agent, '-', ' ')"), "search", containing(q.Page.Search))
	}
	return s.page(ctx, staffSelect, w, q.Page.Limit, scanForStaff)
}

// page reads one page and, as page.Cut wants it, one row more.
func (s *Approvals) page(
	ctx context.Context, sql string, w *where, limit int, scan pgx.RowToFunc[approval.Item],
) (page.Of[approval.Item], error) {
	if len(w.parts) > 0 {
		sql += " WHERE " + strings.Join(w.parts, " AND ")
	}
	rows, err := s.DB.pgx(ctx).Query(ctx, sql+" ORDER BY a.id DESC LIMIT "+strconv.Itoa(limit+1), cached, w.args)
	if err != nil {
		return page.Of[approval.Item]{}, fmt.Errorf("list approvals: %w", toFault(err))
	}
	room := make([]approval.Item, 0, min(limit+1, usualList)) // an item is large: growing would copy them again and again
	items, err := pgx.AppendRows(room, rows, scan)
	if err != nil {
		return page.Of[approval.Item]{}, fmt.Errorf("list approvals: %w", toFault(err))
	}
	return page.Cut(items, limit, func(a approval.Item) string { return a.ID }), nil
}

// where is a condition and its values.
type where struct {
	parts []string
	args  named
}

// add adds a condition on the value that stands in it under that name.
func (w *where) add(condition, name string, value any) {
	w.parts, w.args[name] = append(w.parts, condition), value
}

// listing is the condition of a query.
func listing(q approval.Query) *where {
	w := &where{args: named{}}
	switch q.Status {
	case "pending":
		w.parts = append(w.parts, "a.state = 'pending'")
	case "decided":
		w.parts = append(w.parts, "a.state <> 'pending'")
	}
	for _, c := range []struct{ condition, name, value string }{
		{"a.id = @id", "id", q.ID},
		{"a.agent = @agent", "agent", q.Agent},
		{"a.tool = @tool", "tool", q.Tool},
		{"a.tier = @tier", "tier", q.Tier},
		{"a.id < @after", "after", q.Page.After},
	} {
		if c.value != "" {
			w.add(c.condition, c.name, c.value)
		}
	}
	return w
}

// Pending counts what waits for the customer, up to 10,000.
func (s *Approvals) Pending(ctx context.Context, of account.CustomerID) (n int, err error) {
	err = s.DB.pgx(ctx).QueryRow(ctx, `SELECT count(*) FROM (
		SELECT FROM approvals WHERE customer_id = @customer AND state = 'pending' LIMIT 10000) AS p`,
		cached, named{"customer": of}).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count approvals: %w", toFault(err))
	}
	return n, nil
}

// Has says whether the customer has an approval, decided or not.
func (s *Approvals) Has(ctx context.Context, of account.CustomerID, id string) (has bool, err error) {
	err = s.DB.pgx(ctx).QueryRow(ctx, "SELECT EXISTS (SELECT FROM approvals WHERE id = @id AND customer_id = @customer)",
		named{"id": id, "customer": of}).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("look for approval: %w", toFault(err))
	}
	return has, nil
}

// PendingAll counts what waits for all customers, up to 10,000.
func (s *Approvals) PendingAll(ctx context.Context) (n int, err error) {
	err = s.DB.pgx(ctx).QueryRow(ctx, "SELECT count(*) FROM (SELECT FROM approvals WHERE state = 'pending' LIMIT 10000) AS p",
		cached).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count approvals: %w", toFault(err))
	}
	return n, nil
}

// Overdue gives ids of what is pending although it ran out before, oldest first.
func (s *Approvals) Overdue(ctx context.Context, before time.Time, limit int) ([]string, error) {
	rows, err := s.DB.pgx(ctx).Query(ctx, `SELECT id::text FROM approvals
		WHERE state = 'pending' AND expires_at < @before ORDER BY expires_at LIMIT @limit`, cached, named{"before": before, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("list overdue approvals: %w", toFault(err))
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("list overdue approvals: %w", toFault(err))
	}
	return ids, nil
}
