package team_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/pricing"
	"gatehouse/app/web/portal/portaltest"
)

// TestLimits: budgets are saved as typed; what cannot be one is refused with what was typed, and nothing that lets the team
// use more is taken without a signature.
func TestLimits(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Link(t, of)
	b := h.Owner(t, of)
	spend := func() (wire.Spend, wire.AgentConfig) {
		t.Helper()
		set, err := h.Teams.State(t.Context(), of.ID)
		portaltest.Must(t, err)
		return set.Config.Spend, set.Config.Agents["secretary"]
	}
	for typed, want := range map[string]int{"50000": http.StatusSeeOther, "12.5": 422, "-1": 422, "0": 422, "49999": 422, "lots": 422} {
		for _, path := range []string{"/app/agents/limits", "/app/agents/secretary/model"} {
			got := b.Post(path, url.Values{"tokens": {typed}, "save": {"budget"}})
			if got.StatusCode != want {
				t.Errorf("%s: %q: %d, want %d", path, typed, got.StatusCode, want)
			}
			if want == http.StatusUnprocessableEntity && got.Find("[name=tokens]").AttrOr("value", "") != typed {
				t.Errorf("%s: what was typed is lost: %q", path, typed)
			}
		}
	}
	team, own := spend()
	if team.Day != 50000 || own.Day != 50000 {
		t.Fatalf("saved: %+v, %+v", team, own)
	}
	for name, try := range map[string]func() portaltest.Answer{
		"a higher budget": func() portaltest.Answer { return b.Post("/app/agents/limits", url.Values{"tokens": {"60000"}}) },
		"none for an agent": func() portaltest.Answer {
			return b.Post("/app/agents/secretary/model", url.Values{"tokens": {""}, "save": {"budget"}})
		},
		"overage": func() portaltest.Answer { return b.Post("/app/agents/limits/beyond", url.Values{"beyond": {"1"}}) },
	} {
		if got := try(); got.StatusCode != http.StatusForbidden || !strings.Contains(got.Find("main").Text(), "device that may approve") {
			t.Errorf("%s: %d", name, got.StatusCode)
		}
	}
	if got := b.Post("/app/agents/secretary/model", url.Values{"model": {"lead"}}); got.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a model that nobody offers: %d", got.StatusCode)
	}
	if now, still := spend(); now.Day != team.Day || now.Beyond || still.Day != own.Day || still.Model != "" {
		t.Errorf("changed all the same: %+v, %+v", now, still)
	}
	if got := b.Post("/app/agents/secretary/model", url.Values{"model": {"complex"}}); got.StatusCode != http.StatusSeeOther {
		t.Errorf("a preset: %d", got.StatusCode)
	}
	page := b.Get("/app/agents/secretary/model")
	if chosen := page.Find("#models [data-chosen]").Text(); !strings.Contains(chosen, "Complex tasks") {
		t.Errorf("chosen: %q", chosen)
	}
	portaltest.WantSound(t, "the model of an agent", page.Document)
	portaltest.WantSound(t, "limits", b.Get("/app/agents/limits").Document)
}

// TestModel_noCard: without a card on file a model that costs extra is offered with the reason why it cannot be chosen, and refused
// whoever asks for it all the same; an agent that had one thinks with the usual one.
func TestModel_noCard(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Link(t, of)
	const gold = `{"input": 3000000, "output": 15000000, "cache_read": 300000, "cache_write": 3750000, "class": "premium"}`
	clerk := audit.Actor{Kind: audit.User, ID: portaltest.NewID(), Name: "Clerk"}
	for _, e := range []pricing.Entry{
		{Kind: pricing.KindModel, Name: "gold", Reason: "For the test.", Value: json.RawMessage(gold)},
		{Kind: pricing.KindRate, Name: "USD", Reason: "For the test.", Value: json.RawMessage("900000")},
	} {
		portaltest.Must(t, h.Bills.AddPrice(t.Context(), e, clerk))
	}
	portaltest.Must(t, h.Teams.Refresh(t.Context(), of.ID, wire.Origin{Channel: "hub"}))
	var missing atomic.Bool
	h.Bills.NoCard = func(_ context.Context, asked account.CustomerID) (bool, error) {
		return asked == of.ID && missing.Load(), nil
	}
	b := h.Owner(t, of)
	const path = "/app/agents/secretary/model"
	with := b.Get(path)
	if strings.Contains(with.Find("main").Text(), "No card is on file") || with.Find(`#models [value="gold"]`).Length() == 0 {
		t.Error("with a card the page asks for one, or does not offer the model")
	}
	if text := with.Find("#models").Text(); !strings.Contains(text, "€2.97") || !strings.Contains(text, "€14.85") {
		t.Errorf("before it is chosen, the page does not say what it costs with the markup: %s", text)
	}
	missing.Store(true)
	page := b.Get(path)
	words := page.Find("main").Text()
	if !strings.Contains(words, "No card is on file") || !strings.Contains(words, "Needs a card on file") {
		t.Errorf("without a card: %s", words)
	}
	if page.Find(`main a[href="/app/billing"]`).Length() == 0 || page.Find(`#models [value="gold"]`).Length() > 0 {
		t.Error("the page leads to no card, or offers the model all the same")
	}
	portaltest.WantSound(t, "no card on file", page.Document)
	got := b.Post(path, url.Values{"model": {"gold"}})
	if got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.Find("main").Text(), "Add one under Billing") {
		t.Errorf("chosen all the same: %d %s", got.StatusCode, got.Find("main").Text())
	}
	set, err := h.Teams.State(t.Context(), of.ID)
	portaltest.Must(t, err)
	if model := set.Config.Agents["secretary"].Model; model != "" {
		t.Errorf("the secretary thinks with %s", model)
	}
}

// TestLimits_meaning: a model for notes is offered only where the operator names one, with what would leave the server, and nothing is
// switched on without a signature.
func TestLimits_meaning(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Link(t, of)
	b := h.Owner(t, of)
	const path = "/app/agents/limits"
	if n := b.Get(path).Find("#notes-model").Length(); n > 0 {
		t.Error("nothing is offered, and the page speaks of it")
	}
	h.Bills.Embeddings = func() string { return "vectors" }
	portaltest.Must(t, h.Teams.Refresh(t.Context(), of.ID, wire.Origin{Channel: "hub"}))
	page := b.Get(path)
	if words := page.Find("#notes-model").Text(); !strings.Contains(words, "leaves your server") || !strings.Contains(words, "vectors") {
		t.Errorf("offered: %s", words)
	}
	portaltest.WantSound(t, "limits with a model for notes", page.Document)
	got := b.Post(path+"/meaning", url.Values{"model": {"vectors"}})
	if got.StatusCode != http.StatusForbidden || !strings.Contains(got.Find("main").Text(), "device that may approve") {
		t.Errorf("without a signature: %d", got.StatusCode)
	}
	if got := b.Post(path+"/meaning", url.Values{"model": {"others"}}); got.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a model that nobody offers: %d", got.StatusCode)
	}
	set, err := h.Teams.State(t.Context(), of.ID)
	portaltest.Must(t, err)
	if model := set.Config.Spend.Embeddings; model != "" {
		t.Errorf("%s has the notes", model)
	}
}
