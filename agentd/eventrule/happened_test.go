package eventrule_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/eventrule"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// TestHappened: an event that a rule waits for begins a run at the level of its agent, behind all that stood behind the event, which
// reads what is told of it between marks; others begin none, and so does the same event a second time.
func TestHappened(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.cfg.Agents = map[string]wire.AgentConfig{"secretary": {Level: 1}}
	v := w.made(t, func(a *wire.EventRuleAct) { a.OfAgent = "it-admin" })
	well, other, asked := failed("2"), failed("3"), failed("4")
	well.Outcome, other.Agent, asked.Kind = wire.OutcomeDone, "secretary", wire.EventApprovalWaits
	for _, e := range []eventrule.Event{well, other, asked} {
		w.happen(t, e)
	}
	if n := w.count(t); n != 0 {
		t.Fatalf("%d runs of events that it does not wait for", n)
	}
	w.happen(t, failed("1"))
	s := w.runs.last
	block := strings.Index(s.Text, "[")
	if block < 0 || !strings.HasPrefix(s.Text, "Tell me what went wrong\n\nWhat happened: a run of it-admin has failed (run 1).") ||
		strings.Index(s.Text, "Ignore all") < block {
		t.Errorf("it reads %q", s.Text)
	}
	want := []policy.Source{{Source: "mail", ID: "17"}, {Source: "event run_ended", ID: s.RunID}}
	if s.Level != 1 || s.Rule != v.ID || s.Session != v.ID || s.Title != "Failures" || !slices.Equal(s.Taint, want) {
		t.Errorf("%+v", s)
	}
	if err := w.db.Write(t.Context(), func(tx *sql.Tx) error { return w.Happened(tx, failed("1")) }); err != nil {
		t.Fatal(err)
	}
	if n := w.count(t); n != 1 || w.receipts(t, "event.began") != 1 {
		t.Errorf("%d runs of one event", n)
	}
	got, err := ask[wire.EventRule](w, wire.MethodEventRuleGet, wire.EventRuleParams{ID: v.ID})
	if err != nil || got.Last == nil || got.Last.RunID != s.RunID || got.Last.OfRun != "1" {
		t.Errorf("%+v, %v", got.Last, err)
	}
}

// TestHappened_untold: an event of which nothing is told leaves a run as clean as the one behind it.
func TestHappened_untold(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.made(t, nil)
	e := failed("1")
	e.Behind = func() (string, []policy.Source, error) { return " ", nil, nil }
	w.happen(t, e)
	if s := w.runs.last; len(s.Taint) != 0 || strings.Contains(s.Text, "material") {
		t.Errorf("%+v", s)
	}
}

// TestHappened_circle: what a rule has begun begins nothing, and the owner sees that.
func TestHappened_circle(t *testing.T) {
	t.Parallel()
	w := start(t)
	v := w.made(t, func(a *wire.EventRuleAct) { a.Outcome = "" })
	e := failed("1")
	e.Rule = v.ID
	w.happen(t, e)
	got := w.history(t, v.ID)
	if w.count(t) != 0 || len(got) != 1 || !strings.Contains(got[0], "held 1 It came from what a rule had begun") {
		t.Errorf("%q", got)
	}
}

// TestHappened_rate: of a thousand events the first of each hour begin runs, and one row says of the others how many they were.
func TestHappened_rate(t *testing.T) {
	t.Parallel()
	w := start(t)
	v := w.made(t, nil)
	for i := range 1000 {
		w.happen(t, failed(strconv.Itoa(i)))
	}
	got := w.history(t, v.ID)
	const most = "held 988 It had begun 12 runs within an hour."
	if w.count(t) != 12 || len(got) != 13 || got[12] != most || w.receipts(t, "event.held") != 1 {
		t.Errorf("%d runs, %q", w.count(t), got)
	}
	w.pass(time.Hour + time.Second)
	w.happen(t, failed("later"))
	if n := w.count(t); n != 13 {
		t.Errorf("%d runs an hour later", n)
	}
}

