package when_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/schedule/due"
	"gatehouse/agentd/schedule/when"
	"gatehouse/agentd/wire"
)

// phrases is what was written on Sunday, 29 November 2026 at 13:40 in Vienna, and what it means: the first time it is due and the
// spec, "?" with the choices when it is asked back, or "!" when it is refused.
var phrases = [][2]string{
	{"tomorrow at 9", "2026-11-30T09:00"},
	{"Tomorrow at 9.", "2026-11-30T09:00"},
	{"at 9 tomorrow", "2026-11-30T09:00"},
	{"tomorrow 9am", "2026-11-30T09:00"},
	{"tomorrow at 9 a.m.", "2026-11-30T09:00"},
	{"tomorrow at 9 pm", "2026-11-30T21:00"},
	{"tomorrow", "2026-11-30T09:00"},
	{"tomorrow morning", "2026-11-30T09:00"},
	{"tomorrow evening at 7", "2026-11-30T19:00"},
	{"tomorrow at noon", "2026-11-30T12:00"},
	{"remind me tomorrow at 9 to call the tax office", "2026-11-30T09:00"},
	{"the day after tomorrow at 14:30", "2026-12-01T14:30"},
	{"today at 18:00", "2026-11-29T18:00"},
	{"today at 6 in the evening", "2026-11-29T18:00"},
	{"this evening", "2026-11-29T18:00"},
	{"tonight", "2026-11-29T20:00"},
	{"tonight at 9", "2026-11-29T21:00"},
	{"at 9", "2026-11-30T09:00"},
	{"at 15:00", "2026-11-29T15:00"},
	{"3pm", "2026-11-29T15:00"},
	{"half past 4 in the afternoon", "2026-11-29T16:30"},
	{"quarter to 9 tomorrow", "2026-11-30T08:45"},
	{"at midnight", "2026-11-30T00:00"},
	{"in 20 minutes", "2026-11-29T14:00:00+01:00"},
	{"in an hour", "2026-11-29T14:40:00+01:00"},
	{"in half an hour", "2026-11-29T14:10:00+01:00"},
	{"in 2 hours and 15 minutes", "2026-11-29T15:55:00+01:00"},
	{"in 1.5 hours", "2026-11-29T15:10:00+01:00"},
	{"two hours from now", "2026-11-29T15:40:00+01:00"},
	{"in three days", "2026-12-02T13:40"},
	{"in 3 days at 8", "2026-12-02T08:00"},
	{"in a week", "2026-12-06T13:40"},
	{"in a month", "2026-12-29T13:40"},
	{"on Friday at 8", "2026-12-04T08:00"},
	{"friday", "2026-12-04T09:00"},
	{"next Friday at 8", "2026-12-04T08:00"}, // on a Sunday both readings agree
	{"Monday next week at 10:15", "2026-11-30T10:15"},
	{"on 3 December at 14:00", "2026-12-03T14:00"},
	{"December 3rd at 2pm", "2026-12-03T14:00"},
	{"on the 3rd at 14:00", "2026-12-03T14:00"},
	{"on the 31st", "2026-12-31T09:00"},
	{"2027-02-28 at 8:00", "2027-02-28T08:00"},
	{"2027-02-28T08:00", "2027-02-28T08:00"},
	{"29 February at 8", "2028-02-29T08:00"},
	{"12/24/2026 at 9", "2026-12-24T09:00"},

	{"morgen um 9", "2026-11-30T09:00"},
	{"Morgen um 9 Uhr", "2026-11-30T09:00"},
	{"morgen um neun", "2026-11-30T09:00"},
	{"morgen früh", "2026-11-30T08:00"},
	{"morgen früh um 7", "2026-11-30T07:00"},
	{"morgen Abend um 8", "2026-11-30T20:00"},
	{"übermorgen um halb neun", "2026-12-01T08:30"},
	{"heute um 18 Uhr", "2026-11-29T18:00"},
	{"heute Abend", "2026-11-29T18:00"},
	{"erinnere mich morgen um 9 daran, die Rechnung zu schicken", "2026-11-30T09:00"},
	{"in 20 Minuten", "2026-11-29T14:00:00+01:00"},
	{"in einer halben Stunde", "2026-11-29T14:10:00+01:00"},
	{"in anderthalb Stunden", "2026-11-29T15:10:00+01:00"},
	{"in zwei Stunden", "2026-11-29T15:40:00+01:00"},
	{"in 14 Tagen", "2026-12-13T13:40"},
	{"in einer Woche um 10", "2026-12-06T10:00"},
	{"am Freitag um 8", "2026-12-04T08:00"},
	{"um 9 am Freitag", "2026-12-04T09:00"},
	{"kommenden Freitag um 8 Uhr 30", "2026-12-04T08:30"},
	{"am 3. um 14 Uhr", "2026-12-03T14:00"},
	{"am 3. Dezember um 14:30", "2026-12-03T14:30"},
	{"am 3.12. um 14 Uhr", "2026-12-03T14:00"},
	{"am 03.12.2027", "2027-12-03T09:00"},
	{"viertel nach 8", "2026-11-30T08:15"},
	{"dreiviertel acht", "2026-11-30T07:45"},
	{"Montagabend um 7", "2026-11-30T19:00"},
	{"um 9 Uhr abends", "2026-11-29T21:00"},

	{"every Monday at 8", "0 8 * * 1"},
	{"every day at 9", "0 9 * * *"},
	{"daily at 18:30", "30 18 * * *"},
	{"every morning", "0 9 * * *"},
	{"every weekday at 7:45", "45 7 * * 1-5"},
	{"Mondays and Thursdays at 10", "0 10 * * 1,4"},
	{"every Monday and Thursday at 10", "0 10 * * 1,4"},
	{"every 15 minutes", "15m"},
	{"every hour", "1h"},
	{"every two hours", "2h"},
	{"every second Friday", "2w from 2026-12-04T09:00"},
	{"every other Friday at 16:00", "2w from 2026-12-04T16:00"},
	{"every two weeks on Friday at 8", "2w from 2026-12-04T08:00"},
	{"every other day at 8", "2d from 2026-11-30T08:00"},
	{"every second Friday of the month at 9", "0 9 * * 5#2"},
	{"the first Monday of every month at 9", "0 9 * * 1#1"},
	{"on the last Friday of each month", "0 9 * * 5L"},
	{"on the 3rd of every month at 14:00", "0 14 3 * *"},
	{"every month on the 3rd", "0 9 3 * *"},
	{"on the last day of the month at 17:00", "0 17 L * *"},
	{"every year on 3 December", "0 9 3 12 *"},
	{"jeden Montag um 8", "0 8 * * 1"},
	{"jeden Tag um 9", "0 9 * * *"},
	{"täglich um 18:30", "30 18 * * *"},
	{"jeden Morgen um 8", "0 8 * * *"},
	{"werktags um 7:45", "45 7 * * 1-5"},
	{"montags um 10", "0 10 * * 1"},
	{"alle 15 Minuten", "15m"},
	{"stündlich", "1h"},
	{"jeden zweiten Freitag", "2w from 2026-12-04T09:00"},
	{"alle zwei Wochen am Freitag um 8", "2w from 2026-12-04T08:00"},
	{"jeden ersten Montag im Monat um 9 Uhr", "0 9 * * 1#1"},
	{"am 3. jedes Monats um 14 Uhr", "0 14 3 * *"},
	{"jeden Monat am 3.", "0 9 3 * *"},
	{"am letzten Tag des Monats", "0 9 L * *"},
	{"jedes Jahr am 3. Dezember", "0 9 3 12 *"},

	{"on Sunday at 15:00", "? 2026-11-29T15:00 2026-12-06T15:00"},
	{"03/04 at 9", "? 2027-03-04T09:00 2027-04-03T09:00"},
	{"tomorrow at half seven", "? 2026-11-30T07:30 2026-11-30T06:30"},
	{"morgen um viertel acht", "? 2026-11-30T07:15 2026-11-30T08:15"},
	{"tomorrow at midnight", "? 2026-11-30T00:00 2026-12-01T00:00"},
	{"next week", "?"},
	{"nächste Woche um 9", "?"},
	{"every week at 9", "?"},
	{"monthly", "?"},
	{"Monday or Tuesday", "!"},
	{"Monday and Tuesday at 9", "?"},

	{"yesterday at 9", "!"},
	{"today at 9", "!"},
	{"tomorrow at 25:00", "!"},
	{"tomorrow at 9 and at 10", "!"},
	{"on 30 February", "!"},
	{"when the cows come home", "!"},
	{"tomorrow-ish", "!"},
	{"soon", "!"},
	{"", "!"},
	{"every 5 seconds", "!"},
	{"every 2 hours at 9", "!"},
	{"Friday 3 December 2026", "!"}, // that is a Thursday
	{strings.Repeat("tomorrow ", 100), "!"},
}

