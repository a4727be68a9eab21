package receipt_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// TestVerify_namesARecordHashedAnew: who changes a record, and gives it the hash that then is its own, is found by the
// record that follows.
func TestVerify_namesARecordHashedAnew(t *testing.T) {
	t.Parallel()
	good := closed(t, 12)
	for _, seq := range []int64{1, 5, 11} {
		dir := copied(t, good)
		r := record(t, dir, seq)
		r.Body = json.RawMessage(`{"why":"nothing happened"}`)
		hash, err := receipt.HashOf(r)
		if err != nil {
			t.Fatal(err)
		}
		tamper(t, filepath.Join(dir, store.File), "UPDATE receipts SET body = ?, hash = ? WHERE seq = ?", string(r.Body), hash, seq)
		var broken *receipt.Broken
		if err := verify(t, dir); !errors.As(err, &broken) || broken.Seq != seq+1 {
			t.Errorf("record %d hashed anew: %v", seq, err)
		}
		wantStranger(t, reader(t, dir), nil, nil, seq+1)
	}
}

// record reads one record as it stands in a closed log.
func record(t *testing.T, dir string, seq int64) (r wire.Receipt) {
	t.Helper()
	var at, body string
	err := reader(t, dir).QueryRowContext(t.Context(), "SELECT seq, time, type, run_id, call_id, tool, tier, body, prev_hash, hash FROM receipts WHERE seq = ?", seq).
		Scan(&r.Seq, &at, &r.Type, &r.RunID, &r.CallID, &r.Tool, &r.Tier, &body, &r.PrevHash, &r.Hash)
	if err != nil {
		t.Fatal(err)
	}
	if r.Time, err = time.Parse(time.RFC3339Nano, at); err != nil {
		t.Fatal(err)
	}
	r.Body = json.RawMessage(body)
	if hash, err := receipt.HashOf(r); err != nil || hash != r.Hash {
		t.Fatalf("the log was read wrong: %s, %v", hash, err)
	}
	return r
}