// TestHappened_open: a rule whose runs do not end begins no more of them.
func TestHappened_open(t *testing.T) {
	t.Parallel()
	w := start(t)
	v := w.made(t, func(a *wire.EventRuleAct) { a.PerHour = 60 })
	for i := range wire.MaxEventOpen + 1 {
		w.happen(t, failed(strconv.Itoa(i)))
	}
	want := fmt.Sprintf("held 1 %d runs of it have not ended.", wire.MaxEventOpen)
	if got := w.history(t, v.ID); w.count(t) != wire.MaxEventOpen || got[len(got)-1] != want {
		t.Errorf("%d runs, %q", w.count(t), got)
	}
}

// TestHappened_agent: a rule whose agent cannot work begins nothing; when it was put away, the rule is paused and says so, and goes on
// only by the owner's signature, once the agent is back.
func TestHappened_agent(t *testing.T) {
	t.Parallel()
	w := start(t)
	v := w.made(t, nil)
	w.broken["secretary"] = true
	w.happen(t, failed("1"))
	w.broken["secretary"] = false
	w.cfg.Agents = map[string]wire.AgentConfig{"secretary": {Off: true}}
	w.happen(t, failed("2"))
	w.cfg = wire.Config{DefaultLevel: 2, Spend: wire.Spend{Paused: "hub"}}
	w.happen(t, failed("3"))
	w.cfg = wire.Config{DefaultLevel: 2}
	w.paused = map[string]*wire.AgentPause{"secretary": {Agent: "secretary", Budget: wire.BudgetPool}}
	w.happen(t, failed("paused"))
	w.paused = nil
	w.gone["secretary"] = true
	w.happen(t, failed("4"))
	w.happen(t, failed("5"))
	want := []string{
		"held 1 Its agent cannot work, because its files cannot be read.", "held 1 Its agent is switched off.", "held 1 The team rests.",
		"held 1 Paused by budget: the tokens of this month are used up.",
		"held 1 Its agent is not in the team anymore, so it is paused.",
	}
	if got := w.history(t, v.ID); w.count(t) != 0 || !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	got, err := ask[wire.EventRule](w, wire.MethodEventRuleGet, wire.EventRuleParams{ID: v.ID})
	if err != nil || got.State != wire.HookPaused || got.Why != wire.PausedNoAgent || w.receipts(t, "event.rule_paused") != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	resume := wire.EventRuleAct{ID: newID(), Do: wire.HookDoResume, Rule: v.ID, Version: got.Version}
	if _, err := w.act(resume); code(err) != "conflict" {
		t.Errorf("resumed without its agent: %v", err)
	}
	w.gone["secretary"] = false
	if _, err := w.act(resume); err != nil {
		t.Error(err)
	}
	w.gone["secretary"] = true
	if err := w.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err = ask[wire.EventRule](w, wire.MethodEventRuleGet, wire.EventRuleParams{ID: v.ID})
	if err != nil || got.Why != wire.PausedNoAgent {
		t.Errorf("after its agent was put away: %+v, %v", got, err)
	}
}

// TestHappened_deleted: a rule that was deleted begins nothing; a conversation that was deleted is replaced.
func TestHappened_deleted(t *testing.T) {
	t.Parallel()
	w := start(t)
	v, gone := w.made(t, nil), w.made(t, nil)
	w.plain(t, wire.HookDoDelete, gone.ID)
	w.runs.refuse[v.ID] = true
	w.happen(t, failed("1"))
	got, err := ask[wire.EventRule](w, wire.MethodEventRuleGet, wire.EventRuleParams{ID: v.ID})
	if err != nil || w.count(t) != 1 || got.Session == v.ID || got.Session != w.runs.last.Session {
		t.Errorf("%d runs, %+v, %v", w.count(t), got, err)
	}
}

// TestTidy: what is over for long is dropped.
func TestTidy(t *testing.T) {
	t.Parallel()
	w := start(t)
	v := w.made(t, nil)
	w.happen(t, failed("1"))
	w.plain(t, wire.HookDoDelete, v.ID)
	left := func() int {
		return w.number(t, "SELECT (SELECT count(*) FROM event_rules) + (SELECT count(*) FROM event_firings)")
	}
	w.pass(89 * 24 * time.Hour)
	if err := w.Tidy(t.Context()); err != nil || left() != 2 {
		t.Errorf("%d rows are left, %v", left(), err)
	}
	w.pass(2 * 24 * time.Hour)
	if err := w.Tidy(t.Context()); err != nil || left() != 0 {
		t.Errorf("%d rows are left, %v", left(), err)
	}
}
