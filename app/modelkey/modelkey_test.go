package modelkey_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/modelkey"
	"gatehouse/app/server"
)

var t0 = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func at(hours int) time.Time { return t0.Add(time.Duration(hours) * time.Hour) }

// world is a provider, a store of one key, a meter and the alerts.
type world struct {
	ready        bool
	made         int
	ended        []string
	k            modelkey.Key
	off          string
	theirs, ours []modelkey.Hour
	waits        bool
	fails, mute  error // of the provider, of the alerts
	alerts       []wire.Alert
	now          time.Time
	spent        bool
}

func (w *world) Ready() bool { return w.ready }

func (w *world) Make(_ context.Context, name string) (modelkey.Key, error) {
	w.made++
	return modelkey.Key{ID: "key_" + name, Account: "account", Secret: "s3cret"}, w.fails
}

func (w *world) End(_ context.Context, account string) error {
	w.ended = append(w.ended, account)
	return w.fails
}

func within(all []modelkey.Hour, from, to time.Time) (some []modelkey.Hour) {
	for _, h := range all {
		if !h.Start.Before(from) && h.Start.Before(to) {
			some = append(some, h)
		}
	}
	return some
}

func (w *world) Count(_ context.Context, _ string, from, to time.Time) ([]modelkey.Hour, error) {
	return within(w.theirs, from, to), w.fails
}

func (w *world) House(_ context.Context, _ server.ID, from, to time.Time) ([]modelkey.Hour, error) {
	return within(w.ours, from, to), nil
}

func (w *world) Settled(context.Context, server.ID) (bool, error) { return !w.waits, nil }

func (w *world) Ensure(
	ctx context.Context, _ server.ID, fresh func(context.Context) (modelkey.Key, error),
) (k modelkey.Key, err error) {
	if w.k.Secret != "" {
		return w.k, nil
	}
	if k, err = fresh(ctx); err == nil {
		w.k = k
	}
	return k, err
}

func (w *world) All(context.Context) ([]modelkey.Key, error)  { return []modelkey.Key{w.k}, nil }
func (w *world) Left(context.Context) ([]modelkey.Key, error) { return []modelkey.Key{w.k}, nil }

func (w *world) Ended(context.Context, server.ID, time.Time) error {
	w.spent = true
	return nil
}

func (w *world) Compared(_ context.Context, _ server.ID, since time.Time, off string, _ time.Time) error {
	w.k.Since, w.off = since, off
	return nil
}

func (w *world) RaiseOnce(_ context.Context, _ server.ID, a wire.Alert, _, _ time.Time) error {
	if w.mute != nil {
		return w.mute
	}
	w.alerts = append(w.alerts, a)
	return nil
}

func (w *world) service() *modelkey.Service {
	return &modelkey.Service{
		Provider: w, Store: w, Meter: w, Alerts: w, Now: func() time.Time { return w.now },
	}
}

// TestFor: a server has one key of its own, made once. Where the operator lets the hub make none, the usual one is used.
func TestFor(t *testing.T) {
	t.Parallel()
	w := &world{now: at(0)}
	if k, err := w.service().For(t.Context(), "s", "usual"); k != "usual" || err != nil || w.made != 0 {
		t.Errorf("%q, %v", k, err)
	}
	w.ready = true
	for range 2 {
		if k, err := w.service().For(t.Context(), "s", "usual"); k != "s3cret" || err != nil || w.made != 1 {
			t.Errorf("%q, %v; %d made", k, err, w.made)
		}
	}
	broken := &world{ready: true, fails: errors.New("away"), now: at(0)}
	if k, err := broken.service().For(t.Context(), "s", "usual"); k != "" || err == nil {
		t.Errorf("the provider is away: %q, %v", k, err)
	}
}

// TestEndLeft: the key of a server that is gone is ended at the provider, then forgotten, not before.
func TestEndLeft(t *testing.T) {
	t.Parallel()
	w := &world{ready: true, fails: errors.New("away")}
	if n, err := w.service().EndLeft(t.Context()); n != 0 || err == nil || w.spent {
		t.Errorf("%d, %v", n, err)
	}
	w.fails = nil
	if n, err := w.service().EndLeft(t.Context()); n != 1 || err != nil || !w.spent {
		t.Errorf("%d, %v", n, err)
	}
	w = &world{k: modelkey.Key{Server: "s", Account: "account"}}
	if n, err := w.service().EndLeft(t.Context()); n != 0 || err != nil || len(w.ended) != 0 || w.spent {
		t.Errorf("without an admin key: %d, %v, ended %v", n, err, w.ended)
	}
	if len(w.alerts) != 1 || w.alerts[0].Severity != "hard" || !strings.Contains(w.alerts[0].Text, "gatehouse s") {
		t.Errorf("our staff are told %+v", w.alerts)
	}
}

