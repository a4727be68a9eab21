package gate_test

import (
	"encoding/json"
	"runtime"
	"testing"

	"gatehouse/agentd/wire"
)

// TestSimulate_memory: what calls have answered is not read to say what other rules would have done. It runs alone, for it
// counts what the process allocates.
func TestSimulate_memory(t *testing.T) {
	b := open(t)
	const calls = 3
	for range calls {
		b.do(b.call("act", "green", "big"))
	}
	var body int
	if err := b.DB.Read().QueryRowContext(t.Context(), "SELECT sum(length(body)) FROM gate_calls").Scan(&body); err != nil {
		t.Fatal(err)
	}
	params, err := json.Marshal(wire.PermissionsTry{Text: "version: 1\nrules:\n- {id: no, effect: deny, tool: act}\n"})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := b.Gate.Methods().Answer(t.Context(), wire.MethodPermissionsSimulate, params)
	runtime.ReadMemStats(&after)
	if out, _ := got.(wire.PermissionsPreview); err != nil || out.Checked != calls || len(out.Changed) != calls {
		t.Fatalf("%+v, %v", got, err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > uint64(body)/2 {
		t.Errorf("%d bytes were allocated for %d calls of %d bytes", took, calls, body)
	}
}
