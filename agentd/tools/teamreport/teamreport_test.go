package teamreport_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tools/teamreport"
	"gatehouse/agentd/tools/tooltest"
	"gatehouse/agentd/wire"
)

// monday is a Monday at eight in Vienna.
var monday = time.Date(2026, 11, 30, 7, 0, 0, 0, time.UTC)

type records struct {
	report       teamreport.Report
	since, until time.Time
	err          error
}

func (r *records) Report(_ context.Context, since, until time.Time) (teamreport.Report, error) {
	r.since, r.until = since, until
	out := r.report
	out.Since = since
	return out, r.err
}

func vienna(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Vienna")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestRun(t *testing.T) {
	t.Parallel()
	r := &records{report: teamreport.Report{
		Location: vienna(t), Failed: 1,
		Members: []teamreport.Member{
			{Agent: "it-admin", Done: 2, Failed: 1, Did: []string{"Deleted 3 files"}, More: 2, Troubles: []string{"The disk is full"}},
		},
		Waiting: []teamreport.Waiting{{Agent: "secretary", Says: "E-mail someone@example.com: We open", Until: monday.Add(time.Hour)}},
		Coming:  []teamreport.Coming{{Agent: "dispatcher", Title: "Call the tax office", At: monday.Add(2 * time.Hour)}},
	}}
	g := tooltest.NewGate(t, tooltest.NewDir(t), teamreport.New(r, func() time.Time { return monday }))
	o := g.Do(t, "team_report", policy.TeamReportArgs{Hours: 14})
	if o.State != wire.ToolDone || o.Tier != "green" ||
		!r.since.Equal(monday.Add(-14*time.Hour)) || !r.until.Equal(monday.Add(14*time.Hour)) {
		t.Fatalf("%+v, since %s until %s", o, r.since, r.until)
	}
	for _, want := range []string{
		"it-admin: 2 done, 1 failed", "Deleted 3 files", "and 2 more", "failed: The disk is full", "Since Sun 29 November 18:00",
		"secretary: E-mail someone@example.com: We open (until Mon 30 November 09:00)",
		"Mon 30 November 10:00: Call the tax office (dispatcher)",
		"failed for good: 1",
	} {
		if !strings.Contains(o.Text, want) {
			t.Errorf("no %q in %s", want, o.Text)
		}
	}
}

// A report of nothing says so, and content from outside stays marked.
func TestRun_nothing(t *testing.T) {
	t.Parallel()
	r := &records{report: teamreport.Report{Location: time.UTC, Outside: true}}
	g := tooltest.NewGate(t, tooltest.NewDir(t), teamreport.New(r, func() time.Time { return monday }))
	o := g.Do(t, "team_report", policy.TeamReportArgs{})
	if strings.Count(o.Text, "- nothing") != 3 || len(o.Taint) == 0 || !r.since.Equal(monday.Add(-24*time.Hour)) {
		t.Errorf("%+v", o)
	}
	r.err = errors.New("inner workings")
	o = g.Do(t, "team_report", policy.TeamReportArgs{Hours: 2})
	if o.State != wire.ToolFailed || strings.Contains(o.Text, "inner workings") {
		t.Errorf("%+v", o)
	}
	if o := g.Do(t, "team_report", policy.TeamReportArgs{Hours: 1000}); o.State != wire.ToolDenied {
		t.Errorf("%+v", o)
	}
	if _, err := teamreport.New(r, time.Now).Run(t.Context(), gate.Permit{}, []byte(`{}`)); err == nil {
		t.Error("it ran without a permit")
	}
}