// hour is what was used in one.
func hour(h int, in, out int64) modelkey.Hour {
	return modelkey.Hour{Start: at(h), Input: in, Output: out}
}

// look compares, and says what is not as it should be.
func (w *world) look(t *testing.T, what string, off, alerts int, since time.Time) {
	t.Helper()
	n, err := w.service().Reconcile(t.Context())
	if n != off || err != nil || len(w.alerts) != alerts || !w.k.Since.Equal(since) {
		t.Errorf("%s: %d differ, %v, %d alerts, compared from %s", what, n, err, len(w.alerts), w.k.Since)
	}
}

// TestReconcile: equal counts say nothing. A difference of one token is told once when it has stood for six ends of hours, and another
// one by how much it is more. What could not be told is told the next time.
func TestReconcile(t *testing.T) {
	t.Parallel()
	w := &world{ready: true, k: modelkey.Key{Server: "s", ID: "k", Since: at(0)}, now: at(6).Add(10 * time.Minute)}
	w.ours = []modelkey.Hour{hour(0, 100, 10), hour(1, 50, 5), hour(5, 40, 4)}
	w.theirs = []modelkey.Hour{hour(0, 90, 10), hour(1, 60, 5), hour(5, 40, 3)}
	w.look(t, "an hour later there", 0, 0, at(4))
	w.now = at(12)
	w.look(t, "one token, for five hours", 0, 0, at(5))
	w.now, w.waits = at(13), true
	w.look(t, "the server has not reported all", 0, 0, at(5))
	w.waits, w.mute = false, errors.New("the database is away")
	if _, err := w.service().Reconcile(t.Context()); err == nil || !w.k.Since.Equal(at(5)) || w.off != "" {
		t.Errorf("not told, and yet kept: %v, %s, %q", err, w.k.Since, w.off)
	}
	w.mute = nil
	w.look(t, "one token", 1, 1, at(6))
	if got := w.alerts[0].Text; !strings.Contains(got, "input +0, output -1 tokens since 2026-03-02 14:00") || w.off == "" {
		t.Error(got)
	}
	w.now = at(20)
	w.look(t, "the same token", 0, 1, at(18))
	w.theirs, w.now = append(w.theirs, hour(18, 2, 0)), at(26)
	w.look(t, "more", 1, 2, at(19))
	if got := w.alerts[1].Text; !strings.Contains(got, "input +2, output +0 ") {
		t.Error(got)
	}
	w.fails, w.now = errors.New("429"), at(30)
	if _, err := w.service().Reconcile(t.Context()); err == nil || len(w.alerts) != 2 || !w.k.Since.Equal(at(19)) {
		t.Errorf("the provider does not answer: %v", err)
	}
}

// TestReconcile_underWay: where requests go on over the ends of hours, both counts are equal at some end alone. That is no difference,
// and where there is one, what was under way does not count to it.
func TestReconcile_underWay(t *testing.T) {
	t.Parallel()
	w := &world{ready: true, k: modelkey.Key{Server: "s", ID: "k", Since: at(0)}, now: at(9)}
	for h := range 7 { // each hour some are counted there that count here an hour later
		w.theirs = append(w.theirs, hour(h, int64(100+h%3), 0))
		w.ours = append(w.ours, hour(h, 100, 0))
	}
	w.ours[4].Input += 4 // at the end of the fifth hour nothing is under way
	w.look(t, "equal once", 0, 0, at(5))
	w.theirs = append(w.theirs, hour(7, 1, 0), hour(8, 3, 0), hour(12, 5, 0))
	w.ours = append(w.ours, hour(9, 5, 0))
	w.now = at(14)
	w.look(t, "one is missing", 1, 1, at(10))
	if got := w.alerts[0].Text; !strings.Contains(got, "input +1, output +0 ") {
		t.Error(got)
	}
}

// TestReconcile_estimated: an hour in which the hub's count is an estimate is no difference.
func TestReconcile_estimated(t *testing.T) {
	t.Parallel()
	w := &world{ready: true, k: modelkey.Key{Server: "s", ID: "k", Since: at(0)}, now: at(12)}
	w.theirs = []modelkey.Hour{hour(1, 90, 10), hour(3, 7, 7)}
	w.ours = []modelkey.Hour{hour(1, 80, 12), hour(3, 7, 7)}
	w.ours[0].Estimated = true
	w.look(t, "an estimate", 0, 0, at(10))
	w.ours[0].Estimated, w.k.Since = false, at(0)
	w.look(t, "counted", 1, 1, at(5))
}
