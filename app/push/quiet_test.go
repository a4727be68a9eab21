package push_test

import (
	"testing"
	"time"

	"gatehouse/app/fault"
	"gatehouse/app/push"
)

// TestQuiet_Left: how long it stays quiet, over midnight and where the clock is set.
func TestQuiet_Left(t *testing.T) {
	t.Parallel()
	night, noon := push.Quiet{From: 22 * 60, To: 7 * 60}, push.Quiet{From: 12 * 60, To: 13*60 + 30}
	for name, c := range map[string]struct {
		q    push.Quiet
		now  string // UTC
		zone string
		want time.Duration
	}{
		"none set":                       {push.Quiet{}, "2026-06-01T00:00:00Z", "UTC", 0},
		"before":                         {noon, "2026-06-01T11:59:59Z", "UTC", 0},
		"its first second":               {noon, "2026-06-01T12:00:00Z", "UTC", 90 * time.Minute},
		"its last second":                {noon, "2026-06-01T13:29:59Z", "UTC", time.Second},
		"its end":                        {noon, "2026-06-01T13:30:00Z", "UTC", 0},
		"before midnight":                {night, "2026-06-01T23:00:00Z", "UTC", 8 * time.Hour},
		"after midnight":                 {night, "2026-06-02T06:00:00Z", "UTC", time.Hour},
		"by day":                         {night, "2026-06-02T12:00:00Z", "UTC", 0},
		"in the zone of the business":    {night, "2026-06-01T21:00:00Z", "Europe/Vienna", 8 * time.Hour},
		"by day in the zone":             {night, "2026-06-01T23:00:00Z", "America/New_York", 0},
		"a night of 23 hours":            {night, "2026-03-28T22:00:00Z", "Europe/Vienna", 7 * time.Hour},
		"a night of 25 hours":            {night, "2026-10-24T21:00:00Z", "Europe/Vienna", 9 * time.Hour},
		"an hour that comes twice":       {push.Quiet{From: 60, To: 150}, "2026-10-25T01:15:00Z", "Europe/Vienna", 15 * time.Minute},
		"a zone that is not known":       {noon, "2026-06-01T12:30:00Z", "Mars/Olympus", time.Hour},
		"the last night of a month":      {night, "2026-02-28T23:30:00Z", "UTC", 7*time.Hour + 30*time.Minute},
		"almost the whole day, in it":    {push.Quiet{From: 1, To: 0}, "2026-06-01T00:01:00Z", "UTC", 24*time.Hour - time.Minute},
		"almost the whole day, after it": {push.Quiet{From: 1, To: 0}, "2026-06-01T00:00:30Z", "UTC", 0},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.q.Left(now, c.zone); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestParseQuiet(t *testing.T) {
	t.Parallel()
	if q, err := push.ParseQuiet("22:00", "07:30"); err != nil || q != (push.Quiet{From: 1320, To: 450}) {
		t.Errorf("%+v, %v", q, err)
	}
	if q, err := push.ParseQuiet("", ""); err != nil || q.IsSet() {
		t.Errorf("%+v, %v", q, err)
	}
	for _, bad := range [][2]string{{"22:00", ""}, {"", "7:00"}, {"24:00", "07:00"}, {"22:00", "22:00"}, {"ten", "07:00"}} {
		if _, err := push.ParseQuiet(bad[0], bad[1]); fault.Of(err).Kind != fault.Invalid || len(fault.Of(err).Fields) == 0 {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if from, to := (push.Quiet{From: 1320, To: 450}).Clock(); from != "22:00" || to != "07:30" {
		t.Errorf("%s, %s", from, to)
	}
}
