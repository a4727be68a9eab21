package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"gatehouse/app/provider/vpshost"
)

// TestHost_Retire: a server that is retired ends, stays down in every hub, and leaves its place to another one. What it held lies
// beside those that run.
func TestHost_Retire(t *testing.T) {
	t.Parallel()
	id := newID()
	h, dir := open(t)
	allocate(t, h, id)
	setup := vpshost.Setup{ServerID: id, Token: "one-time"}
	if err := h.Install(t.Context(), setup); err != nil {
		t.Fatal(err)
	}
	_, p := up(t, h, id, process{})
	if _, err := h.mark(id); err != nil { // as a hub that is killed in the middle
		t.Fatal(err)
	}
	if started, err := h.ensure(id); started || !errors.Is(err, errRetired) {
		t.Errorf("started %t, %v", started, err)
	}
	next := reopen(t, dir)
	if err := next.Adopt(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a repeat changes nothing
		if err := next.Retire(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if p.alive() {
		t.Error("agentd outlived its server")
	}
	if _, err := os.Stat(filepath.Join(dir, "retired", id, stateDir, "seen.json")); err != nil {
		t.Errorf("what the server held is gone: %v", err)
	}
	if _, err := h.record(id); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the server still has its place: %v", err)
	}
	if err := h.Install(t.Context(), setup); err == nil {
		t.Error("a worker that comes late sets it up again")
	}
	if _, found := agent.findByName(id); found {
		t.Error("something of the server runs")
	}
}
