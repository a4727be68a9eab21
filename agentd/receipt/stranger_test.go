package receipt_test

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// stranger checks an export from the description of the format alone. It shares no code with the log: another
// implementation of the canonical form, its own idea of a record, and the JSON as all it knows. It answers the number of
// the first record that does not hold, 0 when all do.
func stranger(records []map[string]json.RawMessage, checkpoints []anchor, pub ed25519.PublicKey) int64 {
	prev := strings.Repeat("0", 64)
	hashes := map[int64]string{0: prev}
	for i, r := range records {
		n := int64(i + 1)
		hash, err := recordHash(r)
		if err != nil || string(r["seq"]) != fmt.Sprint(n) || plain(r["prev_hash"]) != prev || plain(r["hash"]) != hash {
			return n
		}
		prev, hashes[n] = hash, hash
	}
	for _, c := range checkpoints {
		sig, err := base64.RawURLEncoding.DecodeString(c.Signature)
		said := []string{"gatehouse-checkpoint-v1", server, fmt.Sprint(c.Seq), c.Hash, c.Time}
		if c.PrevHash != "" { // since version 2 it names the one before
			said[0] = "gatehouse-checkpoint-v2"
			said = append(said, fmt.Sprint(c.PrevSeq), c.PrevHash)
		}
		linked := c.PrevHash == "" || hashes[c.PrevSeq] == c.PrevHash
		if err != nil || hashes[c.Seq] != c.Hash || !linked || !ed25519.Verify(pub, []byte(strings.Join(said, "\n")), sig) {
			return c.Seq
		}
	}
	return 0
}

// anchor is a checkpoint as it stands in JSON.
type anchor struct {
	Seq       int64  `json:"seq"`
	Hash      string `json:"hash"`
	PrevSeq   int64  `json:"prev_seq"`
	PrevHash  string `json:"prev_hash"`
	Time      string `json:"time"`
	Signature string `json:"signature"`
}

// recordHash is hex SHA-256 over the hash before, a line feed, and the canonical JSON of the record without both hashes.
func recordHash(r map[string]json.RawMessage) (string, error) {
	rest := map[string]json.RawMessage{}
	for name, v := range r {
		if name != "hash" && name != "prev_hash" {
			rest[name] = v
		}
	}
	raw, err := json.Marshal(rest)
	if err != nil {
		return "", err
	}
	canonical, err := jcs.Transform(raw)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(plain(r["prev_hash"]) + "\n" + string(canonical)))
	return hex.EncodeToString(sum[:]), nil
}

// plain is a JSON string without its quotes; what is none is empty.
func plain(raw json.RawMessage) (s string) {
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// handedOut asks the stranger about the log in db: what is exported of it, and the checkpoints. An export that cannot be
// made shows no record as good: -1.
func handedOut(t testing.TB, db *store.Reader, anchors []wire.Checkpoint, pub ed25519.PublicKey) int64 {
	t.Helper()
	all, err := receipt.OfRuns(context.Background(), db, everyRun(t, db))
	if err != nil {
		return -1
	}
	var records []map[string]json.RawMessage
	var checkpoints []anchor
	if !asJSON(t, all, &records) || !asJSON(t, anchors, &checkpoints) {
		return -1
	}
	return stranger(records, checkpoints, pub)
}

// everyRun names the runs as the log has them now: a record that was moved to another run is handed out with that run.
func everyRun(t testing.TB, db *store.Reader) (runs []string) {
	t.Helper()
	rows, err := db.QueryContext(context.Background(), "SELECT DISTINCT run_id FROM receipts")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	for rows.Next() {
		var run string
		if err := rows.Scan(&run); err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return runs
}

// asJSON takes v through JSON, as an export does; false when it is none.
func asJSON(t testing.TB, v, out any) bool {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		return false
	}
	if err := json.Unmarshal(b, out); err != nil {
		t.Fatal(err)
	}
	return true
}

// wantStranger fails unless the stranger stops at record want as well, or before it. 0: it finds nothing wrong.
func wantStranger(t testing.TB, db *store.Reader, anchors []wire.Checkpoint, pub ed25519.PublicKey, want int64) {
	t.Helper()
	if got := handedOut(t, db, anchors, pub); (got == 0) != (want == 0) || got > want {
		t.Errorf("to a stranger record %d is the first that does not hold, want %d", got, want)
	}
}
