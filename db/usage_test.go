package db_test

import (
	"slices"
	"testing"
	"time"

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
