package db_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/audit"
	"gatehouse/app/receipt"
	"gatehouse/app/server"
	"gatehouse/db"
)

// TestCheckpoints keeps one history apart from the other: of another key, and of after a release.
func TestCheckpoints(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	_, srv := withServer(t, d)
	s, id, at := &db.Checkpoints{DB: d}, srv.ID, t0
	add := func(key string, seq int64) wire.Checkpoint {
		t.Helper()
		c := wire.Checkpoint{
			Seq: seq, Hash: strings.Repeat("ab", 32), PrevSeq: seq - 1, PrevHash: strings.Repeat("cd", 32), Time: at.Add(time.Duration(seq)),
			KeyID: key, Signature: "sig",
		}
		must(t, s.Add(t.Context(), id, c, at))
		return c
	}
	head := func(key string, want wire.Checkpoint) {
		t.Helper()
		got, err := s.Head(t.Context(), receipt.Log{Server: id, KeyID: key})
		must(t, err)
		if got != want {
			t.Fatalf("head of %s: %+v, want %+v", key, got, want)
		}
	}
	add("k1", 3)
	first := add("k1", 7)
	head("k1", first)
	head("k2", wire.Checkpoint{})
	second := add("k2", 7)
	head("k2", second)
	head("k1", first)
	must(t, s.Hold(t.Context(), receipt.Hold{Server: id, Why: "it broke", At: at}))
	released(t, s, id, true)
	head("k1", wire.Checkpoint{})
	third := add("k1", 7)
	head("k1", third)
	for _, key := range []string{"k1", "k2"} {
		list, err := s.List(t.Context(), receipt.Log{Server: id, KeyID: key}, 10)
		must(t, err)
		if (key == "k1") != (len(list) == 1) {
			t.Errorf("%s: %d of the new history", key, len(list))
		}
	}
	if n := rows(t, d, "checkpoints"); n != 4 {
		t.Errorf("%d are kept for good", n)
	}
}

func rows(t *testing.T, d *db.DB, table string) (n int) {
	t.Helper()
	must(t, d.Pool.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n))
	return n
}

func released(t *testing.T, s *db.Checkpoints, of server.ID, want bool) {
	t.Helper()
	done, err := s.Release(t.Context(), of, t0, audit.Entry{ID: id(t), At: t0, By: audit.Itself, Action: "server.release", Target: string(of)})
	must(t, err)
	if done != want {
		t.Fatalf("released: %t", done)
	}
}

// TestCheckpoints_hold: one hold at a time with one alert, both or neither; it is released once and never changed else.
func TestCheckpoints_hold(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	_, srv := withServer(t, d)
	s := &db.Checkpoints{DB: d}
	said := &wire.Checkpoint{Seq: 3, Hash: strings.Repeat("ab", 32), Time: t0, KeyID: "k", Signature: "sig"}
	released(t, s, srv.ID, false)
	must(t, s.Hold(t.Context(), receipt.Hold{Server: srv.ID, Why: "it broke", At: t0, Said: said}))
	must(t, s.Hold(t.Context(), receipt.Hold{Server: srv.ID, Why: "again", At: t0.Add(time.Hour)}))
	h, err := s.Held(t.Context(), srv.ID)
	must(t, err)
	if h.Why != "it broke" || !h.At.Equal(t0) || *h.Said != *said || rows(t, d, "server_alerts") != 1 {
		t.Fatalf("%+v", h)
	}
	err = s.Hold(t.Context(), receipt.Hold{Server: server.ID(id(t)), Why: "nobody's", At: t0})
	if err == nil || rows(t, d, "receipt_holds") != 1 {
		t.Errorf("a hold on no server: %v", err)
	}
	all, err := s.AllHeld(t.Context(), 10)
	must(t, err)
	if len(all) != 1 || all[0].Server != srv.ID {
		t.Errorf("%+v", all)
	}
	for _, q := range []string{
		"UPDATE receipt_holds SET why = 'nothing'", "DELETE FROM receipt_holds", "UPDATE receipt_holds SET why = 'nothing', released_at = now()",
	} {
		if _, err := d.Pool.Exec(t.Context(), q); err == nil {
			t.Errorf("done: %s", q)
		}
	}
	released(t, s, srv.ID, true)
	released(t, s, srv.ID, false)
	if h, err := s.Held(t.Context(), srv.ID); err != nil || !h.At.IsZero() || rows(t, d, "audit_log WHERE action = 'server.release'") != 1 {
		t.Errorf("%+v, %v", h, err)
	}
	if _, err := d.Pool.Exec(t.Context(), "UPDATE receipt_holds SET released_at = NULL"); err == nil {
		t.Error("a release was taken back")
	}
}
