package jobs_test

import (
	"slices"
	"testing"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/clientele"
	"gatehouse/app/staff"
	"gatehouse/db"
	"gatehouse/db/dbtest"
	"gatehouse/jobs"
)

// TestClientele_change: a customer's server hears of a name that our staff changed, and of no person as the one who did.
func TestClientele_change(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	u, _ := b.checkout(t)
	queue, err := jobs.NewQueue(b.db.Pool, quiet)
	if err != nil {
		t.Fatal(err)
	}
	kept := &clientele.Service{Store: &db.Clientele{DB: b.db, Jobs: queue}, Now: time.Now}
	by := audit.Actor{
		Kind: audit.Staff, ID: "01890a5d-ac96-774b-bcce-b302099a8057", Name: "manager@example.com", Role: string(staff.Manager),
	}
	_, err = kept.Change(t.Context(), u.CustomerID, func(f clientele.Facts) clientele.Facts {
		f.Name = "Other Bakery"
		return f
	}, by)
	if err != nil {
		t.Fatal(err)
	}
	b.work(t, b.deps(time.Now))
	eventually(t, "the server hears of it", func() bool {
		return slices.Contains(b.team.refreshed(), string(u.CustomerID)+" by  over operator")
	})
}
