package db

import (
	"context"
	"fmt"
	"time"

	"gatehouse/app/modelkey"
	"gatehouse/app/server"
)

// House adds up what a server used with the operator's key in each hour in [from, to), over all epochs of its meter.
func (u *Usage) House(ctx context.Context, of server.ID, from, to time.Time) ([]modelkey.Hour, error) {
	var rows []struct {
		Hour      time.Time `bun:"hour"`
		Input     int64     `bun:"input"`
		Output    int64     `bun:"output"`
		Estimated bool      `bun:"guessed"`
	}
	err := u.DB.bun(ctx).NewSelect().TableExpr("usage_buckets AS b").ColumnExpr("b.hour").
		ColumnExpr("sum(b.input + b.cache_read + b.cache_write)::bigint AS input").ColumnExpr("sum(b.output)::bigint AS output").
		ColumnExpr("sum(b.est_input + b.est_output) > 0 AS guessed").
		Where("b.server_id = ?", of).Where("b.key = 'house'").Where("b.hour >= ?", from).Where("b.hour < ?", to).
		GroupExpr("b.hour").OrderExpr("b.hour").Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("add up usage with the operator's key: %w", toFault(err))
	}
	all := make([]modelkey.Hour, len(rows))
	for i, r := range rows {
		all[i] = modelkey.Hour{Start: r.Hour.UTC(), Input: r.Input, Output: r.Output, Estimated: r.Estimated}
	}
	return all, nil
}
