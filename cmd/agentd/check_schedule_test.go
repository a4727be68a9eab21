package main

import (
	"strings"
	"testing"
)

func TestCheckSchedule(t *testing.T) {
	t.Parallel()
	in := strings.Join([]string{
		`{"id":1,"spec":"30 2 * * *","kind":"cron","time_zone":"Europe/Vienna",` +
			`"from":"2026-03-28T12:00:00Z","until":"2026-03-30T12:00:00Z"}`,
		`{"id":"2","spec":"1h","kind":"every","time_zone":"UTC","from":"2026-01-01T00:00:00Z","until":"2026-01-01T02:30:00Z"}`,
		`{"id":3,"spec":"0 9 30 2 *","kind":"cron","time_zone":"UTC","from":"2026-01-01T00:00:00Z","until":"2026-01-01T02:30:00Z"}`,
		`{"id":4,"spec":"1h","kind":"every","time_zone":"Nowhere/Land","from":"2026-01-01T00:00:00Z","until":"2026-01-01T02:30:00Z"}`,
		`no JSON`,
		`{"id":6,"spec":"1h","kind":"every","time_zone":"UTC"}`,
	}, "\n")
	out, _, code := invoke(t, in, "check", "schedule")
	want := []string{
		`{"id":1,"ticks":["2026-03-29T01:00:00Z","2026-03-30T00:30:00Z"]}`,
		`{"id":"2","ticks":["2026-01-01T01:00:00Z","2026-01-01T02:00:00Z"]}`,
		`{"id":3,"ticks":[],"error":"\"0 9 30 2 *\" is never due: there is no such day."}`,
		`{"id":4,"ticks":[],"error":"the time zone \"Nowhere/Land\" is not known"}`,
		`{"id":null,"ticks":[],"error":"no question: `,
		`{"id":6,"ticks":[],"error":"the field \"from\" is missing"}`,
	}
	compareLines(t, out, code, want)
}

func TestCheckWhen(t *testing.T) {
	t.Parallel()
	in := strings.Join([]string{
		`{"id":1,"text":"tomorrow at 9","time_zone":"Europe/Vienna","now":"2026-11-29T12:40:00Z"}`,
		`{"id":2,"text":"jeden zweiten Freitag","time_zone":"Europe/Vienna","now":"2026-11-29T12:40:00Z"}`,
		`{"id":3,"text":"next Friday at 8","time_zone":"Europe/Vienna","now":"2026-12-02T12:40:00Z"}`,
		`{"id":4,"text":"soon","time_zone":"Europe/Vienna","now":"2026-11-29T12:40:00Z"}`,
		`[`,
	}, "\n")
	out, _, code := invoke(t, in, "check", "when")
	want := []string{
		`{"id":1,"at":"2026-11-30T08:00:00Z","kind":"at","spec":"2026-11-30T09:00"}`,
		`{"id":2,"at":"2026-12-04T08:00:00Z","kind":"every","spec":"2w from 2026-12-04T09:00"}`,
		`{"id":3,"ambiguous":true,"ask":"Do you mean Friday, 4 December 2026 at 08:00 or Friday, 11 December 2026 at 08:00?",` +
			`"choices":["2026-12-04T08:00","2026-12-11T08:00"]}`,
		`{"id":4,"error":"\"soon\" is not understood. `,
		`{"id":null,"error":"no question: `,
	}
	compareLines(t, out, code, want)
}

// compareLines compares lines with how they must begin.
func compareLines(t *testing.T, out string, code int, want []string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if code != 0 || len(lines) != len(want) {
		t.Fatalf("exit %d, %d lines", code, len(lines))
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, want[i]) {
			t.Errorf("line %d: %s\nwant %s", i+1, line, want[i])
		}
	}
}
