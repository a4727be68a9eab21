package team

import (
	"errors"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// TestNext_card: without a card on file no agent gets a model that costs extra, and those that have one fall back, whatever else is
// changed. Nothing that is sent to a server names one then.
func TestNext_card(t *testing.T) {
	t.Parallel()
	key, err := wire.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	sig, err := key.Sign("anything", now)
	if err != nil {
		t.Fatal(err)
	}
	s := &Service{Now: func() time.Time { return now }}
	menu := wire.ModelMenu{Premium: []string{"gold", "silver"}}
	was := State{Config: first(), Applied: 4}
	was.Config.Version = 4
	was.Config.Spend.Models = menu
	was.Config.Agents["it-admin"] = wire.AgentConfig{Model: "gold", Day: 200_000}
	was.Config.Agents["secretary"] = wire.AgentConfig{Level: 1, Model: wire.PresetComplex}
	none := Business{Allowance: Allowance{Models: menu, NoCard: true}}
	for name, edit := range map[string]Edit{
		"nothing":       func(*wire.Config) error { return nil },
		"a preset":      Model("secretary", wire.PresetBasic),
		"another limit": Budget("it-admin", 100_000),
		"the same":      Model("it-admin", "gold"),
	} {
		got, err := s.next(was, none, wire.Origin{}, edit)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for id, a := range got.Agents {
			if !wire.IsPreset(a.Model) {
				t.Errorf("%s: %s thinks with %s", name, id, a.Model)
			}
		}
		if fell := fellBack(was.Config, *got, none); len(fell) != 1 || fell["it-admin"] != "gold" {
			t.Errorf("%s: fell back are %v", name, fell)
		}
		if len(got.Signed) > 0 {
			t.Errorf("%s: it wants the signature %+v", name, got.Signed)
		}
	}
	for name, edit := range map[string]Edit{
		"chosen":         Signed(Model("secretary", "gold"), 5, sig),
		"another":        Signed(Model("it-admin", "silver"), 5, sig),
		"chosen unasked": Model("secretary", "silver"),
	} {
		if got, err := s.next(was, none, wire.Origin{}, edit); !errors.Is(err, errNoCard) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	with := Business{Allowance: Allowance{Models: menu}}
	got, err := s.next(was, with, wire.Origin{}, Signed(Model("secretary", "gold"), 5, sig))
	if err != nil || got.Agents["secretary"].Model != "gold" || got.Agents["it-admin"].Model != "gold" {
		t.Errorf("with a card: %+v, %v", got, err)
	}
	if renewed, err := renewed(was, none); err != nil || renewed.Agents["it-admin"].Model != "" {
		t.Errorf("renewed: %+v, %v", renewed, err)
	}
}
