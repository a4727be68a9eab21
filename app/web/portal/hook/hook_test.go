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

// keeper is a server that keeps one hook.
type keeper struct {
	kept wire.Hook
	got  []wire.HookChange
}

func (k *keeper) answer(_ context.Context, m wire.Method, raw json.RawMessage) (any, error) {
	switch m {
	case wire.MethodHooksList:
		var r wire.HooksResult
		if k.kept.ID != "" {
			r.Items = []wire.Hook{k.kept}
		}
		return r, nil
	case wire.MethodEventRulesList:
		return wire.EventRulesResult{}, nil
	case wire.MethodHookGet:
		if k.kept.ID != "" {
			return k.kept, nil
		}
	case wire.MethodHookDeliveries:
		at := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
		return wire.HookDeliveries{Items: []wire.HookReceived{
			{At: at, Verdict: wire.HookRefused, Reason: "The signature is missing.", Count: 7, Size: 12},
			{At: at, Verdict: wire.HookAccepted, RunID: portaltest.NewID(), Count: 1, Size: 20},
		}}, nil
	case wire.MethodHookChange:
		var c wire.HookChange
		if err := json.Unmarshal(raw, &c); err != nil {
			return nil, err
		}
		return k.change(c)
	}
	return nil, fault.New(fault.NotFound, "not-found", "no such thing", "There is no such thing.")
}

func (k *keeper) change(c wire.HookChange) (any, error) {
	k.got = append(k.got, c)
	switch c.Act.Do {
	case wire.HookDoMake:
		if c.Act.Name == "taken" {
			return nil, &wire.RPCError{Code: "conflict", Text: `There is a hook "taken" already. Choose another name. Nothing was saved.`}
		}
		k.kept = wire.Hook{
			ID: c.Act.ID, Name: c.Act.Name, Agent: c.Act.Agent, Task: c.Act.Task, Proof: c.Act.Proof, State: wire.HookActive, PerMinute: 10,
			Version: 1, Session: c.Act.ID, Renewed: time.Now(),
		}
	case wire.HookDoPause:
		k.kept.State = wire.HookPaused
	case wire.HookDoDelete:
		was := k.kept
		k.kept = wire.Hook{}
		return was, nil
	}
	return k.kept, nil
}

// TestHooks: an owner makes a hook, reads its address and what came, pauses and deletes it; no form holds a secret; what the server
// refuses is said beside what was typed; who may only look has no forms.
func TestHooks(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	s := &keeper{}
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
	says("/app/hooks", "No hooks yet")
	says("/app/hooks/new", "/h/"+string(of.Server)+"/", "Deliveries a minute")
	if n := b.Get("/app/hooks/new").Find("[data-secret][name]").Length(); n != 0 {
		t.Error("the field of the secret would be sent")
	}
	send := func(a wire.HookAct) portaltest.Answer {
		raw, err := json.Marshal(a)
		portaltest.Must(t, err)
		return b.Post("/app/hooks/change", url.Values{"act": {string(raw)}, "signature": {""}})
	}
	a := wire.HookAct{ID: portaltest.NewID(), Do: wire.HookDoMake, Name: "taken", Agent: "it-admin", Task: "Look", Proof: wire.HookToken}
	if got := send(a); got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.Find("main").Text(), "already") {
		t.Errorf("%d %s", got.StatusCode, got.Find("main").Text())
	}
	a.Name = "orders"
	if got := send(a); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("%d", got.StatusCode)
	}
	says("/app/hooks/"+s.kept.ID, "The hook is made.", "/h/"+string(of.Server)+"/orders", "Refused, 7 times", "The signature is missing.",
		"Nothing of what they send is kept at the hub")
	says("/app/hooks", "orders", "Secret token", "Active")
	if got := send(wire.HookAct{ID: portaltest.NewID(), Do: wire.HookDoPause, Hook: s.kept.ID}); got.StatusCode != http.StatusSeeOther {
		t.Errorf("pause: %d", got.StatusCode)
	}
	says("/app/hooks/"+s.kept.ID, "Paused", "Go on")
	if got := send(wire.HookAct{ID: portaltest.NewID(), Do: wire.HookDoDelete, Hook: s.kept.ID}); got.StatusCode != http.StatusSeeOther {
		t.Errorf("delete: %d", got.StatusCode)
	}
	says("/app/hooks", "Deleted.", "No hooks yet")
	if got := b.Post("/app/hooks/change", url.Values{"act": {"{"}}); got.StatusCode != http.StatusBadRequest {
		t.Errorf("rubbish: %d", got.StatusCode)
	}
	if len(s.got) != 4 || s.got[1].By.Role != "owner" {
		t.Errorf("%+v", s.got)
	}
}
