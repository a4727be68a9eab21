package eventrule_test

import (
	"errors"
	"testing"

	"gatehouse/agentd/wire"
)

// code is that of a refusal; empty when there was none.
func code(err error) string {
	var no *wire.RPCError
	if errors.As(err, &no) {
		return no.Code
	}
	return ""
}

// TestChange: what lets more happen is signed by the owner, and holds once; what stops it is done at once.
func TestChange(t *testing.T) {
	t.Parallel()
	w := start(t)
	unsigned := func(a wire.EventRuleAct) string {
		_, err := ask[wire.EventRule](w, wire.MethodEventRuleChange, wire.EventRuleChange{Act: a})
		return code(err)
	}
	if got := unsigned(making(nil)); got != "signature_required" {
		t.Errorf("made without a signature: %q", got)
	}
	a := making(nil)
	v, err := w.act(a)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := w.act(a); err != nil || again.Version != v.Version {
		t.Errorf("a repeat: %+v, %v", again, err)
	}
	edit := making(func(e *wire.EventRuleAct) { e.Do, e.Rule, e.Version, e.PerHour = wire.HookDoEdit, v.ID, v.Version, 60 })
	if got := unsigned(edit); got != "signature_required" {
		t.Errorf("edited without a signature: %q", got)
	}
	if _, err := w.act(edit); err != nil {
		t.Error(err)
	}
	edit.ID = newID()
	if _, err := w.act(edit); code(err) != "conflict" {
		t.Errorf("an edit of what is not there anymore: %v", err)
	}
	if p := w.plain(t, wire.HookDoPause, v.ID); p.State != wire.HookPaused || p.Why != wire.PausedByOwner {
		t.Errorf("%+v", p)
	}
	w.happen(t, failed("1"))
	if n := w.count(t); n != 0 {
		t.Errorf("%d runs of a rule that is paused", n)
	}
	resume := wire.EventRuleAct{ID: newID(), Do: wire.HookDoResume, Rule: v.ID, Version: v.Version + 2}
	if got := unsigned(resume); got != "signature_required" {
		t.Errorf("resumed without a signature: %q", got)
	}
	if r, err := w.act(resume); err != nil || r.State != wire.HookActive || r.PerHour != 60 {
		t.Errorf("%+v, %v", r, err)
	}
	w.plain(t, wire.HookDoDelete, v.ID)
	resume.ID, resume.Version = newID(), v.Version+4
	if _, err := w.act(resume); code(err) != "not_found" {
		t.Errorf("resumed after it was deleted: %v", err)
	}
	got, err := ask[wire.EventRulesResult](w, wire.MethodEventRulesList, wire.EventRulesParams{})
	if err != nil || len(got.Items) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if n := w.receipts(t, "event.rule_changed"); n != 5 {
		t.Errorf("%d of 5 changes on record", n)
	}
}

// TestChange_refused: a rule that says nothing, or waits for what never happens, is refused.
func TestChange_refused(t *testing.T) {
	t.Parallel()
	w := start(t)
	for what, edit := range map[string]func(*wire.EventRuleAct){
		"no name": func(a *wire.EventRuleAct) { a.Name = " " }, "two lines": func(a *wire.EventRuleAct) { a.Name = "a\nb" },
		"no task": func(a *wire.EventRuleAct) { a.Task = "" }, "a command": func(a *wire.EventRuleAct) { a.Task = "/stop" },
		"no agent": func(a *wire.EventRuleAct) { a.Agent = "" }, "nobody's runs": func(a *wire.EventRuleAct) { a.OfAgent = "nobody" },
		"no event": func(a *wire.EventRuleAct) { a.Event = "" }, "no such end": func(a *wire.EventRuleAct) { a.Outcome = "well" },
		"how a request ends":  func(a *wire.EventRuleAct) { a.Event = wire.EventApprovalWaits },
		"a schedule's run":    func(a *wire.EventRuleAct) { a.Schedule = newID() },
		"an unknown schedule": func(a *wire.EventRuleAct) { a.Event, a.Outcome, a.Schedule = wire.EventScheduleFailed, "", newID() },
		"a rate of none":      func(a *wire.EventRuleAct) { a.PerHour = 0 }, "a thousand": func(a *wire.EventRuleAct) { a.PerHour = 1000 },
		"a new secret":                   func(a *wire.EventRuleAct) { a.Do = wire.HookDoRenew },
		"a new rule in place of another": func(a *wire.EventRuleAct) { a.Rule = newID() },
	} {
		if _, err := w.act(making(edit)); code(err) != "bad_request" {
			t.Errorf("%s: %v", what, err)
		}
	}
	for range wire.MaxEventRules {
		w.made(t, nil)
	}
	if _, err := w.act(making(nil)); code(err) != "conflict" {
		t.Errorf("one more than the most: %v", err)
	}
}
