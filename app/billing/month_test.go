package billing

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestAnniversary: the same day and time in the customer's zone; a day that a month lacks is its last one.
func TestAnniversary(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		zone, anchor string
		n            int
		want         string
	}{
		{"UTC", "2026-01-31T10:00:00Z", 1, "2026-02-28T10:00:00Z"},
		{"UTC", "2026-01-31T10:00:00Z", 2, "2026-03-31T10:00:00Z"}, // not the 28th
		{"UTC", "2026-01-31T10:00:00Z", 25, "2028-02-29T10:00:00Z"},
		{"UTC", "2028-02-29T10:00:00Z", 12, "2029-02-28T10:00:00Z"},
		{"UTC", "2026-12-15T10:00:00Z", 1, "2027-01-15T10:00:00Z"},
		{"Europe/Vienna", "2026-03-02T09:00:00Z", 1, "2026-04-02T08:00:00Z"},      // 10:00 there, before and after the clocks change
		{"Europe/Vienna", "2026-01-31T23:00:00Z", 1, "2026-02-28T23:00:00Z"},      // 1 February there
		{"Europe/Vienna", "2026-02-28T01:00:00Z", 1, "2026-03-28T01:00:00Z"},      // 02:00 there
		{"Asia/Kathmandu", "2026-01-10T00:00:00Z", 1, "2026-02-10T00:00:00Z"},     // 05:45 there
		{"America/New_York", "2026-02-08T07:00:00Z", 1, "2026-03-08T06:00:00Z"},   // 02:00 there, which does not exist that day
		{"Pacific/Kiritimati", "2026-01-30T20:00:00Z", 1, "2026-02-27T20:00:00Z"}, // the 31st there, then the 28th
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		anchor, _ := time.Parse(time.RFC3339, c.anchor)
		if got := anniversary(anchor, c.n, zone).Format(time.RFC3339); got != c.want {
			t.Errorf("%s in %s, %d months on: %s, want %s", c.anchor, c.zone, c.n, got, c.want)
		}
	}
}

// TestNextEnd_follows: months follow each other without a gap, each of 27 to 32 days, from any start in any zone.
func TestNextEnd_follows(t *testing.T) {
	t.Parallel()
	zones := []string{"UTC", "Europe/Vienna", "America/New_York", "Asia/Kathmandu", "Pacific/Auckland", "Australia/Lord_Howe"}
	rapid.Check(t, func(t *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		anchor := time.Unix(rapid.Int64Range(1_700_000_000, 2_000_000_000).Draw(t, "anchor"), 0).UTC().Truncate(time.Hour)
		from := anchor
		for n := 1; n <= 30; n++ {
			to := nextEnd(anchor, from, zone)
			if !to.Equal(anniversary(anchor, n, zone)) {
				t.Fatalf("month %d of %s ends %s", n, anchor, to)
			}
			if days := to.Sub(from).Hours() / 24; days < 27 || days > 32 || !to.Equal(to.Truncate(time.Hour)) {
				t.Fatalf("month %d: %s to %s", n, from, to)
			}
			from = to
		}
	})
}

// TestNextEnd_moves: a customer who moves to another zone, as often as they like, has no month that is much shorter or longer than one.
func TestNextEnd_moves(t *testing.T) {
	t.Parallel()
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Kiritimati", "Pacific/Pago_Pago"}
	rapid.Check(t, func(t *rapid.T) {
		anchor := time.Unix(rapid.Int64Range(1_700_000_000, 2_000_000_000).Draw(t, "anchor"), 0).UTC().Truncate(time.Hour)
		from := anchor
		for range 30 {
			zone, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
			if err != nil {
				t.Fatal(err)
			}
			to := nextEnd(anchor, from, zone)
			if days := to.Sub(from).Hours() / 24; days < 26 || days > 34 {
				t.Fatalf("in %s from %s to %s", zone, from, to)
			}
			from = to
		}
	})
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	anchor := time.Date(2026, 7, 15, 10, 0, 0, 0, time.UTC) // 12:00 in Berlin, which is 11:00 UTC in winter
	from := nextEnd(anchor, time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC), time.UTC)
	if to := nextEnd(anchor, from, berlin); !to.Equal(time.Date(2027, 1, 15, 11, 0, 0, 0, time.UTC)) {
		t.Errorf("from %s to %s", from, to)
	}
}
