package due_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/schedule/due"
	"gatehouse/agentd/wire"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// matches is a second reader of cron fields: numbers, lists, ranges, steps and *, days joined by "or" when both are named.
func matches(t *testing.T, spec string, wall time.Time) bool {
	t.Helper()
	f := strings.Fields(spec)
	in := func(field string, v, low, high int) bool {
		for _, part := range strings.Split(field, ",") {
			span, step, _ := strings.Cut(part, "/")
			from, to := low, high
			if span != "*" {
				a, b, isRange := strings.Cut(span, "-")
				from, _ = strconv.Atoi(a)
				if to = from; isRange {
					to, _ = strconv.Atoi(b)
				}
			}
			by := 1
			if step != "" {
				by, _ = strconv.Atoi(step)
			}
			for n := from; n <= to; n += by {
				if n == v {
					return true
				}
			}
		}
		return false
	}
	day, week := in(f[2], wall.Day(), 1, 31), in(f[4], int(wall.Weekday()), 0, 6) || in(f[4], int(wall.Weekday())+7, 0, 7)
	days := day && week
	if f[2] != "*" && f[4] != "*" {
		days = day || week
	}
	return in(f[0], wall.Minute(), 0, 59) && in(f[1], wall.Hour(), 0, 23) && in(f[3], int(wall.Month()), 1, 12) && days
}

// plainTicks finds the ticks by looking at every minute: a local minute is due when it first comes, or once right after the gap
// that swallowed it.
func plainTicks(t *testing.T, spec string, z *time.Location, from, until time.Time) []time.Time {
	t.Helper()
	first := map[time.Time]time.Time{}
	var jumps []time.Time
	begin := from.Add(-48 * time.Hour)
	for at := begin; at.Before(until.Add(48 * time.Hour)); at = at.Add(time.Minute) {
		l := at.In(z)
		w := time.Date(l.Year(), l.Month(), l.Day(), l.Hour(), l.Minute(), 0, 0, time.UTC)
		if _, twice := first[w]; !twice {
			first[w] = at
		}
		before := at.Add(-time.Minute).In(z)
		if _, a := before.Zone(); at.After(begin) {
			if _, b := l.Zone(); b > a {
				jumps = append(jumps, at)
			}
		}
	}
	var all []time.Time
	l := begin.In(z)
	for w := time.Date(l.Year(), l.Month(), l.Day(), l.Hour(), l.Minute(), 0, 0, time.UTC); ; w = w.Add(time.Minute) {
		if w.After(until.Add(36 * time.Hour)) {
			break
		}
		if !matches(t, spec, w) {
			continue
		}
		at, exists := first[w]
		if !exists {
			for _, j := range jumps {
				if lj := j.In(z); w.Before(time.Date(lj.Year(), lj.Month(), lj.Day(), lj.Hour(), lj.Minute(), 0, 0, time.UTC)) {
					at = j
					break
				}
			}
		}
		if !at.Before(from) && at.Before(until) {
			all = append(all, at.UTC())
		}
	}
	slices.SortFunc(all, time.Time.Compare)
	return slices.CompactFunc(all, time.Time.Equal)
}

// TestRule_cronOnNightsOfChange: in three zones, on the nights on which clocks go forward and back.
func TestRule_cronOnNightsOfChange(t *testing.T) {
	t.Parallel()
	for name, nights := range map[string][]string{
		"Europe/Vienna":       {"2026-03-29", "2026-10-25"},
		"America/New_York":    {"2026-03-08", "2026-11-01"},
		"Australia/Lord_Howe": {"2026-04-05", "2026-10-04"}, // by half an hour
	} {
		z := zone(t, name)
		for _, night := range nights {
			day, err := time.Parse(time.DateOnly, night)
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range []string{
				"30 2 * * *", "0 2 * * *", "0 3 * * *", "*/20 * * * *", "15 1-3 * * *", "45 1 * * 0", "0 */2 * * *",
				"30 2 * * 7", "1 3 5,29 * 0",
			} {
				r, err := due.Parse(wire.ScheduleCron, spec, z, day)
				if err != nil {
					t.Fatal(err)
				}
				from, until := day.Add(-36*time.Hour), day.Add(60*time.Hour)
				got, _ := r.Between(from, until, 10_000)
				if want := plainTicks(t, spec, z, from, until); !slices.EqualFunc(got, want, time.Time.Equal) {
					t.Errorf("%s, %s, %q:\n got %v\nwant %v", name, night, spec, got, want)
				}
			}
		}
	}
}

