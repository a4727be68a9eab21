package runtime_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/eventrule"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/wire"
)

const ruleID = "01900000-0000-7000-8000-0000000000aa"

// ruled has the secretary work on every end of a run, by a rule of the owner that is on record.
func ruled(s *server) runtime.Over {
	rules := eventrule.New(eventrule.Deps{
		DB: s.DB, Receipts: s.Log, Runs: ruledRuns{s}, Config: s.deps.Config, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Wrap:     func(_, _, _, text string) (string, []string) { return "[" + text + "]", nil },
		HasAgent: func(string) bool { return true }, Broken: func(string) bool { return false },
		Paused: func(string) *wire.AgentPause { return nil },
	})
	return func(tx *sql.Tx, e runtime.Ending) error {
		return rules.Happened(tx, eventrule.Event{
			Kind: wire.EventRunEnded, Mark: e.RunID, Agent: e.Agent, Outcome: e.Outcome, RunID: e.RunID, Rule: e.From.Rule,
			Behind: func() (string, []policy.Source, error) {
				_, behind, err := s.rt.Told(tx, e.RunID)
				return e.Said, behind, err
			},
		})
	}
}

type ruledRuns struct{ s *server }

func (r ruledRuns) Begin(tx *sql.Tx, s eventrule.Start) error {
	return r.s.rt.AcceptScheduled(tx, runtime.Scheduled{
		ChatMessage: wire.ChatMessage{RunID: s.RunID, SessionID: s.Session, Agent: s.Agent, Text: s.Text, Time: s.At},
		Title:       s.Title, Level: s.Level, Taint: s.Taint, Fresh: true, Rule: s.Rule,
	})
}

func (r ruledRuns) Open(tx *sql.Tx, session string) (int, error) { return r.s.rt.OpenIn(tx, session) }

// makeRule puts the rule on record.
func (s *server) makeRule(t testing.TB, outcome wire.EventOutcome) {
	t.Helper()
	err := s.DB.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(context.Background(), `INSERT INTO event_rules (id, name, event, of_agent, outcome, schedule, agent, task,
			per_hour, state, why, level, session, origin, last_act, version, created_at, updated_at)
			VALUES (?1,'Ends','run_ended','',?2,'','secretary','Tell me',12,'active','',2,?1,'{}','',1,0,0)`, ruleID, outcome)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// begun waits for the end of the run that the rule has begun.
func (s *server) begun(t testing.TB, of string) wire.RunEvent {
	t.Helper()
	return s.watch.until(t, "the end of the rule's run", func(e wire.RunEvent) bool {
		return e.Root != of && (e.Event == wire.EventFinal || e.Event == wire.EventError)
	})
}

// count is how many rows a query counts.
func (s *server) count(t testing.TB, query string, args ...any) (n int) {
	t.Helper()
	if err := s.DB.Read().QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestOver: each way in which a run ends begins the run of the rule that waits for it, once, and the end of that one begins nothing.
func TestOver(t *testing.T) {
	t.Parallel()
	breaks := model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		if strings.HasPrefix(newest(o).Text, "Tell me") {
			return say("It is told", text)
		}
		return llm.Reply{}, errors.New("no model")
	}}
	endless := model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		if slices.ContainsFunc(o.Messages(), func(m llm.Message) bool { return strings.HasPrefix(m.Text, "Tell me") }) {
			return say("It is told", text)
		}
		return calls(doit("a", "green", "x", ""))
	}}
	waits := model{func(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		if strings.HasPrefix(newest(o).Text, "Tell me") {
			return say("It is told", text)
		}
		text("hm ")
		<-ctx.Done()
		return llm.Reply{}, ctx.Err()
	}}
	for outcome, m := range map[wire.EventOutcome]model{
		wire.OutcomeDone: says("well"), wire.OutcomeFailed: breaks, wire.OutcomeLimit: endless, wire.OutcomeStopped: waits,
	} {
		s := start(t, options{model: m, over: ruled, limits: runtime.Limits{Steps: 1}})
		s.makeRule(t, outcome)
		first := message(t, id(t), "it-admin", "Do it")
		s.post(t, first)
		if outcome == wire.OutcomeStopped {
			s.watch.deltas(t, 1)
			s.cancel(t, wire.RunCancel{RunID: first.RunID, By: owner})
		}
		e := s.begun(t, first.RunID)
		r := s.runOf(t, e.Root)
		if r.Agent != "secretary" || e.Event != wire.EventFinal || r.Channel != "schedule" {
			t.Errorf("%s: %+v %s", outcome, r, e.Data)
		}
		if n := s.count(t, "SELECT count(*) FROM runs"); n != 2 {
			t.Errorf("%s: %d runs", outcome, n)
		}
		held := 0
		if outcome == wire.OutcomeDone { // the only end that its own run has as well
			held = 1
		}
		if n := s.count(t, "SELECT count(*) FROM event_firings WHERE verdict = 'held'"); n != held {
			t.Errorf("%s: %d held back, want %d", outcome, n, held)
		}
	}
}

