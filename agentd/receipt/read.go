package receipt

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// OfRuns gives the records of these runs, oldest first.
func (l *Log) OfRuns(ctx context.Context, runIDs ...string) ([]wire.Receipt, error) {
	return OfRuns(ctx, l.db.Read(), runIDs)
}

// Result is what a page shows of some runs: their records, and whether the chain up to the last of them holds.
func (l *Log) Result(ctx context.Context, runIDs ...string) (wire.ReceiptsResult, error) {
	items, err := l.OfRuns(ctx, runIDs...)
	if err != nil {
		return wire.ReceiptsResult{}, err
	}
	out := wire.ReceiptsResult{Items: items, Verified: true}
	var broken *Broken
	switch err := l.Check(ctx); {
	case errors.As(err, &broken):
		out.Verified = len(items) > 0 && items[len(items)-1].Seq < broken.Seq
		out.Problem = broken.Error()
	case err != nil:
		return wire.ReceiptsResult{}, err
	}
	return out, nil
}

// OfRuns gives the records of these runs in db, oldest first.
func OfRuns(ctx context.Context, db *store.Reader, runIDs []string) ([]wire.Receipt, error) {
	rows, err := rowsOf(ctx, db, runIDs)
	if err != nil {
		return nil, fmt.Errorf("read receipts: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	items := []wire.Receipt{}
	for rows.Next() {
		r, _, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("read receipts: %w", err)
		}
		items = append(items, r)
	}
	return items, rows.Err()
}

// rowsOf asks in the shortest way for the one run that most messages make.
func rowsOf(ctx context.Context, db *store.Reader, runIDs []string) (*sql.Rows, error) {
	if len(runIDs) == 1 {
		return db.QueryContext(ctx, "SELECT "+columns+" FROM receipts WHERE run_id = ? ORDER BY seq", runIDs[0])
	}
	ids, err := json.Marshal(runIDs)
	if err != nil {
		return nil, fmt.Errorf("run ids: %w", err)
	}
	return db.QueryContext(ctx, "SELECT "+columns+" FROM receipts WHERE run_id IN (SELECT value FROM json_each(?)) ORDER BY seq", string(ids))
}

// Fits says whether v can be the body of a record, or a part of one.
func Fits(v any) bool {
	_, err := bodyOf(v)
	return err == nil
}

// Each gives every record, oldest first, one at a time.
func (l *Log) Each(ctx context.Context, do func(wire.Receipt) error) error {
	rows, err := l.db.Read().QueryContext(ctx, "SELECT "+columns+" FROM receipts ORDER BY seq")
	if err != nil {
		return fmt.Errorf("read receipts: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	for rows.Next() {
		r, _, err := scan(rows)
		if err != nil {
			return fmt.Errorf("read receipts: %w", err)
		}
		if err := do(r); err != nil {
			return err
		}
	}
	return rows.Err()
}
