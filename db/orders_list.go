package db

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/order"
	"gatehouse/app/page"
)

// openStates are those of orders that are on their way, as the index orders_open has them.
const openStates = "('PAYMENT_CONFIRMED', 'AWAITING_SERVER', 'SERVER_READY', 'DNS_PENDING', 'DNS_READY', 'PROVISIONING')"

// orderFilter narrows q, of orders as o.
func orderFilter(q *bun.SelectQuery, f order.Filter) *bun.SelectQuery {
	switch f.State {
	case "":
	case order.Open:
		q = q.Where("o.state IN " + openStates)
	case order.Late:
		q = q.Where("o.state IN "+openStates).Where("o.standing = 'main'").Where("o.created_at < ?", f.Before)
	default:
		q = q.Where("o.state = ?", f.State)
	}
	switch f.Provider {
	case "":
	case order.Usual:
		q = q.Where("o.provider = ''")
	default:
		q = q.Where("o.provider = ?", f.Provider)
	}
	for column, v := range map[string]string{"mode": string(f.Mode), "region": string(f.Region), "plan": f.Plan} {
		if v != "" {
			q = q.Where("o.? = ?", bun.Ident(column), v)
		}
	}
	if !f.From.IsZero() {
		q = q.Where("o.created_at >= ?", f.From)
	}
	if !f.To.IsZero() {
		q = q.Where("o.created_at < ?", f.To)
	}
	return q
}

// people sorts names as people expect it, whatever locale the database was made with.
const people = `COLLATE "und-x-icu"`

// orderColumns is what each sort goes by; the id decides between equal ones.
var orderColumns = map[string]string{
	order.SortCreated: "o.created_at", order.SortUpdated: "o.updated_at", order.SortCustomer: "o.customer_name " + people,
}

// fewColumns is what a sort goes by when the rows are few: no index has it, so that Postgres takes the one of the filter and sorts what
// that finds, and walks no index of the sort past all that is left out.
var fewColumns = map[string]string{
	order.SortUpdated:  "(o.updated_at + interval '0')",
	order.SortCustomer: "(o.customer_name || '') " + people,
}

// How many orders are few: names take longer to sort than moments.
const (
	fewNames = 1000
	fewTimes = 25_000
)

// few says whether a filter leaves so few orders that it is better to sort them than to look for them in the order of the sort. No
// index has days together with the name of the customer or the last change.
func (s *Orders) few(ctx context.Context, f order.Filter, ask page.Ask) (bool, error) {
	most := 0
	switch key, _ := orderKey(f.Sort); {
	case ask.Search != "":
		return false, nil // looks at all of them anyway
	case f.From.IsZero() && f.To.IsZero():
		return false, nil // each filter has an index for each sort
	case key == order.SortCustomer:
		most = fewNames
	case key == order.SortUpdated:
		most = fewTimes
	default:
		return false, nil
	}
	some := orderFilter(s.DB.NewSelect().Model((*orderRow)(nil)).ColumnExpr("1"), f).Limit(int64(most) + 1)
	var n int
	if err := s.DB.NewSelect().ColumnExpr("count(*)").TableExpr("(?) AS found", some).Scan(ctx, &n); err != nil {
		return false, fmt.Errorf("count orders: %w", toFault(err))
	}
	return n <= most, nil
}

// fewPage narrows q to one page of few orders, sorted.
func (s *Orders) fewPage(q *bun.SelectQuery, f order.Filter, ask page.Ask) *bun.SelectQuery {
	ids := orderFilter(s.DB.NewSelect().Model((*orderRow)(nil)).Column("o.id"), f)
	q = q.Join("JOIN (?) AS few ON few.id = o.id", orderSort(ids, f.Sort, fewColumns, ask))
	return orderSort(q, f.Sort, orderColumns, page.Ask{Limit: ask.Limit})
}

// orderSort makes q one page of the list, with one row more than asked for, as page.Cut wants it; columns are what each sort goes by.
func orderSort(q *bun.SelectQuery, by string, columns map[string]string, ask page.Ask) *bun.SelectQuery {
	key, down := orderKey(by)
	way, than := "", ">"
	if down {
		way, than = " DESC", "<"
	}
	column := columns[key]
	if last, value := ask.Mark(); last != "" {
		bound := "?0::timestamptz"
		if key == order.SortCustomer {
			bound = "?0::text " + people
		}
		q = q.Where("("+column+", o.id) "+than+" ("+bound+", ?1::uuid)", value, last)
	}
	return q.OrderExpr(column + way + ", o.id" + way).Limit(int64(ask.Limit) + 1)
}

// orderKey is what a list is sorted by, and whether the last comes first.
func orderKey(by string) (key string, down bool) {
	if by == "" {
		return order.SortCreated, true
	}
	key = strings.TrimPrefix(by, "-")
	return key, key != by
}

// orderMark is the cursor behind an order in a list that is sorted so.
func orderMark(by string) func(order.Order) string {
	key, _ := orderKey(by)
	return func(o order.Order) string {
		value := o.CreatedAt.UTC().Format(time.RFC3339Nano)
		switch key {
		case order.SortUpdated:
			value = o.UpdatedAt.UTC().Format(time.RFC3339Nano)
		case order.SortCustomer:
			value = o.CustomerName
		}
		return page.Mark(string(o.ID), value)
	}
}
