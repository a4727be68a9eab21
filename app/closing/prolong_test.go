package closing_test

import (
	"context"
	"testing"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/closing"
)

// shelf is a store with one customer who was erased.
type shelf struct {
	closing.Store
	e      closing.Erasure
	last   time.Time // when money moved last
	purged bool
}

func (s *shelf) Of(context.Context, account.CustomerID) (*closing.Erasure, time.Time, closing.Wait, error) {
	e := s.e
	return &e, time.Time{}, closing.NoWait, nil
}

func (s *shelf) LastMoney(context.Context, account.CustomerID) (time.Time, error) { return s.last, nil }

func (s *shelf) Long(_ context.Context, now time.Time) ([]account.CustomerID, error) {
	if s.purged || s.e.KeptUntil.After(now) {
		return nil, nil
	}
	return []account.CustomerID{"c"}, nil
}

func (s *shelf) Prolong(_ context.Context, _ account.CustomerID, until time.Time) error {
	s.e.KeptUntil = until
	return nil
}

func (s *shelf) Purge(context.Context, account.CustomerID, time.Time) error {
	s.purged = true
	return nil
}

// TestKept_laterCredit: a credit note that comes after an erasure is kept as long as any other, with all that belongs to it, and our
// staff see that day at once.
func TestKept_laterCredit(t *testing.T) {
	t.Parallel()
	year := func(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }
	s := &shelf{e: closing.Erasure{At: year(2026).AddDate(0, 3, 0), KeptUntil: year(2037)}, last: year(2026)}
	now := year(2037)
	c := &closing.Service{Store: s, Now: func() time.Time { return now }}
	until := func() time.Time {
		t.Helper()
		st, err := c.Of(t.Context(), "c")
		if err != nil {
			t.Fatal(err)
		}
		return st.Erasure.KeptUntil
	}
	if got := until(); !got.Equal(year(2037)) {
		t.Errorf("kept until %s", got)
	}
	s.last = year(2028).AddDate(0, 5, 0) // a credit note of the summer of 2028
	if got := until(); !got.Equal(year(2039)) {
		t.Errorf("with a later credit note it is kept until %s", got)
	}
	if n, err := c.PurgeDue(t.Context()); n != 0 || err != nil || s.purged || !s.e.KeptUntil.Equal(year(2039)) {
		t.Errorf("%d purged too early, %v; kept until %s", n, err, s.e.KeptUntil)
	}
	now = year(2039)
	if n, err := c.PurgeDue(t.Context()); n != 1 || err != nil || !s.purged {
		t.Errorf("%d purged, %v", n, err)
	}
}
