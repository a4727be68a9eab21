package pricing_test

import (
	"math"
	"testing"
	"time"

	"gatehouse/app/pricing"
)

// TestPace: the pace is that of the last seven days, or since the period began; before two days are over nothing is said.
func TestPace(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	from := time.Date(2026, 6, 1, 10, 0, 0, 0, time.UTC)
	to := from.Add(30 * day)
	for situation, c := range map[string]struct {
		after               time.Duration
		pool, drawn, recent int64
		known               bool
		total               int64
		ends                time.Duration // after from; 0: never
	}{
		"the first hour":                       {time.Hour, 3000, 10, 10, false, 0, 0},
		"a second before two days":             {2*day - time.Second, 3000, 200, 200, false, 0, 0},
		"two days, and it just lasts":          {2 * day, 3000, 200, 200, true, 3000, 0},
		"two days, and it does not last":       {2 * day, 2999, 200, 200, true, 3000, 30*day - 864*time.Second},
		"nothing was used":                     {10 * day, 3000, 0, 0, true, 0, 0},
		"much at first, nothing lately":        {20 * day, 3000, 2900, 0, true, 2900, 0},
		"little at first, much lately":         {20 * day, 3000, 1400, 1400, true, 3400, 28 * day},
		"used up, and going on":                {20 * day, 1000, 1400, 700, true, 2400, 0},
		"used up to the last token":            {20 * day, 1400, 1400, 700, true, 2400, 0},
		"a pool of nothing":                    {20 * day, 0, 1400, 700, true, 2400, 0},
		"the period is over":                   {40 * day, 3000, 1400, 700, true, 1400, 0},
		"one token left, and it will be taken": {29 * day, 1401, 1400, 700, true, 1500, 29*day + 864*time.Second},
		"more than numbers hold":               {20 * day, 3000, math.MaxInt64 - 10, math.MaxInt64 - 10, true, math.MaxInt64, 0},
	} {
		got := pricing.Pace{From: from, To: to, Now: from.Add(c.after), Pool: c.pool, Drawn: c.drawn, Recent: c.recent}.Outlook()
		want := pricing.Outlook{Known: c.known, Total: c.total}
		if c.ends > 0 {
			want.Ends = from.Add(c.ends)
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", situation, got, want)
		}
	}
}

// TestPaceSince: never before the period began.
func TestPaceSince(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 6, 1, 10, 0, 0, 0, time.UTC)
	for after, want := range map[time.Duration]time.Duration{
		0: 0, 3 * 24 * time.Hour: 0, 7 * 24 * time.Hour: 0, 8 * 24 * time.Hour: 24 * time.Hour,
		8*24*time.Hour + 59*time.Minute: 24 * time.Hour,
	} {
		if got := pricing.PaceSince(from, from.Add(after)); !got.Equal(from.Add(want)) {
			t.Errorf("%s after the period began: since %s", after, got)
		}
	}
}