func TestRule_ticks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind              wire.ScheduleKind
		spec, zone        string
		from, until, want string
	}{
		"does not exist: right after the gap": {
			"cron", "30 2 * * *", "Europe/Vienna", "2026-03-29T00:00:00Z", "2026-03-30T00:00:00Z",
			"2026-03-29T01:00:00Z",
		},
		"exists twice: once, the first time": {
			"cron", "30 2 * * *", "Europe/Vienna", "2026-10-25T00:00:00Z", "2026-10-26T00:00:00Z",
			"2026-10-25T00:30:00Z",
		},
		"once, in a gap": {
			"at", "2026-03-08T02:30", "America/New_York", "2026-03-08T00:00:00Z", "2026-03-09T00:00:00Z",
			"2026-03-08T07:00:00Z",
		},
		"once, twice there": {
			"at", "2026-11-01T01:30", "America/New_York", "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z",
			"2026-11-01T05:30:00Z",
		},
		"once, with its offset": {
			"at", "2026-11-01T01:30:00-05:00", "America/New_York", "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z",
			"2026-11-01T06:30:00Z",
		},
		"the 31st": {
			"cron", "0 9 31 * *", "UTC", "2026-01-31T10:00:00Z", "2026-08-01T00:00:00Z",
			"2026-03-31T09:00:00Z 2026-05-31T09:00:00Z 2026-07-31T09:00:00Z",
		},
		"the last day": {
			"cron", "0 9 L * *", "UTC", "2026-02-01T00:00:00Z", "2026-04-01T00:00:00Z",
			"2026-02-28T09:00:00Z 2026-03-31T09:00:00Z",
		},
		"29 February": {
			"cron", "0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", "2105-01-01T00:00:00Z",
			"2104-02-29T00:00:00Z",
		},
		"the second Friday of the month": {
			"cron", "0 9 * * 5#2", "UTC", "2026-11-01T00:00:00Z", "2027-01-01T00:00:00Z",
			"2026-11-13T09:00:00Z 2026-12-11T09:00:00Z",
		},
		"by names, Sunday is 7": {
			"cron", "0 9 * jan sat,7", "UTC", "2026-01-01T00:00:00Z", "2026-01-05T00:00:00Z",
			"2026-01-03T09:00:00Z 2026-01-04T09:00:00Z",
		},
		"an interval counts from its anchor": {
			"every", "90m", "UTC", "2026-01-01T00:10:00Z", "2026-01-01T04:00:00Z",
			"2026-01-01T01:40:00Z 2026-01-01T03:10:00Z",
		},
		"elapsed time when clocks go back": {
			"every", "24h", "Europe/Vienna", "2026-10-24T07:00:00Z", "2026-10-27T00:00:00Z",
			"2026-10-25T07:00:00Z 2026-10-26T07:00:00Z",
		},
		"days keep their hour": {
			"every", "1d", "Europe/Vienna", "2026-10-24T07:00:00Z", "2026-10-27T00:00:00Z",
			"2026-10-25T08:00:00Z 2026-10-26T08:00:00Z",
		},
		"every second week from a date": {
			"every", "2w from 2026-12-04T09:00", "Europe/Vienna", "2026-11-29T00:00:00Z", "2027-01-02T00:00:00Z",
			"2026-12-04T08:00:00Z 2026-12-18T08:00:00Z 2027-01-01T08:00:00Z",
		},
		"ISO 8601": {
			"every", "PT1H30M", "UTC", "2026-01-01T00:00:00Z", "2026-01-01T02:00:00Z",
			"2026-01-01T01:30:00Z",
		},
		"a reminder by the form of its spec": {
			"reminder", "0 9 * * 1", "UTC", "2026-11-29T00:00:00Z", "2026-12-01T00:00:00Z",
			"2026-11-30T09:00:00Z",
		},
		"a day that a zone left out, Samoa": {
			"at", "2011-12-30T09:00", "Pacific/Apia", "2011-12-29T00:00:00Z", "2012-01-01T00:00:00Z",
			"2011-12-30T10:00:00Z",
		},
		"a zone whose night of change is long": {
			"cron", "0 12 * * *", "Antarctica/Troll", "2026-03-29T00:00:00Z", "2026-03-30T00:00:00Z",
			"2026-03-29T10:00:00Z",
		},
	} {
		from, _ := time.Parse(time.RFC3339, c.from)
		until, _ := time.Parse(time.RFC3339, c.until)
		r, err := due.Parse(c.kind, c.spec, zone(t, c.zone), from)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		ticks, _ := r.Between(from, until, 10)
		var got []string
		for _, one := range ticks {
			got = append(got, one.UTC().Format(time.RFC3339))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %s, want %s", name, text, c.want)
		}
		again, err := due.Parse(c.kind, r.Spec(), zone(t, c.zone), from)
		if err != nil || again.Spec() != r.Spec() || again.Says() != r.Says() || r.Says() == "" {
			t.Errorf("%s: %q is read as %q (%v)", name, r.Spec(), again.Spec(), err)
		}
	}
}

