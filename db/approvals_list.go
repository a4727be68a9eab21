package db

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/page"
)

// usualList is how long a list of approvals usually is at most.
const usualList = 51

// List lists approvals of the customer, newest first.
func (s *Approvals) List(ctx context.Context, of account.CustomerID, q approval.Query) (page.Of[approval.Item], error) {
	w := listing(q)
	w.add("a.customer_id = ", string(of))
	columns := approvalColumns + approvalContents
	if q.Bare {
		columns = bareColumns
	}
	rows, err := s.query(ctx, "SELECT "+columns+" FROM approvals a", w, q.Page.Limit+1)
	if err != nil {
		return page.Of[approval.Item]{}, fmt.Errorf("list approvals: %w", toFault(err))
	}
	room := make([]approval.Item, 0, min(q.Page.Limit+1, usualList)) // an item is large: growing would copy them again and again
	items, err := pgx.AppendRows(room, rows, func(row pgx.CollectableRow) (approval.Item, error) {
		var r approvalRow
		targets := r.bare()
		if !q.Bare {
			targets = append(r.targets(), r.contents()...)
		}
		if err := row.Scan(targets...); err != nil {
			return approval.Item{}, err
		}
		return r.read()
	})
	if err != nil {
		return page.Of[approval.Item]{}, fmt.Errorf("list approvals: %w", toFault(err))
	}
	return page.Cut(items, q.Page.Limit, func(a approval.Item) string { return a.ID }), nil
}

// ListAll lists approvals of all customers, newest first, without contents: of what was measured, the numbers. Neither
// does a search look at contents: it finds by what the list shows and by who the customer is.
func (s *Approvals) ListAll(ctx context.Context, q approval.Query) (page.Of[approval.Item], error) {
	w := listing(q)
	if q.Page.Search != "" {
		w.args = append(w.args, containing(q.Page.Search))
		w.parts = append(w.parts, found("$"+strconv.Itoa(len(w.args)), "a.id", "a.code", "a.tool", "a.agent", "replace(a.agent, '-', ' ')"))
	}
	rows, err := s.query(ctx, staffSelect, w, q.Page.Limit+1)
	if err != nil {
		return page.Of[approval.Item]{}, fmt.Errorf("list approvals: %w", toFault(err))
	}
	items, err := pgx.CollectRows(rows, staffItem)
	if err != nil {
		return page.Of[approval.Item]{}, fmt.Errorf("list approvals: %w", toFault(err))
	}
	return page.Cut(items, q.Page.Limit, func(a approval.Item) string { return a.ID }), nil
}

// Find finds an approval whoever it belongs to, without contents.
func (s *Approvals) Find(ctx context.Context, id string) (approval.Item, error) {
	rows, err := s.DB.pgx(ctx).Query(ctx, staffSelect+" WHERE a.id = $1", cached, id)
	if err != nil {
		return approval.Item{}, fmt.Errorf("load approval: %w", toFault(err))
	}
	a, err := pgx.CollectExactlyOneRow(rows, staffItem)
	if err != nil {
		return approval.Item{}, fmt.Errorf("load approval: %w", toFault(err))
	}
	return a, nil
}

// staffSelect leaves the contents where they are. Of what stands behind a question it takes the hash alone that is part of
// what people sign.
const staffSelect = "SELECT " + approvalColumns + ", c.name, a.facts::text, coalesce(a.context->>'shown_hash', '') FROM approvals a JOIN customers c ON c.id = a.customer_id"

func staffItem(row pgx.CollectableRow) (approval.Item, error) {
	var r approvalRow
	if err := row.Scan(append(r.targets(), &r.item.Customer, &r.facts, &r.item.ShownHash)...); err != nil {
		return approval.Item{}, err
	}
	a, err := r.read()
	a.Facts = numbers(a.Facts)
	return a, err
}

// numbers keeps of each fact its name and number; the text may name files or people, and so may a name of several words.
func numbers(facts []wire.Fact) []wire.Fact {
	return each(facts, func(f wire.Fact) wire.Fact {
		n := wire.Fact{Value: f.Value, Text: strconv.FormatInt(f.Value, 10)}
		if plainName.MatchString(f.Name) {
			n.Name, n.Text = f.Name, counted(f)
		}
		return n
	})
}

