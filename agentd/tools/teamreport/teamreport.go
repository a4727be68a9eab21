package teamreport

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
)

// usualHours is how far a report looks back and ahead when nobody says.
const usualHours = 24

// Member is what one agent did.
type Member struct {
	Agent                         string
	Done, Failed, Stopped, AtWork int
	Did                           []string // what was changed or sent, the newest first
	More                          int      // further lines that are not here
	Troubles                      []string // why tasks failed
}

// Waiting is a request that waits for a person.
type Waiting struct {
	Agent, Says string
	Until       time.Time
}

// Coming is something that is planned.
type Coming struct {
	Agent, Title string
	At           time.Time
}

// Report is what the records say of a span.
type Report struct {
	Since    time.Time
	Members  []Member
	Waiting  []Waiting
	Coming   []Coming
	Failed   int            // dates of schedules that failed for good and were not dismissed
	Outside  bool           // content from outside stands behind some of it
	Location *time.Location // of the business
}

// Records are where a report comes from.
type Records interface {
	// Report reads what happened since a moment, and what is coming until another.
	Report(ctx context.Context, since, until time.Time) (Report, error)
}

// Tool is team_report.
type Tool struct {
	of  Records
	now func() time.Time
}

// New makes the tool.
func New(of Records, now func() time.Time) *Tool { return &Tool{of, now} }

// Definition says what the model sees.
func (t *Tool) Definition() tool.Definition {
	return tool.Definition{
		Name: "team_report", Doc: "From the records: what each agent did in the last hours, what waits for the owner, what is coming. " +
			"For a briefing, and whenever the owner asks what happened.",
		Args: tool.SchemaOf[policy.TeamReportArgs](), Idempotent: true,
	}
}

// Classify is green: it only reads.
func (t *Tool) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("team_report", args, policy.Env{})
}

// Run reads the records.
func (t *Tool) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, err := tool.Parse[policy.TeamReportArgs](args)
	if err == nil {
		err = p.Redeem(args)
	}
	if err != nil {
		return tool.Result{}, fmt.Errorf("team_report: %w", err)
	}
	hours := time.Duration(usualHours)
	if in.Hours > 0 {
		hours = time.Duration(in.Hours)
	}
	now := t.now()
	r, err := t.of.Report(ctx, now.Add(-hours*time.Hour), now.Add(hours*time.Hour))
	if err != nil {
		return tool.Result{}, fmt.Errorf("team_report: %w", err)
	}
	out := tool.Result{Text: r.Text(), Summary: "Read what the team did"}
	if r.Outside {
		out.Meta = map[string]any{gate.MetaOutside: true}
	}
	return out, nil
}

// Text is the report in words.
func (r Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Since %s.\n\nDone:\n", r.at(r.Since))
	for _, m := range r.Members {
		b.WriteString("- " + m.text() + "\n")
	}
	if len(r.Members) == 0 {
		b.WriteString("- nothing\n")
	}
	b.WriteString("\nWaits for the owner:\n")
	for _, w := range r.Waiting {
		fmt.Fprintf(&b, "- %s: %s (until %s)\n", w.Agent, w.Says, r.at(w.Until))
	}
	if len(r.Waiting) == 0 {
		b.WriteString("- nothing\n")
	}
	b.WriteString("\nComing:\n")
	for _, c := range r.Coming {
		fmt.Fprintf(&b, "- %s: %s (%s)\n", r.at(c.At), c.Title, c.Agent)
	}
	if len(r.Coming) == 0 {
		b.WriteString("- nothing\n")
	}
	if r.Failed > 0 {
		fmt.Fprintf(&b, "\nDates of schedules that failed for good: %d\n", r.Failed)
	}
	return b.String()
}

func (r Report) at(t time.Time) string { return t.In(r.Location).Format("Mon 2 January 15:04") }

// text is one agent in a line, with what it did below.
func (m Member) text() string {
	var counts []string
	for _, c := range []struct {
		n    int
		word string
	}{{m.Done, "done"}, {m.Failed, "failed"}, {m.Stopped, "stopped"}, {m.AtWork, "at work"}} {
		if c.n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	line := m.Agent + ": " + strings.Join(counts, ", ")
	for _, did := range m.Did {
		line += "\n  - " + did
	}
	if m.More > 0 {
		line += fmt.Sprintf("\n  - and %d more", m.More)
	}
	for _, why := range m.Troubles {
		line += "\n  - failed: " + why
	}
	return line
}