// TestOver_taint: what a run has read from outside, itself or in what it handed on, stands behind the run that its end begins; what
// that one changes is asked.
func TestOver_taint(t *testing.T) {
	t.Parallel()
	for _, tainted := range []bool{true, false} {
		from := []policy.Source{{Source: "mail", ID: "17"}}
		if !tainted {
			from = nil
		}
		s := start(t, options{over: ruled, model: model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
			if strings.HasPrefix(newest(o).Text, "Tell me") {
				return calls(doit("a", "yellow", "x", ""))
			}
			return say("well", text)
		}}})
		s.atLevel3(t)
		s.makeRule(t, wire.OutcomeDone)
		m := scheduled(t, message(t, id(t), "it-admin", "Look"))
		m.Taint = from
		s.schedule(t, m)
		asked := data[wire.ApprovalData](t, s.watch.until(t, "the question", isApproval(wire.ApprovalPending))).Approval
		mail := slices.ContainsFunc(asked.Taint, func(o wire.TaintSource) bool { return o.Source == "mail" })
		told := slices.ContainsFunc(asked.Taint, func(o wire.TaintSource) bool { return o.Source == "event run_ended" })
		if mail != tainted || !told {
			t.Errorf("tainted %v: behind it stand %+v", tainted, asked.Taint)
		}
	}
}

// TestOver_chain: what a run has made that a rule began, such as a sub-agent or a report, begins nothing either.
func TestOver_chain(t *testing.T) {
	t.Parallel()
	p := parts{firstCalls(spawn("1", "", "invoices")), counts("green"), passesOn}
	s := start(t, options{model: p.model(), over: ruled})
	s.makeRule(t, wire.OutcomeDone)
	m := scheduled(t, message(t, id(t), "it-admin", "Count the invoices"))
	m.Rule = ruleID
	s.schedule(t, m)
	s.toldEnd(t, m.SessionID, m.RunID)
	if n := s.count(t, "SELECT count(*) FROM event_firings WHERE verdict = 'began'"); n != 0 {
		t.Errorf("%d runs were begun", n)
	}
	if n := s.count(t, "SELECT count(*) FROM event_firings WHERE verdict = 'held' AND count = 2"); n != 1 {
		t.Error("the owner does not see that two ends were held back")
	}
	posted := message(t, id(t), "it-admin", "Count")
	posted.From.Rule = ruleID // only the runtime says so
	s.post(t, posted)
	s.watch.end(t, posted.RunID)
	if n := s.count(t, "SELECT count(*) FROM event_firings WHERE verdict = 'began'"); n == 0 {
		t.Error("a message of a person counts as one of a rule")
	}
}

// TestAsked: a new request is told of in the transaction that makes it, with whose work it is.
func TestAsked(t *testing.T) {
	t.Parallel()
	type heard struct {
		a    wire.Approval
		from wire.Origin
	}
	got := make(chan heard, 9)
	s := start(t, options{model: once(doit("a", "yellow", "x", "")), with: func(d *gate.Deps) {
		d.Asked = func(tx *sql.Tx, a wire.Approval, from wire.Origin) error {
			var there int
			err := tx.QueryRowContext(context.Background(), "SELECT count(*) FROM gate_approvals WHERE id = ?", a.ID).Scan(&there)
			if there != 1 {
				t.Error("it is told of before it is on record")
			}
			got <- heard{a, from}
			return err
		}
	}})
	m := scheduled(t, message(t, id(t), "it-admin", "Look"))
	m.Level, m.Rule = 1, ruleID
	s.schedule(t, m)
	h := <-got
	raw, err := json.Marshal(h.from)
	if err != nil || h.a.RootRunID != m.RunID || h.from.Rule != ruleID {
		t.Errorf("%+v, %s, %v", h.a, raw, err)
	}
}
