package db_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"gatehouse/app/server"
	"gatehouse/app/usage"
	"gatehouse/db"
)

// used is a row of a report: tokens of the agent in the hour of t0, at a revision.
func used(agent string, revision, input int64) usage.Bucket {
	return usage.Bucket{
		Epoch: "e", Hour: t0, Agent: agent, Model: "m", Profile: "p", Key: usage.House, Revision: revision,
		Counts: usage.Counts{Requests: 1, Input: input, Output: 2},
	}
}

// TestUsage: the row with the largest revision stays, in whatever order reports come, and belongs to the server's customer.
func TestUsage(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	n, srv := withServer(t, d)
	other, _ := withServer(t, d)
	u := &db.Usage{DB: d}
	keep := func(rows ...usage.Bucket) []usage.Bucket {
		t.Helper()
		was, err := u.Keep(t.Context(), srv.ID, rows)
		must(t, err)
		return was
	}
	if was := keep(used("a", 3, 30), used("b", 2, 5)); len(was) != 0 {
		t.Fatalf("there was something before: %+v", was)
	}
	if was := keep(used("a", 1, 10)); len(was) != 1 || was[0].Revision != 3 || was[0].Input != 30 {
		t.Fatalf("before the late report: %+v", was)
	}
	keep(used("a", 4, 29)) // less than there was
	keep(used("b", 6, 50), used("c", 5, 1))
	got, err := u.Buckets(t.Context(), n.Order.CustomerID, t0, t0.Add(time.Hour))
	must(t, err)
	want := []usage.Bucket{used("a", 3, 30), used("b", 6, 50), used("c", 5, 1)}
	for i := range want {
		want[i].Server, want[i].Customer = srv.ID, n.Order.CustomerID
	}
	if !slices.Equal(got, want) {
		t.Errorf("kept\n%+v, want\n%+v", got, want)
	}
	for name, span := range map[string][2]time.Time{"before": {t0.Add(-time.Hour), t0}, "after": {t0.Add(time.Second), t0.Add(time.Hour)}} {
		if got, err := u.Buckets(t.Context(), n.Order.CustomerID, span[0], span[1]); err != nil || len(got) != 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if got, err := u.Buckets(t.Context(), other.Order.CustomerID, t0, t0.Add(time.Hour)); err != nil || len(got) != 0 {
		t.Errorf("of another customer: %+v, %v", got, err)
	}
}

// TestUsage_sums: sums are those of each day, epoch, step and hour; a cursor goes on where the page before ended.
func TestUsage_sums(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	n, srv := withServer(t, d)
	u, of := &db.Usage{DB: d}, n.Order.CustomerID
	var rows []usage.Bucket
	for i := range 30 { // from 9:00 on, UTC; Kolkata is 5:30 ahead
		b := used([]string{"a", "b"}[i%2], int64(i+1), int64(i))
		b.Hour = t0.Add(time.Duration(i) * time.Hour)
		rows = append(rows, b)
	}
	other := used("a", 99, 1000)
	other.Epoch, other.Key, other.Parent = "f", usage.Own, "b"
	_, err := u.Keep(t.Context(), srv.ID, append(rows, other))
	must(t, err)
	sums, err := u.Sums(t.Context(), srv.ID, t0.Truncate(24*time.Hour), t0.AddDate(0, 0, 2))
	must(t, err)
	if len(sums) != 3 || sums[0].Epoch != "e" || sums[0].Input != 105 || sums[1].Input != 1000 || sums[2].Input != 330 {
		t.Errorf("by day %+v", sums)
	}
	kolkata, err := time.LoadLocation("Asia/Kolkata")
	must(t, err)
	days, err := u.Steps(t.Context(), of, usage.Filter{From: t0, To: t0.AddDate(0, 0, 2), Agent: "a"}, "day", kolkata)
	must(t, err)
	if len(days) != 3 || !days[2].At.Equal(time.Date(2026, 3, 3, 0, 0, 0, 0, kolkata)) || days[0].Input != 20 || days[2].Input != 190 {
		t.Errorf("by day of Kolkata %+v", days)
	}
	var seen []usage.Line
	for at := (usage.Cursor{}); ; at = usage.CursorOf(seen[len(seen)-1]) {
		page, err := u.Hours(t.Context(), of, usage.Filter{From: t0, To: t0.AddDate(0, 0, 2)}, at, 7)
		must(t, err)
		if seen = append(seen, page...); len(page) < 7 {
			break
		}
	}
	if len(seen) != 31 || seen[0].Input != 29 || seen[30].Input != 0 || seen[29].Key != usage.Own {
		t.Errorf("%d hours, %+v", len(seen), seen)
	}
}

// TestUsage_totals: staff see all customers together, and which servers are late or differ.
func TestUsage_totals(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	mine, srv := withServer(t, d)
	_, theirs := withServer(t, d)
	u := &db.Usage{DB: d}
	for id, input := range map[server.ID]int64{srv.ID: 10, theirs.ID: 20} {
		_, err := u.Keep(t.Context(), id, []usage.Bucket{used("a", 1, input)})
		must(t, err)
	}
	total, err := u.Total(t.Context(), t0, t0.Add(time.Hour))
	if err != nil || total.Input != 30 || total.Requests != 2 {
		t.Errorf("total %+v, %v", total, err)
	}
	customers, err := u.ByCustomer(t.Context(), t0, t0.Add(time.Hour), 5)
	if err != nil || len(customers) != 2 || customers[0].Input != 20 || customers[1].ID != string(mine.Order.CustomerID) {
		t.Errorf("customers %+v, %v", customers, err)
	}
	for _, by := range []func(context.Context, time.Time, time.Time, int) ([]usage.Part, error){u.ByModel, u.ByAgent} {
		if all, err := by(t.Context(), t0, t0.Add(time.Hour), 5); err != nil || len(all) != 1 || all[0].Input != 30 {
			t.Errorf("%+v, %v", all, err)
		}
	}
	_, err = d.Pool.Exec(t.Context(), `UPDATE servers SET registered_at = now(), public_key = 'k' || id, key_id = 'k' || id,
		seal_key = 's', state = 'online', beat = jsonb_build_object('usage_at', '2026-03-02T09:00:00Z'), beat_at = now()`)
	must(t, err)
	if ids, err := u.Reporting(t.Context()); err != nil || len(ids) != 2 {
		t.Errorf("reporting %v, %v", ids, err)
	}
	if at, err := u.UpTo(t.Context(), mine.Order.CustomerID); err != nil || !at.Equal(t0) {
		t.Errorf("known up to %s, %v", at, err)
	}
	for _, c := range []struct {
		off   string
		other bool
	}{{"", false}, {"one", true}, {"one", false}, {"two", true}} {
		if other, err := u.Checked(t.Context(), srv.ID, c.off, t0); err != nil || other != c.other {
			t.Errorf("checked %q: other %v, %v", c.off, other, err)
		}
	}
	late, err := u.Late(t.Context(), t0, 5)
	if err != nil || len(late) != 1 || late[0].Server != srv.ID || late[0].Off != "two" {
		t.Errorf("late %+v, %v", late, err)
	}
	if late, err = u.Late(t.Context(), t0.Add(time.Second), 5); err != nil || len(late) != 2 {
		t.Errorf("later %+v, %v", late, err)
	}
}
