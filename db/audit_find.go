package db

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"gatehouse/app/audit"
	"gatehouse/app/page"
)

// namedAudit is a record with the name of its customer.
type namedAudit struct {
	auditRow     `bun:",extend"`
	CustomerName string `bun:"customer_name"`
}

func (r namedAudit) line() audit.Line {
	return audit.Line{Entry: r.entry(), Customer: r.CustomerName}
}

// Find gives the records that f and what is looked for leave, newest first, with the names of what they name.
func (s *Audit) Find(ctx context.Context, f audit.Filter, ask page.Ask) (page.Of[audit.Line], error) {
	ask, err := ask.Clean()
	if err != nil {
		return page.Of[audit.Line]{}, err
	}
	if f, err = f.Clean(); err != nil {
		return page.Of[audit.Line]{}, err
	}
	var rows []namedAudit
	if err := s.find(&rows, f, ask).Scan(ctx); err != nil {
		return page.Of[audit.Line]{}, fmt.Errorf("find in audit log: %w", toFault(err))
	}
	of := page.Cut(each(rows, namedAudit.line), ask.Limit, func(l audit.Line) string { return l.ID })
	return of, s.name(ctx, of.Items)
}

func (s *Audit) find(rows *[]namedAudit, f audit.Filter, ask page.Ask) *bun.SelectQuery {
	q := s.DB.NewSelect().Model(rows).Column("al.*").ColumnExpr("coalesce(c.name, '') AS customer_name").
		Join("LEFT JOIN customers AS c ON c.id = al.customer_id")
	q = newestFirst(q, "al", ask)
	if f.Action != "" {
		q = q.Where("al.action = ?", f.Action)
	}
	if !f.From.IsZero() {
		q = q.Where("al.at >= ?", f.From)
	}
	if !f.To.IsZero() {
		q = q.Where("al.at < ?", f.To)
	}
	return auditText(auditOf(auditBy(q, f.By), f.Customer), ask.Search)
}

// auditBy narrows q to what one person did, by id, or to those whose e-mail address begins so.
func auditBy(q *bun.SelectQuery, by string) *bun.SelectQuery {
	switch {
	case by == "":
		return q
	case uuid.Validate(by) == nil:
		return q.Where("al.by_id <> ''").Where("al.by_id = ?", strings.ToLower(by))
	}
	return q.Where("lower(al.by_name) LIKE ?", wild.Replace(strings.ToLower(by))+"%")
}

// knownCustomers are those that people know by what fits the pattern at ?0.
var knownCustomers = "SELECT c.id FROM customers AS c WHERE " + found("?0")

// auditOf narrows q to one customer, by id, or to those that are known by the text.
func auditOf(q *bun.SelectQuery, customer string) *bun.SelectQuery {
	switch {
	case customer == "":
		return q
	case uuid.Validate(customer) == nil:
		return q.Where("al.customer_id = ?", customer)
	}
	return q.Where("al.customer_id IN ("+knownCustomers+")", containing(customer))
}

// auditText narrows q to records whose target, person or customer has the text in its name, or that are about the order of
// that number.
func auditText(q *bun.SelectQuery, text string) *bun.SelectQuery {
	if text == "" {
		return q
	}
	return q.Where("(lower(al.target) LIKE lower(?0) OR lower(al.by_name) LIKE lower(?0) OR al.customer_id IN ("+knownCustomers+
		") OR al.target IN (SELECT numbered.id::text FROM orders AS numbered WHERE numbered.number::text = ?1))", containing(text), text)
}

// Actions lists the actions that there are records of. It steps from one to the next in the index, however many records
// there are of each.
func (s *Audit) Actions(ctx context.Context) ([]string, error) {
	var all []string
	err := s.DB.NewRaw(`WITH RECURSIVE step AS (
		SELECT min(action) AS action FROM audit_log
		UNION ALL
		SELECT (SELECT min(next.action) FROM audit_log AS next WHERE next.action > step.action) FROM step WHERE step.action IS NOT NULL
	) SELECT action FROM step WHERE action IS NOT NULL ORDER BY action`).Scan(ctx, &all)
	if err != nil {
		return nil, fmt.Errorf("actions in audit log: %w", toFault(err))
	}
	return all, nil
}

// name finds out what the records are about.
func (s *Audit) name(ctx context.Context, lines []audit.Line) error {
	var ids []string
	for _, l := range lines {
		if uuid.Validate(l.Target) == nil {
			ids = append(ids, l.Target)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var rows []struct {
		Kind string `bun:"kind"`
		ID   string `bun:"id"`
		Name string `bun:"name"`
	}
	err := s.DB.NewRaw(`SELECT 'order' AS kind, id, number::text AS name FROM orders WHERE id IN (?0)
		UNION ALL SELECT 'server', id, slug FROM servers WHERE id IN (?0)
		UNION ALL SELECT 'request', id, code FROM approvals WHERE id IN (?0)
		UNION ALL SELECT 'staff', id, email FROM staff WHERE id IN (?0)
		UNION ALL SELECT 'person', id, email FROM users WHERE id IN (?0)
		UNION ALL SELECT 'token', id, name FROM api_tokens WHERE id IN (?0)
		UNION ALL SELECT 'customer', id, name FROM customers WHERE id IN (?0)`, bun.List(ids)).Scan(ctx, &rows)
	if err != nil {
		return fmt.Errorf("name what the audit log is about: %w", toFault(err))
	}
	known := map[string]audit.Thing{}
	for _, r := range rows {
		known[r.ID] = audit.Thing{Kind: r.Kind, ID: r.ID, Name: r.Name}
	}
	for i, l := range lines {
		lines[i].About = known[l.Target]
	}
	return nil
}
