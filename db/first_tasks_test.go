package db_test

import (
	"testing"
	"time"

	"gatehouse/app/account"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// TestFirstTasks_stranger: a customer without an order is offered nothing, and nothing is kept of nobody.
func TestFirstTasks_stranger(t *testing.T) {
	t.Parallel()
	s := &db.FirstTasks{DB: dbtest.New(t)}
	of := account.CustomerID("01890000-0000-7000-8000-000000000001")
	st, err := s.Read(t.Context(), of)
	if err != nil || st.Ready || len(st.Shown()) != 0 {
		t.Errorf("%+v, %v", st, err)
	}
	if err := s.Done(t.Context(), of, "write", time.Now()); err == nil {
		t.Error("a task of nobody was kept")
	}
	if err := s.Choose(t.Context(), of, "shop", time.Now()); err == nil {
		t.Error("a kind of business of nobody was kept")
	}
}
