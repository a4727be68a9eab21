package seeded_test

import (
	"os"
	"testing"

	"pgregory.net/rapid"

	_ "gatehouse/agentd/seeded"
)

// TestSeed: two checks draw the same, but not in a long run.
func TestSeed(t *testing.T) {
	t.Parallel()
	draw := func() (all [20]uint64) {
		n := 0
		rapid.Check(t, func(t *rapid.T) {
			if v := rapid.Uint64().Draw(t, "v"); n < len(all) {
				all[n] = v
			}
			n++
		})
		return all
	}
	once, again := draw(), draw()
	if soak := os.Getenv("GATEHOUSE_SOAK") != ""; (once == again) == soak {
		t.Errorf("drawn the same: %v, long run: %v", once == again, soak)
	}
}
