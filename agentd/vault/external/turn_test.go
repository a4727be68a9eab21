package external_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"testing"

	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/external"
)

// TestLook_oneStuckPath: a path of which the external vault never answers, or only that it is busy, keeps no other from
// being looked at for long.
func TestLook_oneStuckPath(t *testing.T) {
	t.Parallel()
	for what, status := range map[string]int{"quota": http.StatusTooManyRequests, "gateway": http.StatusBadGateway} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			w.source("a.stuck", "a/stuck#x")
			w.kv.Fail("a/stuck", status)
			for range 3 {
				first := w.put()
				w.look()
				w.look()
				w.uses(first)
				w.trouble("")
			}
		})
	}
}

// TestLook_slow: each question is answered so late that a look does not come to the end. The next ones go on from there.
func TestLook_slow(t *testing.T) {
	t.Parallel()
	w := open(t)
	ctx, end := contextOf(t)
	defer end()
	names := []string{name}
	for i := range 6 {
		names = append(names, fmt.Sprintf("z.key%d", i))
		w.source(names[i+1], fmt.Sprintf("z/%d#x", i))
		w.kv.Put(fmt.Sprintf("z/%d", i), map[string]any{"x": fmt.Sprintf("value number %d", i)})
	}
	w.put()
	for range len(names) {
		external.StopAfter(w.f, 4) // a version and a value each: two secrets, and a part of the third
		w.fail(w.f.Look(ctx, 0))
	}
	for _, n := range names {
		if i, err := w.Info(t.Context(), n); err != nil || i.Origin.Version == 0 {
			t.Errorf("%s was never reached: %v", n, err)
		}
	}
}

// TestRun_asked: Run looks at its start and when it is asked to.
func TestRun_asked(t *testing.T) {
	t.Parallel()
	w := open(t)
	first := w.put()
	ended := make(chan error, 1)
	ctx, stop := contextOf(t)
	go func() { ended <- w.f.Run(ctx) }()
	n, err := w.AskRefresh(t.Context())
	w.fail(err)
	w.fail(w.Refreshed(t.Context(), n))
	w.uses(first)
	second := w.put()
	n, err = w.AskRefresh(t.Context())
	w.fail(err)
	w.fail(w.Refreshed(t.Context(), n))
	w.uses(second)
	e, err := vault.ReadExternal(t.Context(), w.db.Read())
	if err != nil || e.Address != w.cfg.Address || e.LookedAt.IsZero() || len(e.Secrets) != 1 || e.Secrets[0].Version != 2 {
		t.Errorf("%+v, %v", e, err)
	}
	stop()
	w.fail(<-ended)
	if _, err := os.Stat(w.cfg.TokenFile); err != nil {
		t.Error(err)
	}
}

// TestRun_cannotKeep: while the local vault cannot be written, the external one is asked at each interval and when
// somebody wants it, and not all the time in between.
func TestRun_cannotKeep(t *testing.T) {
	t.Parallel()
	w := open(t)
	first := w.put()
	w.refuseWrites("CREATE TRIGGER full BEFORE UPDATE OF done ON vault_external BEGIN SELECT RAISE(ABORT, 'full'); END")
	ask := func() {
		if _, err := w.AskRefresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	ask()
	for _, step := range []struct {
		before func()
		due    bool
		want   int
	}{{func() {}, true, 1}, {func() {}, false, 0}, {func() {}, false, 0}, {ask, false, 1}, {func() {}, false, 0}, {func() {}, true, 1}} {
		step.before()
		external.Turn(w.f, t.Context(), step.due)
		if n := w.count("/metadata/"); n != step.want {
			t.Errorf("it was asked %d times instead of %d", n, step.want)
		}
	}
	w.refuseWrites("DROP TRIGGER full")
	ask()
	external.Turn(w.f, t.Context(), false)
	w.uses(first)
	if asked, done, err := w.Vault.Asked(t.Context()); err != nil || done != asked {
		t.Errorf("%d of %d looks are done, %v", done, asked, err)
	}
}

// refuseWrites changes what the database takes.
func (w *world) refuseWrites(statement string) {
	w.t.Helper()
	w.fail(w.db.Write(w.t.Context(), func(tx *sql.Tx) error {
		_, err := tx.Exec(statement)
		return err
	}))
}
