package db

import (
	"github.com/uptrace/bun"

	"gatehouse/app/page"
)

// newestFirst makes q one page of a list by id, with one row more than asked for, as page.Cut wants it.
func newestFirst(q *bun.SelectQuery, alias string, ask page.Ask) *bun.SelectQuery {
	if ask.After != "" {
		q = q.Where("?.id < ?", bun.Ident(alias), ask.After)
	}
	return q.OrderExpr("?.id DESC", bun.Ident(alias)).Limit(int64(ask.Limit) + 1)
}

// each turns rows into domain values.
func each[R, T any](rows []R, to func(R) T) []T {
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = to(r)
	}
	return out
}

// eachOrErr is each for rows that may hold what this program cannot read.
func eachOrErr[R, T any](rows []R, to func(R) (T, error)) ([]T, error) {
	out := make([]T, len(rows))
	for i, r := range rows {
		var err error
		if out[i], err = to(r); err != nil {
			return nil, err
		}
	}
	return out, nil
}
