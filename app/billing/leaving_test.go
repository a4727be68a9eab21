package billing

import (
	"context"
	"testing"
	"time"

	"gatehouse/app/account"
)

// ends closes accounts a week after a server was given back.
type ends struct{ due time.Time }

func (ends) On(released time.Time) time.Time                              { return released.AddDate(0, 0, 7) }
func (e ends) Due(context.Context, account.CustomerID) (time.Time, error) { return e.due, nil }
func (ends) KeptYears() int                                               { return 10 }

// TestLeaving_day: before the server is given back, the day on which the account closes is that of the plan; afterwards it is the very
// day that our staff see, also when the server was given back later than planned.
func TestLeaving_day(t *testing.T) {
	t.Parallel()
	planned := time.Date(2026, 3, 2, 23, 58, 0, 0, time.UTC)
	late := planned.Add(5*time.Minute).AddDate(0, 0, 7)
	for what, c := range map[string]struct {
		gone bool
		due  time.Time
		want time.Time
	}{
		"not yet":          {false, time.Time{}, planned.AddDate(0, 0, 7)},
		"being given back": {true, time.Time{}, planned.AddDate(0, 0, 7)},
		"given back later": {true, late, late},
	} {
		l, err := (&Service{Closing: ends{c.due}}).closed(t.Context(), "c", Leaving{Erased: planned, Gone: c.gone})
		if err != nil || !l.Closed.Equal(c.want) || l.Years != 10 {
			t.Errorf("%s: %+v, %v", what, l, err)
		}
	}
}
