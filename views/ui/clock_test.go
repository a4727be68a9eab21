package ui

import (
	"context"
	"testing"
	"time"
)

func at(t *testing.T, zone string, now time.Time) context.Context {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	return With(t.Context(), Request{Now: now, Zone: loc})
}

func TestRelative(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 13, 2, 0, 0, time.UTC)
	ctx := at(t, "UTC", now)
	for away, want := range map[time.Duration]string{
		0: "now", 40 * time.Second: "in 40 s", -5 * time.Minute: "5 min ago", 23*time.Hour + 59*time.Minute: "in 23 h", 47 * time.Hour: "in 47 h",
		-3 * 24 * time.Hour: "3 d ago", -8 * 24 * time.Hour: "13 Nov 2026", 30 * 24 * time.Hour: "21 Dec 2026",
	} {
		if got := Relative(ctx, now.Add(away)); got != want {
			t.Errorf("%s: %q, want %q", away, got, want)
		}
	}
}

func TestRelative_withoutNow(t *testing.T) {
	t.Parallel()
	if got := Relative(t.Context(), time.Date(2026, 11, 21, 23, 0, 0, 0, time.UTC)); got != "21 Nov 2026" {
		t.Error(got)
	}
}

// TestDeadline: the day is the reader's, and the zone is named, also over a change of clocks.
func TestDeadline(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		situation, zone string
		now, deadline   string
		want            string
	}{
		{"later today", "UTC", "2026-11-21T13:02:00Z", "2026-11-21T14:02:00Z", "14:02 today (UTC)"},
		{"tomorrow", "Europe/Berlin", "2026-11-21T13:02:00Z", "2026-11-22T13:02:00Z", "14:02 tomorrow (CET)"},
		{"today here, tomorrow there", "Pacific/Kiritimati", "2026-11-21T08:00:00Z", "2026-11-21T11:00:00Z", "01:00 tomorrow (UTC+14)"},
		{"over the night the clocks change", "America/New_York", "2026-11-01T03:00:00Z", "2026-11-01T07:00:00Z", "02:00 tomorrow (EST)"},
		{"next week", "UTC", "2026-11-21T13:02:00Z", "2026-11-28T14:02:00Z", "28 Nov 2026, 14:02 UTC"},
		{"yesterday", "UTC", "2026-11-21T13:02:00Z", "2026-11-20T14:02:00Z", "20 Nov 2026, 14:02 UTC"},
	} {
		now, err := time.Parse(time.RFC3339, tc.now)
		if err != nil {
			t.Fatal(err)
		}
		deadline, err := time.Parse(time.RFC3339, tc.deadline)
		if err != nil {
			t.Fatal(err)
		}
		if got := Deadline(at(t, tc.zone, now), deadline); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.situation, got, tc.want)
		}
	}
}