func TestParse_refuses(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"at", "soon"},
		{"at", ""},
		{"at", "2026-02-30T09:00"},
		{"every", "0m"},
		{"every", "-1h"},
		{"every", "500ms"},
		{"every", "2 fortnights"},
		{"every", "1h from then"},
		{"cron", "* * * *"},
		{"cron", "* * * * * *"},
		{"cron", "61 * * * *"},
		{"cron", "0 9 30 2 *"},
		{"cron", "@daily"},
		{"cron", "TZ=UTC 0 9 * * *"},
		{"cron", "0 9 * * MONTAG"},
		{"cron", "1,,2 * * * *"},
		{"reminder", "later"},
		{"monitor", ""},
	} {
		if r, err := due.Parse(wire.ScheduleKind(c[0]), c[1], time.UTC, time.Now()); !errors.Is(err, due.ErrSpec) {
			t.Errorf("%s %q is read as %q, %v", c[0], c[1], r.Spec(), err)
		}
	}
}

func TestRetry(t *testing.T) {
	t.Parallel()
	var all []time.Duration
	for n := 1; ; n++ {
		d, ok := due.Retry(n)
		if !ok {
			break
		}
		all = append(all, d)
	}
	if want := []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}; !slices.Equal(all, want) {
		t.Errorf("%v", all)
	}
	if _, ok := due.Retry(0); ok {
		t.Error("a run that did not begin is tried again")
	}
}

func TestSpread(t *testing.T) {
	t.Parallel()
	full, odd := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC), time.Date(2026, 11, 30, 9, 5, 0, 0, time.UTC)
	seen := map[time.Duration]bool{}
	for i := range 200 {
		id := strconv.Itoa(i)
		d := due.Spread(id, full)
		if d < 0 || d >= due.MaxSpread || d != due.Spread(id, full.Add(24*time.Hour)) || due.Spread(id, odd) != 0 {
			t.Fatalf("%s: %v", id, d)
		}
		seen[d] = true
	}
	if len(seen) < 60 {
		t.Errorf("200 schedules begin at %d moments", len(seen))
	}
}

func TestQuiet(t *testing.T) {
	t.Parallel()
	z := zone(t, "Europe/Vienna")
	at := func(s string) time.Time {
		wall, err := time.Parse("2006-01-02T15:04", "2026-11-30T"+s)
		if err != nil {
			t.Fatal(err)
		}
		return due.Place(wall, z)
	}
	night, err := due.ParseQuiet("22:00", "07:00")
	noon, err2 := due.ParseQuiet("12:00", "13:00")
	none, err3 := due.ParseQuiet("", "")
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	for s, want := range map[string][3]bool{
		"21:59": {}, "22:00": {true}, "03:00": {true}, "06:59": {true}, "07:00": {}, "12:00": {false, true}, "13:00": {},
	} {
		if got := [3]bool{night.Holds(at(s), z), noon.Holds(at(s), z), none.Holds(at(s), z)}; got != want {
			t.Errorf("%s: %v", s, got)
		}
	}
	for _, bad := range [][2]string{{"22:00", ""}, {"9", "10"}, {"24:00", "07:00"}, {"08:00", "08:00"}} {
		if _, err := due.ParseQuiet(bad[0], bad[1]); !errors.Is(err, due.ErrSpec) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestSays(t *testing.T) {
	t.Parallel()
	z := zone(t, "Europe/Vienna")
	for spec, want := range map[string]string{
		"2026-11-30T09:00": "Monday, 30 November 2026 at 09:00 (Europe/Vienna)", "0 8 * * 1": "every Monday at 08:00 (Europe/Vienna)",
		"5 18 * * *": "every day at 18:05 (Europe/Vienna)", "0 9 3 * *": "on day 3 of every month at 09:00 (Europe/Vienna)",
		"0 9 * * 5#2": "every second Friday of the month at 09:00 (Europe/Vienna)", "0 9 * * 1-5": "every weekday at 09:00 (Europe/Vienna)",
		"2h": "every 2 hours", "1h": "every hour", "90m": "every 90 minutes",
		"0 9 L * *":                "on the last day of every month at 09:00 (Europe/Vienna)",
		"2w from 2026-12-04T09:00": "every 14 days at 09:00 (Europe/Vienna), counted from Friday, 4 December 2026",
	} {
		r, err := due.Parse(wire.ScheduleReminder, spec, z, time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC))
		if err != nil || r.Says() != want {
			t.Errorf("%s: %q, %v", spec, r.Says(), err)
		}
	}
}
