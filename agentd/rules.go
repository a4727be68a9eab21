package agentd

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"

	"gatehouse/agentd/eventrule"
	"gatehouse/agentd/ingress"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/schedule"
	"gatehouse/agentd/wire"
)

// eventBudget is how many bytes of what is told of an event an agent reads.
const eventBudget = 8 << 10

// openRules makes ready what begins runs when something happens here.
func (d *Daemon) openRules(context.Context) error {
	d.rules = eventrule.New(eventrule.Deps{
		DB: d.db, Receipts: d.receipts, Runs: ruledRuns{d.runtime}, Signed: d.keys, Config: d.config, Now: d.now, Log: d.log,
		Wrap: func(source, sender, id, text string) (string, []string) {
			b := ingress.Wrap(source, sender, id, text, eventBudget)
			return b.Text, b.Patterns
		},
		HasAgent: d.hasAgent, Broken: d.brokenAgent, Paused: d.pausedBy,
	})
	return nil
}

// ruledRuns begins the runs of rules on events.
type ruledRuns struct{ rt *runtime.Runtime }

// Begin implements eventrule.Runs.
func (r ruledRuns) Begin(tx *sql.Tx, s eventrule.Start) error {
	return r.rt.AcceptScheduled(tx, runtime.Scheduled{
		ChatMessage: wire.ChatMessage{RunID: s.RunID, SessionID: s.Session, Agent: s.Agent, Text: s.Text, Time: s.At},
		Title:       s.Title, Level: s.Level, Taint: s.Taint, Fresh: true, Rule: s.Rule,
	})
}

// Open implements eventrule.Runs.
func (r ruledRuns) Open(tx *sql.Tx, session string) (int, error) { return r.rt.OpenIn(tx, session) }

// runOver hears how a run has ended.
func (d *Daemon) runOver(tx *sql.Tx, e runtime.Ending) error {
	if err := d.schedules.RunEnded(tx, e.RunID); err != nil {
		return err
	}
	return d.rules.Happened(tx, eventrule.Event{
		Kind: wire.EventRunEnded, Mark: e.RunID, Agent: e.Agent, Outcome: e.Outcome, RunID: e.RunID, Rule: e.From.Rule,
		Behind: func() (string, []policy.Source, error) {
			title, behind, err := d.runtime.Told(tx, e.RunID)
			return fmt.Sprintf("Conversation: %s\n%s", title, e.Said), behind, err
		},
	})
}

// asked hears of a new request.
func (d *Daemon) asked(tx *sql.Tx, a wire.Approval, from wire.Origin) error {
	if err := d.channels.Asked(tx, a, from); err != nil {
		return err
	}
	return d.rules.Happened(tx, eventrule.Event{
		Kind: wire.EventApprovalWaits, Mark: a.ID, Agent: a.Agent, RunID: a.RootRunID, Rule: from.Rule,
		Behind: func() (string, []policy.Source, error) {
			title, behind, err := d.runtime.Told(tx, a.RootRunID)
			for _, s := range a.Taint {
				behind = append(behind, policy.Source(s))
			}
			return fmt.Sprintf("Conversation: %s\nIt asks: %s", title, a.Summary), behind, err
		},
	})
}

// scheduleFailed hears of a date of a schedule that has failed for good.
func (d *Daemon) scheduleFailed(tx *sql.Tx, f schedule.Failure) error {
	return d.rules.Happened(tx, eventrule.Event{
		Kind: wire.EventScheduleFailed, Mark: strconv.FormatInt(f.Seq, 10), Agent: f.Agent, Schedule: f.Schedule, RunID: f.Run,
		Rule: f.From.Rule,
		Behind: func() (string, []policy.Source, error) {
			_, behind, err := d.runtime.Told(tx, f.Run)
			return fmt.Sprintf("Schedule: %s\nIts task: %s\n%s", f.Title, f.Task, f.Reason), append(behind, f.Taint...), err
		},
	})
}
