package receipt_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"gatehouse/agentd/receipt"
	_ "gatehouse/agentd/seeded"
	"gatehouse/agentd/store"
)

// TestMain keeps the random walks short; GATEHOUSE_SOAK=1 makes them long.
func TestMain(m *testing.M) {
	checks := "40"
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		checks = "1000"
	}
	if err := flag.Set("rapid.checks", checks); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// tamper changes the log the way someone with the file and no scruples would: triggers gone, then q.
func tamper(t testing.TB, path, q string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // it was only read
	for _, name := range []string{"receipts_no_update", "receipts_no_delete", "receipts_in_order"} {
		if _, err := db.Exec("DROP TRIGGER IF EXISTS " + name); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Exec(q, args...); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
}

// copied gives a closed copy of a world's database, so that each change starts from a good log.
func copied(t testing.TB, good []byte) string {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, store.File), good, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// closed makes a log of n records and gives the bytes of its file.
func closed(t testing.TB, n int) []byte {
	t.Helper()
	w := open(t, n)
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(w.dir, store.File))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func verify(t testing.TB, dir string) error {
	t.Helper()
	db, err := store.OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // it was only read
	_, err = receipt.Verify(context.Background(), db)
	return err
}

// TestVerify_namesAnyChangedByte changes one byte of one field of one record, for every field.
func TestVerify_namesAnyChangedByte(t *testing.T) {
	t.Parallel()
	good := closed(t, 12)
	rapid.Check(t, func(r *rapid.T) {
		dir := copied(t, good)
		path := filepath.Join(dir, store.File)
		seq := rapid.Int64Range(1, 12).Draw(r, "seq")
		field := rapid.SampledFrom([]string{"time", "type", "run_id", "call_id", "tool", "tier", "body", "prev_hash", "hash"}).Draw(r, "field")
		at := rapid.IntRange(0, 200).Draw(r, "at")
		with := rapid.SampledFrom([]string{"0", "1", "x", " ", "}", "é"}).Draw(r, "with")
		db, err := store.OpenReader(dir)
		if err != nil {
			t.Fatal(err)
		}
		var was string
		if err := db.QueryRowContext(t.Context(), "SELECT "+field+" FROM receipts WHERE seq = ?", seq).Scan(&was); err != nil {
			t.Fatal(err)
		}
		_ = db.Close()
		at %= len(was)
		now := was[:at] + with + was[at+1:]
		if now == was {
			return
		}
		tamper(t, path, "UPDATE receipts SET "+field+" = ? WHERE seq = ?", now, seq)
		var broken *receipt.Broken
		if err := verify(t, dir); !errors.As(err, &broken) || broken.Seq != seq {
			r.Fatalf("%s of record %d became %q: %v", field, seq, now, err)
		}
		wantStranger(t, reader(t, dir), nil, nil, seq)
	})
}

func TestVerify_namesDroppedInsertedSwapped(t *testing.T) {
	t.Parallel()
	good := closed(t, 12)
	for q, want := range map[string]int64{
		"DELETE FROM receipts WHERE seq = 5":                                               5,
		"DELETE FROM receipts WHERE seq = 1":                                               1,
		"DELETE FROM receipts WHERE seq BETWEEN 3 AND 9":                                   3,
		"UPDATE receipts SET seq = 99 WHERE seq = 6":                                       6,
		"UPDATE receipts SET seq = CASE seq WHEN 4 THEN -7 ELSE 4 END WHERE seq IN (4, 7)": 4,
		"INSERT INTO receipts SELECT 13, time, type, run_id, call_id, tool, tier, body, prev_hash, hash FROM receipts WHERE seq = 12": 13,
	} {
		dir := copied(t, good)
		tamper(t, filepath.Join(dir, store.File), q)
		var broken *receipt.Broken
		if err := verify(t, dir); !errors.As(err, &broken) || broken.Seq != want {
			t.Errorf("%s: %v, want record %d", q, err, want)
		}
		wantStranger(t, reader(t, dir), nil, nil, want)
	}
	untouched := copied(t, good)
	if err := verify(t, untouched); err != nil {
		t.Errorf("an untouched copy: %v", err)
	}
	wantStranger(t, reader(t, untouched), nil, nil, 0)
}

// TestHeld_findsCutAndRewrittenLogs: a shorter or wholly new chain holds in itself; the anchors outside do not fit.
func TestHeld_findsCutAndRewrittenLogs(t *testing.T) {
	t.Parallel()
	w := open(t, 10)
	if err := w.Checkpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	anchors, err := receipt.Anchors(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(w.dir, store.File)
	tamper(t, cut, "DELETE FROM receipts WHERE seq > 7")
	if err := verify(t, w.dir); err != nil {
		t.Fatalf("a cut chain holds in itself: %v", err)
	}
	other := open(t, 10) // the same records at other times: another chain
	for name, db := range map[string]*store.Reader{"cut": reader(t, w.dir), "rewritten": other.db.Read()} {
		var broken *receipt.Broken
		if err := receipt.Held(t.Context(), db, server, w.pub, anchors); !errors.As(err, &broken) || broken.Seq != 10 {
			t.Errorf("%s: %v", name, err)
		}
		wantStranger(t, db, anchors, w.pub, 10)
	}
}

func reader(t testing.TB, dir string) *store.Reader {
	t.Helper()
	db, err := store.OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // nothing to lose
	return db
}

// TestFile_flippedByte flips bytes anywhere in the file, zeros aside, of which free space is made. Whatever happens, a changed record is
// never taken for good: the file does not open, or verify names a record, or every record reads as it was written.
func TestFile_flippedByte(t *testing.T) {
	t.Parallel()
	good := closed(t, 100)
	want := contents(t, copied(t, good))
	var used []int // bytes that say something
	for at, b := range good {
		if b != 0 {
			used = append(used, at)
		}
	}
	named := 0
	for i := range 200 {
		at := used[(i*2654435761+101)%len(used)]
		bad := append([]byte{}, good...)
		bad[at] ^= 1 << (i % 8)
		dir := copied(t, bad)
		db, err := store.OpenReader(dir)
		if err != nil {
			continue
		}
		_, err = receipt.Verify(context.Background(), db)
		if err == nil {
			err = receipt.Indexed(context.Background(), db)
		}
		_ = db.Close()
		if err != nil {
			named++
			continue
		}
		if got := contents(t, dir); got != want {
			t.Fatalf("byte %d flipped: the log reads differently and verifies", at)
		}
	}
	if named < 100 {
		t.Errorf("only %d of 200 flips were named", named)
	}
}

func contents(t testing.TB, dir string) string {
	t.Helper()
	db, err := store.OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // it was only read
	all, err := receipt.OfRuns(context.Background(), db, []string{"run-a", "run-b"})
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%+v", all)
}
