package runtime_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/wire"
)

// TestRun_paused: while the hub lets the team rest, no model is asked; a message is kept and says what to do.
func TestRun_paused(t *testing.T) {
	t.Parallel()
	asked := 0
	s := start(t, options{model: model{func(_ context.Context, _ llm.Outgoing, text func(string)) (llm.Reply, error) {
		asked++
		return say("Good morning.", text)
	}}})
	cfg := s.World.Config.State().Config()
	adopt := func(why wire.PauseWhy, since ...time.Time) {
		t.Helper()
		cfg.Version++
		cfg.DefaultLevel, cfg.Spend.Paused, cfg.Spend.PausedSince = 2, why, time.Time{}
		for _, at := range since {
			cfg.Spend.PausedSince, cfg.TimeZone = at, "Europe/Vienna"
		}
		if err := s.World.Config.Adopt(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
	}
	adopt(wire.PausedPayment)
	_, e := s.ask(t, "it-admin", "Hello")
	got := data[wire.ErrorData](t, e)
	if e.Event != wire.EventError || got.Type != "paused" || got.Status != http.StatusPaymentRequired ||
		!strings.Contains(got.Detail, "under Billing") || !strings.Contains(got.Detail, "Your message is kept") {
		t.Errorf("paused: %s %+v", e.Event, got)
	}
	adopt(wire.PausedEnded, time.Date(2026, 11, 28, 23, 0, 0, 0, time.UTC))
	if _, e = s.ask(t, "it-admin", "Hello"); e.Event != wire.EventError {
		t.Fatalf("after the end: %s", e.Event)
	}
	if got = data[wire.ErrorData](t, e); got.Type != "paused" || !strings.Contains(got.Detail, "ended on 2026-11-29") ||
		!strings.Contains(got.Detail, "under Billing") || !strings.Contains(got.Detail, "Your message is kept") {
		t.Errorf("after the end: %+v", got)
	}
	adopt(wire.PausedEnded)
	if _, e = s.ask(t, "it-admin", "Hello"); !strings.Contains(data[wire.ErrorData](t, e).Detail, "The plan has ended, so") {
		t.Errorf("without a day: %+v", data[wire.ErrorData](t, e))
	}
	if asked != 0 {
		t.Errorf("the model was asked %d times", asked)
	}
	adopt("")
	if _, e := s.ask(t, "it-admin", "Hello"); e.Event != wire.EventFinal {
		t.Errorf("after the pause: %s", e.Event)
	}
}

// TestRun_budget: a model proxy that refuses, because a budget is used up, pauses the run in words.
func TestRun_budget(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: model{func(context.Context, llm.Outgoing, func(string)) (llm.Reply, error) {
		return llm.Reply{}, &llm.Error{Kind: llm.Budget, Detail: "the pool is empty"}
	}}})
	_, e := s.ask(t, "it-admin", "Hello")
	got := data[wire.ErrorData](t, e)
	if got.Type != "paused" || !strings.Contains(got.Detail, "the pool is empty") || !strings.Contains(got.Detail, "Limits") {
		t.Errorf("%+v", got)
	}
}
