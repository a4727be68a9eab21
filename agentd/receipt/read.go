package receipt

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"gatehouse/agentd/wire"
)

// OfRuns gives the records of these runs, oldest first.
func (l *Log) OfRuns(ctx context.Context, runIDs []string) ([]wire.Receipt, error) {
	return OfRuns(ctx, l.db.Read(), runIDs)
}

// OfRuns gives the records of these runs in db, oldest first.
func OfRuns(ctx context.Context, db *sql.DB, runIDs []string) ([]wire.Receipt, error) {
	ids, err := json.Marshal(runIDs)
	if err != nil {
		return nil, fmt.Errorf("run ids: %w", err)
	}
	rows, err := db.QueryContext(ctx, "SELECT "+columns+" FROM receipts WHERE run_id IN (SELECT value FROM json_each(?)) ORDER BY seq", string(ids))
	if err != nil {
		return nil, fmt.Errorf("read receipts: %w", err)
	}
	defer rows.Close()
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

// Verified says whether the chain holds, and if not, which record is the first that does not, and why.
func (l *Log) Verified(ctx context.Context) (ok bool, problem string, err error) {
	var broken *Broken
	switch err := l.Check(ctx); {
	case errors.As(err, &broken):
		return false, broken.Error(), nil
	case err != nil:
		return false, "", err
	}
	return true, "", nil
}

// Fits says whether v can be the body of a record, or a part of one.
func Fits(v any) bool {
	_, err := bodyOf(v)
	return err == nil
}
