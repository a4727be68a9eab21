package closing

import (
	"testing"
	"time"
)

// TestClosing_times: an account is closed some days after the server was given back, and the years for which invoices are kept count from
// the end of the year of the last one.
func TestClosing_times(t *testing.T) {
	t.Parallel()
	usual, own := &Service{}, &Service{After: func() time.Duration { return 0 }, Years: func() int { return 8 }}
	released := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	if on := usual.On(released); !on.Equal(released.AddDate(0, 0, 7)) {
		t.Errorf("closed on %s", on)
	}
	if on := own.On(released); !on.Equal(released) {
		t.Errorf("closed on %s", on)
	}
	vienna := time.FixedZone("CET", 3600)
	for _, last := range []time.Time{
		released, time.Date(2026, 12, 31, 23, 59, 0, 0, time.UTC), time.Date(2027, 1, 1, 0, 30, 0, 0, vienna),
	} {
		if until := usual.keptUntil(last); !until.Equal(time.Date(2037, 1, 1, 0, 0, 0, 0, time.UTC)) {
			t.Errorf("%s: kept until %s", last, until)
		}
		if until := own.keptUntil(last); !until.Equal(time.Date(2035, 1, 1, 0, 0, 0, 0, time.UTC)) {
			t.Errorf("%s: kept until %s", last, until)
		}
	}
}
