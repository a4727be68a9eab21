package hook_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/web/portal/portaltest"
)

// ruler is a server that keeps one rule on events.
type ruler struct {
	kept wire.EventRule
	old  bool // a version that knows no rules
	got  []wire.EventRuleChange
}

func (k *ruler) answer(_ context.Context, m wire.Method, raw json.RawMessage) (any, error) {
	switch m {
	case wire.MethodHooksList:
		return wire.HooksResult{}, nil
	case wire.MethodSchedulesList:
		return wire.SchedulesResult{Items: []wire.Schedule{{ID: portaltest.NewID(), Title: "Morning briefing"}}}, nil
	case wire.MethodEventRulesList:
		var r wire.EventRulesResult
		if k.old {
			return nil, &wire.RPCError{Code: "bad_request", Text: `This server does not answer "eventrules.list".`}
		}
		if k.kept.ID != "" {
			r.Items = []wire.EventRule{k.kept}
		}
		return r, nil
	case wire.MethodEventRuleGet:
		if k.kept.ID != "" {
			return k.kept, nil
		}
	case wire.MethodEventRuleFirings:
		at := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
		return wire.EventFirings{Items: []wire.EventFiring{
			{At: at, Verdict: wire.EventHeld, Reason: "It had begun 12 runs within an hour.", Count: 988, OfAgent: "it-admin"},
			{At: at, Verdict: wire.EventBegan, RunID: portaltest.NewID(), Count: 1, OfRun: portaltest.NewID(), Outcome: wire.OutcomeFailed},
		}}, nil
	case wire.MethodEventRuleChange:
		var c wire.EventRuleChange
		if err := json.Unmarshal(raw, &c); err != nil {
			return nil, err
		}
		return k.change(c)
	}
	return nil, fault.New(fault.NotFound, "not-found", "no such thing", "There is no such thing.")
}

func (k *ruler) change(c wire.EventRuleChange) (any, error) {
	k.got = append(k.got, c)
	switch c.Act.Do {
	case wire.HookDoMake:
		if c.Act.Task == "" {
			return nil, &wire.RPCError{Code: "bad_request", Text: "Say what is to be done, in at most 2000 characters. Nothing was saved."}
		}
		k.kept = wire.EventRule{
			ID: c.Act.ID, Name: c.Act.Name, When: c.Act.When(), Agent: c.Act.Agent, Task: c.Act.Task, PerHour: 12, State: wire.HookActive,
			Version: 1, Session: c.Act.ID,
		}
	case wire.HookDoPause:
		k.kept.State, k.kept.Why = wire.HookPaused, wire.PausedNoAgent
	case wire.HookDoDelete:
		was := k.kept
		k.kept = wire.EventRule{}
		return was, nil
	}
	return k.kept, nil
}

// TestRules: an owner makes a rule on events, reads what it has begun and what was held back, pauses and deletes it; what the server
// refuses is said beside what was typed.
func TestRules(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	s := &ruler{}
	p.Also = s.answer
	b := h.Owner(t, of)
	says := func(path string, want ...string) {
		t.Helper()
		page := b.Get(path)
		portaltest.WantSound(t, path, page.Document)
		for _, w := range want {
			if text := page.Find("body").Text(); !strings.Contains(text, w) {
				t.Errorf("%s does not say %q: %s", path, w, page.Find("main").Text())
			}
		}
	}
	says("/app/hooks", "From outside", "When something happens", "No rules yet")
	says("/app/hooks/rules/new", "A run has ended", "Morning briefing", "Runs an hour")
	send := func(a wire.EventRuleAct) portaltest.Answer {
		if a.ID = portaltest.NewID(); a.Do != wire.HookDoMake {
			a.Rule = s.kept.ID
		}
		raw, err := json.Marshal(a)
		portaltest.Must(t, err)
		return b.Post("/app/hooks/rules/change", url.Values{"act": {string(raw)}, "signature": {""}})
	}
	a := wire.EventRuleAct{
		Do: wire.HookDoMake, Name: "Failures", Event: wire.EventRunEnded, Outcome: wire.OutcomeFailed, Agent: "it-admin",
	}
	got := send(a)
	text := got.Find("main").Text()
	if got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(text, "Say what is to be done") {
		t.Errorf("%d %s", got.StatusCode, text)
	}
	a.Task = "Tell me"
	if got := send(a); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("%d", got.StatusCode)
	}
	one := "/app/hooks/rules/" + s.kept.ID
	says(one, "The rule is made.", "A run has ended · Failed", "Held back, 988 times", "It had begun 12 runs within an hour.", "Begun")
	says("/app/hooks", "Failures", "A run has ended · Failed", "Active")
	if b.Get(one).Find("#change form[data-change=event_rule][data-hook]").Length() != 1 {
		t.Error("the form of a change is not signed")
	}
	if got := send(wire.EventRuleAct{Do: wire.HookDoPause}); got.StatusCode != http.StatusSeeOther {
		t.Errorf("pause: %d", got.StatusCode)
	}
	says(one, "Paused", "Its agent is not in the team anymore.", "Go on")
	if got := send(wire.EventRuleAct{Do: wire.HookDoDelete}); got.StatusCode != http.StatusSeeOther {
		t.Errorf("delete: %d", got.StatusCode)
	}
	says("/app/hooks", "Deleted.", "No rules yet")
	if got := b.Post("/app/hooks/rules/change", url.Values{"act": {"{"}}); got.StatusCode != http.StatusBadRequest {
		t.Errorf("rubbish: %d", got.StatusCode)
	}
	if len(s.got) != 4 || s.got[1].By.Role != "owner" {
		t.Errorf("%+v", s.got)
	}
}

// TestRules_older: a server of before rules has its hooks on the page, and no rules.
func TestRules_older(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	p.Also = (&ruler{old: true}).answer
	page := h.Owner(t, of).Get("/app/hooks")
	if page.StatusCode != http.StatusOK || page.Find("#outside").Length() != 1 || page.Find("#events").Length() != 0 ||
		page.Find("a[href='/app/hooks/rules/new']").Length() != 0 {
		t.Errorf("%d %s", page.StatusCode, page.Find("main").Text())
	}
}

// TestRules_gone: what a rule is narrowed to and is not there anymore stays chosen, so that saving the rule does not widen it unseen.
func TestRules_gone(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	gone := portaltest.NewID()
	p.Also = (&ruler{kept: wire.EventRule{
		ID: portaltest.NewID(), Name: "Failures",
		When:  wire.EventWhen{Event: wire.EventScheduleFailed, OfAgent: "dismissed", Schedule: gone},
		Agent: "long-gone", Task: "Tell me", PerHour: 12, State: wire.HookActive, Version: 1, Session: portaltest.NewID(),
	}}).answer
	page := h.Owner(t, of).Get("/app/hooks")
	at := page.Find("#rules a").AttrOr("href", "")
	page = h.Owner(t, of).Get(at)
	for field, want := range map[string]string{"of_agent": "dismissed", "schedule": gone, "agent": "long-gone"} {
		chosen := page.Find("#change select[name=" + field + "] option[selected]")
		if got := chosen.AttrOr("value", ""); got != want || !strings.Contains(chosen.Text(), "no longer listed") {
			t.Errorf("%s: %q %q, want %q", field, got, chosen.Text(), want)
		}
	}
}
