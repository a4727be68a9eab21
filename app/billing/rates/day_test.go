package rates

import (
	"testing"
	"time"
)

// TestNewest: a rate is out at 16:15 in Frankfurt, in summer an hour earlier by UTC, and none at the weekend.
func TestNewest(t *testing.T) {
	t.Parallel()
	for now, want := range map[string]struct{ newest, following string }{
		"2026-07-01T14:14:59Z": {"2026-06-30", "2026-07-01T14:15:00Z"},
		"2026-07-01T14:15:00Z": {"2026-07-01", "2026-07-02T14:15:00Z"},
		"2026-12-01T15:14:59Z": {"2026-11-30", "2026-12-01T15:15:00Z"},
		"2026-12-01T15:15:00Z": {"2026-12-01", "2026-12-02T15:15:00Z"},
		"2026-11-29T12:00:00Z": {"2026-11-27", "2026-11-30T15:15:00Z"}, // a Sunday
		"2026-03-27T15:15:00Z": {"2026-03-27", "2026-03-30T14:15:00Z"}, // summer time begins in between
		"2026-07-03T22:30:00Z": {"2026-07-03", "2026-07-06T14:15:00Z"}, // Saturday in Frankfurt
	} {
		at, err := time.Parse(time.RFC3339, now)
		if err != nil {
			t.Fatal(err)
		}
		if got := newest(at).Format(time.DateOnly); got != want.newest {
			t.Errorf("%s: the newest is of %s, not %s", now, got, want.newest)
		}
		if got := following(at).Format(time.RFC3339); got != want.following {
			t.Errorf("%s: the next is out at %s, not %s", now, got, want.following)
		}
	}
}
