package receipt

import (
	"context"
	"database/sql"
	"fmt"

	"gatehouse/agentd/store"
)

// Indexed checks that the index by run, through which pages find records, leads to every record and to no other: a
// damaged index would hide records without changing any. Both are looked at as they are in one moment: records may come
// meanwhile.
func Indexed(ctx context.Context, db *store.Reader) error {
	tx, err := db.Begin(ctx)
	if err != nil {
		return fmt.Errorf("read receipts: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // it was only read
	byRun, err := runs(ctx, tx, "INDEXED BY receipts_run")
	if err != nil {
		return err
	}
	table, err := runs(ctx, tx, "NOT INDEXED")
	if err != nil {
		return err
	}
	var bad int64
	for seq, run := range table {
		if byRun[seq] != run && (bad == 0 || seq < bad) {
			bad = seq
		}
		delete(byRun, seq)
	}
	for seq := range byRun {
		if bad == 0 || seq < bad {
			bad = seq
		}
	}
	if bad != 0 {
		return &Broken{Seq: bad, Why: "cannot be found through its run: the index is damaged"}
	}
	return nil
}

// runs reads the run of each record in one way.
func runs(ctx context.Context, tx *sql.Tx, how string) (map[int64]string, error) {
	rows, err := tx.QueryContext(ctx, "SELECT seq, run_id FROM receipts "+how)
	if err != nil {
		return nil, fmt.Errorf("read receipts: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	all := map[int64]string{}
	for rows.Next() {
		var seq int64
		var run string
		if err := rows.Scan(&seq, &run); err != nil {
			return nil, fmt.Errorf("read receipts: %w", err)
		}
		all[seq] = run
	}
	return all, rows.Err()
}
