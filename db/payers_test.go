package db_test

import (
	"slices"
	"testing"
	"time"

	"gatehouse/app/payment"
	"gatehouse/app/work"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// TestSetMethod_teamHears: a card that comes to the file or goes from it is followed by a look at what the team may use; another card
// in its place, and what is older than what was seen, is not.
func TestSetMethod_teamHears(t *testing.T) {
	t.Parallel()
	d, q := dbtest.New(t), &queue{}
	of := placed(t, d).Account.Customer.ID
	s := &db.Payments{DB: d, Jobs: q}
	if _, err := s.SavePayer(t.Context(), payment.Payer{CustomerID: of, Provider: "cus_1"}); err != nil {
		t.Fatal(err)
	}
	visa, other := payment.Method{ID: "pm_1", Kind: "card", Brand: "visa"}, payment.Method{ID: "pm_2", Kind: "card", Brand: "visa"}
	for i, step := range []struct {
		payer string
		m     payment.Method
		at    time.Time
		hears bool
		then  string
	}{
		{"cus_1", payment.Method{}, t0, false, ""},
		{"cus_1", visa, t0.Add(time.Minute), true, "pm_1"},
		{"cus_1", other, t0.Add(2 * time.Minute), false, "pm_2"},
		{"cus_2", payment.Method{}, t0.Add(3 * time.Minute), false, "pm_2"},
		{"cus_1", payment.Method{}, t0.Add(4 * time.Minute), true, ""},
		{"cus_1", visa, t0, false, ""},
	} {
		q.items = nil
		if err := s.SetMethod(t.Context(), step.payer, step.m, step.at); err != nil {
			t.Fatal(err)
		}
		if hears := slices.Contains(q.items, work.Item(work.RefreshTeam{CustomerID: string(of)})); hears != step.hears {
			t.Errorf("step %d: the team hears of it: %t", i, hears)
		}
		if p, err := s.Payer(t.Context(), of); err != nil || p.Method.ID != step.then {
			t.Errorf("step %d: on file is %q, %v", i, p.Method.ID, err)
		}
	}
}
