package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestReceipts_control: durable receipts wait for the disk. With the same log in memory there are more of them; if not,
// the figure says nothing about a disk. It is a question of time, so it is for the long run and an idle machine.
func TestReceipts_control(t *testing.T) {
	if os.Getenv("GATEHOUSE_SOAK") == "" {
		t.Skip("GATEHOUSE_SOAK is not set")
	}
	disk, shm := t.TempDir(), memoryFolder()
	if kind, err := fileSystem(disk); err != nil || kind == tmpfs || shm == "" {
		t.Skipf("%s is no disk, or %s is not in memory: %v", disk, tmpfsAt, err)
	}
	shm, err := os.MkdirTemp(shm, "gatehouse-bench-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(shm); err != nil {
			t.Error(err)
		}
	})
	var durable, volatile []float64
	for range rounds { // by turns, so that what else the machine does weighs on both
		durable = append(durable, receiptsIn(t, disk))
		volatile = append(volatile, receiptsIn(t, shm))
	}
	slices.Sort(durable)
	slices.Sort(volatile)
	if durable[rounds/2] >= volatile[rounds/2] {
		t.Errorf("receipts a second: %.0f on the disk, %.0f in memory", durable, volatile)
	}
}

func receiptsIn(t *testing.T, dir string) float64 {
	t.Helper()
	r, err := takeReceipts(t.Context(), &Stage{bench: &bench{flags: flags{quick: true}}, dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return r.Value
}

// TestFigures_sayWhereTheyRun: what is not asked of a shipped program says so on its line.
func TestFigures_sayWhereTheyRun(t *testing.T) {
	t.Parallel()
	inside := []string{
		"gate_decision_p99_ms", "schedule_ticks_100k_s", "receipts_per_s", "redact_turn_p50_ms", "redact_registry_mb_s", "redact_full_mb_s",
		"memory_search_p95_ms", "memory_search_meant_p95_ms", "memory_index_lag_ms",
	}
	for _, f := range figures() {
		if says := strings.HasSuffix(f.How, "in this process"); says != slices.Contains(inside, f.Name) {
			t.Errorf("%s: %q", f.Name, f.How)
		}
	}
}
