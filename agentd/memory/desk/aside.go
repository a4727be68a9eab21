package desk

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gatehouse/agentd/memory"
	"gatehouse/agentd/receipt"
)

// Aside keeps in the state of the server what is put aside. It implements memory.Aside.
type Aside struct {
	Store    Store
	Receipts Receipts
	Now      func() time.Time
}

// Held reads all that is put aside. A note is when its id is, or when what it says is and nobody has signed for it: else an agent could
// put the owner's word aside by saying the same.
func (a Aside) Held(ctx context.Context) (func(n memory.Note, signed bool) string, error) {
	rows, err := a.Store.Read().QueryContext(ctx, `SELECT note_id, hash, reason FROM memory_held`)
	if err != nil {
		return nil, fmt.Errorf("read what is put aside: %w", err)
	}
	defer rows.Close()
	byID, byHash := map[string]string{}, map[string]string{}
	for rows.Next() {
		var id, hash, why string
		if err := rows.Scan(&id, &hash, &why); err != nil {
			return nil, fmt.Errorf("read what is put aside: %w", err)
		}
		byID[id], byHash[hash] = why, why
	}
	return func(n memory.Note, signed bool) string {
		if why := byID[n.ID]; why != "" || signed || len(byHash) == 0 {
			return why
		}
		return byHash[hash(n)]
	}, rows.Err()
}

// Hold puts a note aside, and puts that on record.
func (a Aside) Hold(ctx context.Context, n memory.Note, why string) error {
	return a.Store.Write(ctx, func(tx *sql.Tx) error {
		if err := keepAside(tx, a.Store, n, why, a.Now()); err != nil {
			return err
		}
		_, err := a.Receipts.Append(tx, receipt.Entry{Type: "memory.changed", Body: map[string]any{
			"do": "hold", "note": n.ID, "agent": n.Of, "hash": hash(n), "why": why,
		}})
		return err
	})
}

func keepAside(tx *sql.Tx, s Store, n memory.Note, why string, now time.Time) error {
	const insert = `INSERT OR REPLACE INTO memory_held (note_id, hash, reason, held_at) VALUES (?, ?, ?, ?)`
	_, err := s.Exec(tx, insert, n.ID, hash(n), why, now.Unix())
	if err != nil {
		return fmt.Errorf("put a note aside: %w", err)
	}
	return nil
}
