package agentd

import (
	"context"
	"time"

	"gatehouse/agentd/tools/teamreport"
	"gatehouse/agentd/wire"
)

// maxComing is how many planned times a report names.
const maxComing = 30

// records is where the tool team_report reads. The parts are made after the tool.
type records struct{ d *Daemon }

// Report implements teamreport.Records.
func (r records) Report(ctx context.Context, since, until time.Time) (teamreport.Report, error) {
	out := teamreport.Report{Since: since, Location: r.d.zone()}
	work, outside, err := r.d.runtime.WorkSince(ctx, since)
	if err != nil {
		return out, err
	}
	out.Outside = outside
	for _, w := range work {
		out.Members = append(out.Members, teamreport.Member{
			Agent: w.Agent, Done: w.Done, Failed: w.Failed, Stopped: w.Stopped, AtWork: w.AtWork,
			Did: w.Did, More: w.More, Troubles: w.Troubles,
		})
	}
	waiting, err := r.d.gate.Waiting(ctx)
	if err != nil {
		return out, err
	}
	for _, a := range waiting {
		out.Waiting = append(out.Waiting, teamreport.Waiting{Agent: a.Agent, Says: a.Summary, Until: a.ExpiresAt})
		out.Outside = out.Outside || len(a.Taint) > 0
	}
	return out, r.coming(ctx, &out, until)
}

// coming adds what is planned.
func (r records) coming(ctx context.Context, out *teamreport.Report, until time.Time) error {
	planned, err := r.d.schedules.List(ctx, wire.SchedulesParams{State: wire.ScheduleActive, Limit: 200})
	if err != nil {
		return err
	}
	out.Failed = planned.Failed
	for _, s := range planned.Items {
		if s.Next.IsZero() || s.Next.After(until) || len(out.Coming) == maxComing {
			continue
		}
		out.Coming = append(out.Coming, teamreport.Coming{Agent: s.Agent, Title: s.Title, At: s.Next})
		out.Outside = out.Outside || len(s.Outside) > 0
	}
	return nil
}
