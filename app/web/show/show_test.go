package show

import (
	"testing"
	"time"
)

var now = time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC)

func TestAt(t *testing.T) {
	t.Parallel()
	berlin := zone(t, "Europe/Berlin")
	for _, c := range []struct {
		name string
		t    time.Time
		want string
	}{
		{"seconds ago", now.Add(-20 * time.Second), "just now"},
		{"minutes ago", now.Add(-3*time.Minute - 40*time.Second), "3 min ago"},
		{"hours ago", now.Add(-26 * time.Hour), "26 h ago"},
		{"days ago", now.Add(-49 * time.Hour), "2 days ago"},
		{"long ago", now.Add(-30 * 24 * time.Hour), "22 Oct 2026"},
		{"to come", now.Add(time.Hour), "21 Nov, 15:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := At(c.t, now, berlin); got.Text != c.want {
				t.Errorf("got %q, want %q", got.Text, c.want)
			}
		})
	}
	if got := At(time.Time{}, now, berlin); got != (Moment{}) {
		t.Errorf("no moment gave %+v", got)
	}
}

func TestDeadline_namesDayAndZone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, zone, want string
		in               time.Duration
	}{
		{"today", "Europe/Berlin", "15:00 CET", time.Hour},
		{"tomorrow where it is already tomorrow", "Pacific/Kiritimati", "10:00 tomorrow +14", 31 * time.Hour},
		{"in days", "UTC", "13:00 on 24 Nov UTC", 72 * time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := Deadline(now.Add(c.in), now, zone(t, c.zone)).Text; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestDays_nightOfTheClockChange(t *testing.T) {
	t.Parallel()
	ny := zone(t, "America/New_York")
	eve := time.Date(2026, 10, 31, 23, 0, 0, 0, ny)
	if got := days(eve, eve.Add(26*time.Hour), ny); got != 2 {
		t.Errorf("got %d days over a night of 25 hours and the day after, want 2", got)
	}
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ got, want string }{
		{Span(59 * time.Second), "59 s"},
		{Took(40 * time.Millisecond), "40 ms"},
		{Took(1240 * time.Millisecond), "1.2 s"},
		{Took(125 * time.Second), "2 min 5 s"},
		{Bytes(0), "0 B"},
		{Bytes(1023), "1023 B"},
		{Bytes(3355443), "3.2 MiB"},
		{Count(0), "0"},
		{Count(999), "999"},
		{Count(12480), "12,480"},
		{Count(-1234567), "-1,234,567"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	if Share(1, 3) != 33 || Share(5, 0) != 0 {
		t.Error("shares are wrong")
	}
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}