func TestRead(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Vienna")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 29, 12, 40, 0, 0, time.UTC)
	for _, c := range phrases {
		r, err := when.Read(c[0], zone, now)
		got := r.Spec
		switch {
		case errors.Is(err, when.ErrPhrase):
			got = "!"
		case err != nil:
			t.Errorf("%q: %v", c[0], err)
		case r.Ask != "":
			got = strings.TrimSpace("? " + strings.Join(r.Choices, " "))
		}
		if got != c[1] {
			t.Errorf("%q: %s, want %s (%s%v)", c[0], got, c[1], r.Ask, err)
		}
		for _, spec := range append(r.Choices, r.Spec) {
			if spec == "" {
				continue
			}
			rule, err := due.Parse(r.Kind, spec, zone, now)
			if err != nil {
				t.Errorf("%q gives %q: %v", c[0], spec, err)
				continue
			}
			if next, ok := rule.Next(now); !ok || !next.After(now) {
				t.Errorf("%q gives %q, which is not due anymore", c[0], spec)
			}
		}
	}
}

// TestRead_otherDays: what depends on the day on which it is written.
func TestRead_otherDays(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ now, text, want string }{
		{"2026-12-02T10:00:00-05:00", "next Friday at 8", "? 2026-12-04T08:00 2026-12-11T08:00"},
		{"2026-12-02T10:00:00-05:00", "nächsten Freitag um 8", "? 2026-12-04T08:00 2026-12-11T08:00"},
		{"2026-12-02T10:00:00-05:00", "this Friday at 8", "2026-12-04T08:00"},
		{"2026-12-02T10:00:00-05:00", "Friday next week at 8", "2026-12-11T08:00"},
		{"2026-12-04T10:00:00-05:00", "Friday at 8", "2026-12-11T08:00"},
		{"2026-12-04T10:00:00-05:00", "next Friday at 8", "2026-12-11T08:00"},
		{"2026-12-04T10:00:00-05:00", "every second Friday at 8", "2w from 2026-12-11T08:00"},
		{"2026-12-03T10:00:00-05:00", "am 3. um 14 Uhr", "2026-12-03T14:00"},
		{"2026-12-03T15:00:00-05:00", "am 3. um 14 Uhr", "2027-01-03T14:00"},
		{"2027-01-31T10:00:00-05:00", "in a month", "2027-02-28T10:00"},
		{"2027-02-01T10:00:00-05:00", "on the 31st at 9", "2027-03-31T09:00"},
		{"2026-11-01T00:50:00-04:00", "in 90 minutes", "2026-11-01T01:20:00-05:00"}, // clocks go back in between
		{"2026-12-03T23:30:00-05:00", "tomorrow at 0:15", "2026-12-04T00:15"},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		r, err := when.Read(c.text, zone, now)
		got := r.Spec
		if r.Ask != "" {
			got = "? " + strings.Join(r.Choices, " ")
		}
		if err != nil || got != c.want {
			t.Errorf("%s, %q: %s (%v), want %s", c.now, c.text, got, err, c.want)
		}
	}
}

// TestRead_kinds: what comes again is no single moment.
func TestRead_kinds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]wire.ScheduleKind{
		"tomorrow at 9": wire.ScheduleAt, "jeden Montag um 8": wire.ScheduleCron, "alle zwei Stunden": wire.ScheduleEvery,
	} {
		if r, err := when.Read(text, time.UTC, time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)); err != nil || r.Kind != want {
			t.Errorf("%q: %s, %v", text, r.Kind, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, c := range phrases {
		f.Add(c[0])
	}
	now := time.Date(2026, 11, 29, 12, 40, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := when.Read(text, time.UTC, now)
		if err != nil && !errors.Is(err, when.ErrPhrase) || err == nil && (r.Spec == "") == (r.Ask == "") {
			t.Errorf("%q: %+v, %v", text, r, err)
		}
	})
}
