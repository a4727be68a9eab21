package db_test

import (
	"log/slog"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/receipt"
	"gatehouse/app/relay"
	"gatehouse/app/team"
	"gatehouse/db"
)

// TestBilling_allowance: a server hears of the pool of the period that runs and of what is sold; what its owner chooses for an
// empty pool is kept for the invoice, in the transaction of the settings.
func TestBilling_allowance(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.sells()
	b.ready(t0)
	b.at(t0.Add(time.Hour))
	b.Presets = func() map[string]string {
		return map[string]string{wire.PresetComplex: "thinker", wire.PresetBasic: ""}
	}
	trail := &db.Trail{DB: b.db}
	teams := &team.Service{
		Store: &db.Configs{DB: b.db}, Outbox: &db.Links{DB: b.db}, Holds: &receipt.Service{Store: &db.Checkpoints{DB: b.db}}, Record: trail,
		Live: silent{}, Plans: b.Service, Now: func() time.Time { return b.now }, Log: slog.New(slog.DiscardHandler),
	}
	of := b.of
	must(t, teams.Refresh(t.Context(), of, wire.Origin{Channel: "operator"}))
	set := stateOf(t, teams, of)
	pool := set.Config.Spend.Pool
	if pool == nil || pool.Tokens != 15_000_000 || pool.Weights.CacheRead != 100 || !pool.To.After(pool.From) {
		t.Fatalf("pool: %+v", pool)
	}
	if m := set.Config.Spend.Models; len(m.Premium) != 1 || m.Premium[0] != "large" || len(m.Presets) != 1 ||
		m.Presets["complex"] != "thinker" {
		t.Errorf("models: %+v", m)
	}
	must(t, teams.Refresh(t.Context(), of, wire.Origin{Channel: "operator"}))
	if again := stateOf(t, teams, of); again.Config.Version != set.Config.Version {
		t.Errorf("the same again made version %d after %d", again.Config.Version, set.Config.Version)
	}
	signed := func(edit team.Edit) {
		t.Helper()
		key, err := wire.NewSigner()
		must(t, err)
		sig, err := key.Sign("anything", b.now) // whether it holds is for the server to say
		must(t, err)
		_, err = teams.Change(t.Context(), of, wire.Origin{UserID: owner, Email: "owner@example.com"},
			team.Signed(edit, stateOf(t, teams, of).Next(), sig))
		must(t, err)
	}
	signed(team.Beyond(true))
	signed(team.Beyond(true)) // says nothing new
	b.now = b.now.Add(time.Minute)
	signed(team.Beyond(false))
	choices, err := b.store.Choices(t.Context(), of)
	must(t, err)
	if len(choices) != 2 || !choices[0].Overage || choices[1].Overage || choices[0].ByName != "owner@example.com" {
		t.Errorf("choices: %+v", choices)
	}
	if o, err := b.Overview(t.Context(), of); err != nil || o.Overage {
		t.Errorf("it goes on: %v, %v", o.Overage, err)
	}
	was := stateOf(t, teams, of).Config.Version
	must(t, teams.Report(t.Context(), of, b.srv, wire.ConfigState{Version: was}))
	b.now = b.now.Add(time.Minute)
	signed(team.Beyond(true))
	must(t, teams.Report(t.Context(), of, b.srv, wire.ConfigState{Version: was, Error: "nobody signed"}))
	_, err = teams.Change(t.Context(), of, wire.Origin{UserID: owner, Email: "owner@example.com"}, team.DefaultLevel(1))
	must(t, err)
	if choices, err = b.store.Choices(t.Context(), of); err != nil || len(choices) != 4 || choices[3].Overage {
		t.Errorf("what the server refused still counts: %+v, %v", choices, err)
	}
}

// owner is somebody's id.
const owner = "00000000-0000-7000-8000-000000000002"

// silent tells nobody.
type silent struct{}

func (silent) Notify(relay.Notice) error { return nil }
func (silent) Nudge(string) error        { return nil }

func stateOf(t *testing.T, s *team.Service, of account.CustomerID) team.State {
	t.Helper()
	st, err := s.State(t.Context(), of)
	must(t, err)
	return st
}
