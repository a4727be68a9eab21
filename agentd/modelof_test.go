package agentd

import (
	"log/slog"
	"path/filepath"
	"testing"

	"gatehouse/agentd/config"
	"gatehouse/agentd/link"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/rehearsal"
	"gatehouse/agentd/llm/via"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/wire"
)

// TestModelOf: an agent asks the model behind its preset, or the premium model that was signed for it; whatever is not set, and what
// costs extra behind a preset, is the server's own.
func TestModelOf(t *testing.T) {
	t.Parallel()
	o, log := openNew(t), slog.New(slog.DiscardHandler)
	live, err := config.Open(t.Context(), o.db, receipt.New(o.db, ownedAt), link.NewOutbox(o.db, ownedAt), ownedAt) // asks for no signature
	if err != nil {
		t.Fatal(err)
	}
	d := &Daemon{live: live, log: log, way: via.New(via.Options{Socket: filepath.Join(t.TempDir(), "s"), Token: "t", Log: log})}
	if d.model, err = d.way.Provider("own", llm.Limits{}); err != nil {
		t.Fatal(err)
	}
	cfg := live.State().Config()
	cfg.Version, cfg.DefaultLevel = cfg.Version+1, 2
	cfg.Spend.Models = wire.ModelMenu{
		Presets: map[string]string{wire.PresetBalanced: "middle", wire.PresetComplex: "large", wire.PresetBasic: "gold"},
		Premium: []string{"gold"},
	}
	cfg.Agents = map[string]wire.AgentConfig{
		"a": {}, "b": {Model: wire.PresetBalanced}, "c": {Model: wire.PresetComplex}, "d": {Model: wire.PresetBasic}, "e": {Model: "gold"},
	}
	if err := live.Adopt(t.Context(), cfg); err != nil || live.State().Version() != cfg.Version {
		t.Fatalf("version %d is in force, %v", live.State().Version(), err)
	}
	for agent, want := range map[string]string{"a": "middle", "b": "middle", "c": "large", "d": "own", "e": "gold", "nobody": "middle"} {
		got := d.modelOf(agent)
		if got.Name() != want {
			t.Errorf("%s asks %s, want %s", agent, got.Name(), want)
		}
		if again := d.modelOf(agent); again != got {
			t.Errorf("%s: a second way to the same model", agent)
		}
	}
	d.way, d.model = nil, rehearsal.New(0)
	if got := d.modelOf("c"); got.Name() != d.model.Name() {
		t.Errorf("without a proxy an agent asks %s", got.Name())
	}
}
