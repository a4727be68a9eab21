package wire_test

import (
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// TestChats_Over: a conversation ends by its idle time or by the owner's four o'clock, also in the nights in which the clocks
// change, and never where neither is set.
func TestChats_Over(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := func(s string) time.Time {
		v, err := time.ParseInLocation("2006-01-02 15:04", s, berlin)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	idle, daily := wire.Chats{IdleHours: 6}, wire.Chats{Daily: true}
	for _, c := range []struct {
		name      string
		set       wire.Chats
		last, now string
		over      bool
	}{
		{"nothing set", wire.Chats{}, "2026-01-01 10:00", "2026-09-01 10:00", false},
		{"idle, a minute short", idle, "2026-05-05 10:00", "2026-05-05 15:59", false},
		{"idle", idle, "2026-05-05 10:00", "2026-05-05 16:00", true},
		{"the same evening", daily, "2026-05-05 10:00", "2026-05-05 23:59", false},
		{"the same night", daily, "2026-05-05 23:00", "2026-05-06 03:59", false},
		{"after four", daily, "2026-05-06 03:59", "2026-05-06 04:00", true},
		{"begun at four", daily, "2026-05-06 04:00", "2026-05-07 03:59", false},
		{"the night of the change to summer", daily, "2026-03-28 22:00", "2026-03-29 03:30", false},
		{"after it", daily, "2026-03-29 03:30", "2026-03-29 04:00", true},
		{"the night of the change to winter", daily, "2026-10-24 22:00", "2026-10-25 03:30", false},
		{"after that", daily, "2026-10-25 03:30", "2026-10-25 04:01", true},
		{"New Year", daily, "2026-12-31 12:00", "2027-01-01 03:00", false},
	} {
		if got := c.set.Over(at(c.last), at(c.now), berlin); got != c.over {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestChats_Burst(t *testing.T) {
	t.Parallel()
	none := 0
	if got := (wire.Chats{Debounce: &none}).Burst(); got != 0 {
		t.Errorf("%s where none is set", got)
	}
	if got := (wire.Chats{}).Burst(); got != 1500*time.Millisecond {
		t.Errorf("%s as it comes", got)
	}
}
