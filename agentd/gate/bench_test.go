package gate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// BenchmarkDo takes green calls from 50 runs at once through the whole gate, records durable before and after. The
// tool's own ledger is left out: what is measured is the gate.
func BenchmarkDo(b *testing.B) {
	dir := b.TempDir()
	w, err := gatetest.Open(dir, newClock().now,
		thief{with: func(_ context.Context, p gate.Permit, args json.RawMessage) error { return p.Redeem(args) }})
	if err != nil {
		b.Fatal(err)
	}
	b.SetParallelism(25)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			c := gate.Call{ID: id(b), RunID: id(b), Agent: "secretary", Tool: "thief", Args: json.RawMessage(`{"key":"k"}`), Level: 2}
			if out, err := w.Gate.Do(b.Context(), c, nil); err != nil || out.State != wire.ToolDone {
				b.Error(out.State, err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls_per_s")
	b.StopTimer()
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkTier is what judging a call costs before anything is measured or written.
func BenchmarkTier(b *testing.B) {
	w, err := gatetest.Open(filepath.Join(b.TempDir()), newClock().now, &gatetest.Fake{Name: "act"})
	if err != nil {
		b.Fatal(err)
	}
	args := json.RawMessage(fmt.Sprintf(`{"key":"k","tier":%q}`, policy.Green))
	for b.Loop() {
		if w.Gate.Tier("act", args) != policy.Green {
			b.Fatal("not green")
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}