// one is what a fact of a single thing counts.
var one = map[string]string{"recipients": "recipient", "files": "file", "folders": "folder", "settings": "setting", "destinations": "destination"}

// counted is a fact in words of its name alone. Money is in cents, and 0 where nobody can read how much.
func counted(f wire.Fact) string {
	switch name, single := one[f.Name]; {
	case f.Name == "money" && f.Value == 0:
		return "moves money"
	case f.Name == "money":
		return fmt.Sprintf("moves %d.%02d", f.Value/100, f.Value%100)
	case single && f.Value == 1:
		return "1 " + name
	}
	return strconv.FormatInt(f.Value, 10) + " " + f.Name
}

// plainName is one word, as tools name what they measure.
var plainName = regexp.MustCompile(`^[a-z]{1,16}$`)

// Pending counts what waits for the customer, up to 10,000.
func (s *Approvals) Pending(ctx context.Context, of account.CustomerID) (n int, err error) {
	err = s.DB.pgx(ctx).QueryRow(ctx, `SELECT count(*) FROM (
		SELECT FROM approvals WHERE customer_id = $1 AND state = 'pending' LIMIT 10000) AS p`, cached, string(of)).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count approvals: %w", toFault(err))
	}
	return n, nil
}

// Has says whether the customer has an approval, decided or not.
func (s *Approvals) Has(ctx context.Context, of account.CustomerID, id string) (has bool, err error) {
	err = s.DB.pgx(ctx).QueryRow(ctx, "SELECT EXISTS (SELECT FROM approvals WHERE id = $1 AND customer_id = $2)", id, string(of)).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("look for approval: %w", toFault(err))
	}
	return has, nil
}

// PendingAll counts what waits for all customers, up to 10,000.
func (s *Approvals) PendingAll(ctx context.Context) (n int, err error) {
	err = s.DB.pgx(ctx).QueryRow(ctx, "SELECT count(*) FROM (SELECT FROM approvals WHERE state = 'pending' LIMIT 10000) AS p", cached).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count approvals: %w", toFault(err))
	}
	return n, nil
}

// Overdue gives ids of what is pending although it ran out before, oldest first.
func (s *Approvals) Overdue(ctx context.Context, before time.Time, limit int) ([]string, error) {
	rows, err := s.DB.pgx(ctx).Query(ctx, "SELECT id::text FROM approvals WHERE state = 'pending' AND expires_at < $1 ORDER BY expires_at LIMIT $2",
		cached, before, limit)
	if err != nil {
		return nil, fmt.Errorf("list overdue approvals: %w", toFault(err))
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("list overdue approvals: %w", toFault(err))
	}
	return ids, nil
}

// where is a condition and its values.
type where struct {
	parts []string
	args  []any
}

// add adds a comparison with a value.
func (w *where) add(compare string, value any) {
	w.args = append(w.args, value)
	w.parts = append(w.parts, compare+"$"+strconv.Itoa(len(w.args)))
}

// listing is the condition of a query.
func listing(q approval.Query) *where {
	w := &where{}
	switch q.Status {
	case "pending":
		w.parts = append(w.parts, "a.state = 'pending'")
	case "decided":
		w.parts = append(w.parts, "a.state <> 'pending'")
	}
	for _, c := range [][2]string{{"a.id = ", q.ID}, {"a.agent = ", q.Agent}, {"a.tool = ", q.Tool}, {"a.tier = ", q.Tier}, {"a.id < ", q.Page.After}} {
		if c[1] != "" {
			w.add(c[0], c[1])
		}
	}
	return w
}

func (s *Approvals) query(ctx context.Context, sel string, w *where, limit int) (pgx.Rows, error) {
	sql := sel
	if len(w.parts) > 0 {
		sql += " WHERE " + strings.Join(w.parts, " AND ")
	}
	sql += " ORDER BY a.id DESC LIMIT " + strconv.Itoa(limit)
	return s.DB.pgx(ctx).Query(ctx, sql, append([]any{cached}, w.args...)...)
}
