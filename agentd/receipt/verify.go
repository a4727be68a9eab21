package receipt

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// Broken names the first record of the log that does not hold.
type Broken struct {
	Seq int64
	Why string
}

func (b *Broken) Error() string { return fmt.Sprintf("receipt %d: %s", b.Seq, b.Why) }

// Head is a place in the chain: the number and hash of one record. The zero Head is the beginning.
type Head struct {
	Seq  int64
	Hash string
}

// Verify checks the whole chain in db and answers its head, or a *Broken.
func Verify(ctx context.Context, db *store.Reader) (Head, error) { return VerifyFrom(ctx, db, Head{}) }

// VerifyFrom checks the chain behind from, a head that was checked or signed before. It reads one record at a time.
func VerifyFrom(ctx context.Context, db *store.Reader, from Head) (Head, error) {
	if from.Hash == "" {
		from.Hash = Genesis
	}
	rows, err := db.QueryContext(ctx, "SELECT "+columns+" FROM receipts WHERE seq > ? ORDER BY seq", from.Seq)
	if err != nil {
		return from, fmt.Errorf("read receipts: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	for rows.Next() {
		if from, err = follow(rows, from); err != nil {
			return from, err
		}
	}
	if err := rows.Err(); err != nil {
		return from, fmt.Errorf("read receipts after %d: %w", from.Seq, err)
	}
	return from, nil
}

// follow checks one record against the head before it.
func follow(rows *sql.Rows, at Head) (Head, error) {
	r, raw, err := scan(rows)
	if err != nil {
		return at, &Broken{Seq: at.Seq + 1, Why: "cannot be read: " + err.Error()}
	}
	return Next(at, r, raw)
}

// Next checks that r is the record after at and answers the new head, or a *Broken. raw is its time as it was
// stored; empty for records that came as JSON.
func Next(at Head, r wire.Receipt, raw string) (Head, error) {
	if at.Hash == "" {
		at.Hash = Genesis
	}
	switch {
	case r.Seq != at.Seq+1:
		return at, &Broken{Seq: at.Seq + 1, Why: fmt.Sprintf("is missing; number %d follows", r.Seq)}
	case r.PrevHash != at.Hash:
		return at, &Broken{Seq: r.Seq, Why: "does not follow the record before it"}
	case raw != "" && raw != stamp(r.Time):
		return at, &Broken{Seq: r.Seq, Why: "was changed"}
	}
	want, err := HashOf(r)
	if err != nil || want != r.Hash {
		return at, &Broken{Seq: r.Seq, Why: "was changed"}
	}
	return Head{Seq: r.Seq, Hash: r.Hash}, nil
}

const columns = "seq, time, type, run_id, call_id, tool, tier, body, prev_hash, hash"

// scan reads one row, and gives the stored form of its time as well.
func scan(rows *sql.Rows) (wire.Receipt, string, error) {
	var r wire.Receipt
	var at, body string
	if err := rows.Scan(&r.Seq, &at, &r.Type, &r.RunID, &r.CallID, &r.Tool, &r.Tier, &body, &r.PrevHash, &r.Hash); err != nil {
		return r, at, err
	}
	var err error
	r.Body = json.RawMessage(body)
	r.Time, err = time.Parse(time.RFC3339Nano, at)
	return r, at, err
}
