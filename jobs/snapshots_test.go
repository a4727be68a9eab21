package jobs_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/machine"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/provider/vpshost/hetzner/hetznertest"
	"gatehouse/app/staff"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// serving has the server of a fleet in service since a time, with an owner who agrees to snapshots.
func serving(t *testing.T, since time.Time) *fleet {
	t.Helper()
	f := newFleet(t, dbtest.New(t))
	f.agree(t, since)
	_, err := f.db.Pool.Exec(t.Context(), `UPDATE servers SET registered_at = $2, public_key = 'k', key_id = 'k', seal_key = 's',
		state = 'online' WHERE id = $1`, f.srv.ID, since)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// day has the hub look whether snapshots are due at a time, and does what it asked for.
func (f *fleet) day(t *testing.T, w *machine.Worker, now time.Time) (asked int) {
	t.Helper()
	w.Now = func() time.Time { return now }
	asked, err := w.Daily(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for v := f.view(t); v.Busy; v = f.view(t) {
		if _, err := w.Work(t.Context(), v.Acts[0].ID); err != nil {
			t.Fatal(err)
		}
	}
	return asked
}

func names(all []machine.Copy) (list []string) {
	for _, c := range all {
		list = append(list, strings.TrimPrefix(c.Name, "gatehouse-"))
	}
	slices.Sort(list)
	return list
}

// TestSnapshots_daily: each day brings one snapshot, whoever looks how often; the newest three are kept, and what somebody asked for
// stays.
func TestSnapshots_daily(t *testing.T) {
	t.Parallel()
	first := time.Date(2026, 3, 2, 23, 59, 0, 0, time.UTC)
	f := serving(t, first.Add(-time.Hour))
	w := f.machineWorker(f.host, f.acts())
	hand, err := f.machines.Do(t.Context(), f.srv.ID, machine.Want{Verb: machine.Take}, ourOwner)
	if err != nil {
		t.Fatal(err)
	}
	if n := f.day(t, w, first); n != 0 {
		t.Errorf("%d asked for while something else is done", n)
	}
	for i := range 5 {
		now := first.AddDate(0, 0, i)
		if n := f.day(t, w, now); n != 1 {
			t.Errorf("day %d: %d asked for", i, n)
		}
		if n := f.day(t, w, now.Add(30*time.Second)); n != 0 {
			t.Errorf("day %d: %d asked for again", i, n)
		}
	}
	want := []string{"daily-2026-03-04", "daily-2026-03-05", "daily-2026-03-06", strings.TrimPrefix(hand.Name, "gatehouse-")}
	if got := names(f.view(t).Copies); !slices.Equal(got, want) || len(f.project.Images()) != 4 || f.project.Did("create_image") != 6 {
		t.Errorf("kept %v, %d images, %d made", got, len(f.project.Images()), f.project.Did("create_image"))
	}
}

// TestSnapshots_turn: servers are spread over the day, and each has the same turn every day; without consent none has one.
func TestSnapshots_turn(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	f := serving(t, midnight.Add(-time.Hour))
	days := db.SnapshotConsents{MachineActs: f.acts()}
	for range 60 {
		_, o := f.checkout(t)
		if _, err := f.servers.Add(t.Context(), o.CustomerID, string(o.ID), o.Slug, "hetzner"); err != nil {
			t.Fatal(err)
		}
	}
	const serve = `WITH k AS (INSERT INTO snapshot_consents SELECT customer_id, id, $1 FROM users ON CONFLICT DO NOTHING)
		UPDATE servers SET registered_at = $1, public_key = id::text, key_id = id::text, seal_key = 's', state = 'online'`
	if _, err := f.db.Pool.Exec(t.Context(), serve, midnight.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	due := func(hour int) int {
		t.Helper()
		now := midnight.Add(time.Duration(hour) * time.Hour)
		ids, err := days.Due(t.Context(), []string{"hetzner"}, "gatehouse-daily-2026-03-02", now, 1000)
		if err != nil {
			t.Fatal(err)
		}
		return len(ids)
	}
	if early, noon, late := due(1), due(12), due(23); early > 20 || noon < 15 || noon > 45 || late < 45 {
		t.Errorf("due at one, at noon and at eleven: %d, %d, %d of 61", early, noon, late)
	}
	if _, err := f.db.Pool.Exec(t.Context(), "DELETE FROM snapshot_consents"); err != nil {
		t.Fatal(err)
	}
	if n := due(23); n != 0 {
		t.Errorf("%d are due without consent", n)
	}
}

func (f *fleet) consents() *machine.Consents {
	return &machine.Consents{Store: db.SnapshotConsents{MachineActs: f.acts()}, Can: f.machines.Can, Now: time.Now}
}

// TestSnapshots_withdrawn: an owner who takes the consent back has no snapshots left, also when the provider fails at first and one
// was being made; another one is not made.
func TestSnapshots_withdrawn(t *testing.T) {
	t.Parallel()
	f := serving(t, time.Now().Add(-time.Hour))
	w := f.machineWorker(f.host, f.acts())
	f.day(t, w, time.Date(2026, 3, 2, 23, 59, 0, 0, time.UTC))
	w.Now = time.Now
	making, err := f.machines.Do(t.Context(), f.srv.ID, machine.Want{Verb: machine.Take}, ourOwner)
	if err == nil {
		f.project.Fail(hetznertest.Fault{Method: http.MethodPost, Path: "/servers/", After: true}) // it is made, and its answer lost
		_, err = w.Work(t.Context(), making.ID)
	}
	if err != nil || len(f.project.Images()) != 2 {
		t.Fatalf("%v, %d images", err, len(f.project.Images()))
	}
	owner := audit.Actor{Kind: audit.User, ID: string(f.owner(t)), Name: "owner@example.com"}
	if err := f.consents().Withdraw(t.Context(), f.srv.CustomerID, owner); err != nil {
		t.Fatal(err)
	}
	f.project.Fail(hetznertest.Fault{
		Method: http.MethodDelete, Path: "/images", Status: http.StatusServiceUnavailable, Code: "maintenance",
	})
	f.start(t, "")
	eventually(t, "all snapshots are deleted", func() bool {
		_, err := f.db.Pool.Exec(t.Context(), "UPDATE river_job SET state = 'available', scheduled_at = now() WHERE state = 'scheduled'")
		if err != nil {
			t.Fatal(err)
		}
		v := f.view(t)
		return len(f.project.Images()) == 0 && len(v.Copies) == 0 && !v.Busy
	})
	if _, err := f.machines.Do(t.Context(), f.srv.ID, machine.Want{Verb: machine.Take}, ourOwner); err == nil {
		t.Error("one more is made")
	}
	var recorded int
	err = f.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM audit_log WHERE action = 'snapshots.withdraw'").Scan(&recorded)
	if err != nil || recorded != 1 {
		t.Errorf("%d records, %v", recorded, err)
	}
}

func (f *fleet) owner(t *testing.T) (id account.UserID) {
	t.Helper()
	if err := f.db.Pool.QueryRow(t.Context(), "SELECT id FROM users WHERE customer_id = $1", f.srv.CustomerID).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}

// TestSnapshots_late: staff who may switch machines are told once of a server without a new snapshot for two days, and again only
// after two more.
func TestSnapshots_late(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	f := serving(t, start)
	for role, off := range map[staff.Role]bool{staff.Owner: false, staff.Admin: true, staff.Support: false} {
		_, err := f.db.Pool.Exec(t.Context(), `INSERT INTO staff
			(id, email, email_folded, name, role, password_hash, totp_secret, created_at, off_at) VALUES
			($1, $2, $2, 'Somebody', $3, '$argon2id$x', '\\x00', now(), CASE WHEN $4 THEN now() END)`,
			uuid.NewString(), strings.ToLower(string(role))+"@example.org", string(role), off)
		if err != nil {
			t.Fatal(err)
		}
	}
	w := f.machineWorker(f.host, f.acts())
	letters := func() (n int) {
		t.Helper()
		const count = "SELECT count(*) FROM river_job WHERE kind = 'send_mail' AND args->>'template' = 'snapshot_late'"
		if err := f.db.Pool.QueryRow(context.Background(), count).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for hours, want := range []struct{ at, told, letters int }{{47, 0, 0}, {49, 1, 1}, {50, 0, 1}, {98, 1, 2}} {
		w.Now = func() time.Time { return start.Add(time.Duration(want.at) * time.Hour) }
		told, err := w.TellLate(t.Context())
		if err != nil || told != want.told || letters() != want.letters {
			t.Errorf("%d: after %d h: told %d, %d letters, %v", hours, want.at, told, letters(), err)
		}
	}
	f.machines.Now = w.Now
	if v := f.view(t); !v.LateSince.Equal(start) {
		t.Errorf("the page says late since %s", v.LateSince)
	}
}

// TestSnapshots_order: who agrees at the order has agreed, and who does not has not.
func TestSnapshots_order(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	for _, agrees := range []bool{true, false} {
		u, _, err := b.orders.Checkout(t.Context(), account.SignUp{
			Name: "Somebody", Business: "Example Bakery", Email: uuid.NewString() + "@example.com", Password: "correct staple battery",
			TimeZone: "Europe/Vienna",
		}, order.Choice{Plan: pricing.Build, Snapshots: agrees})
		if err != nil {
			t.Fatal(err)
		}
		since, err := b.acts().Agreed(t.Context(), u.CustomerID)
		if err != nil || since.IsZero() == agrees {
			t.Errorf("agrees %t: since %s, %v", agrees, since, err)
		}
	}
}
