package permission

import (
	"testing"

	"gatehouse/views/ui"
)

// TestLimits: what bounds a run is said in words and units that people use; what is not known here is said as it came.
func TestLimits(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, c := range []struct {
		got         ui.Pair
		name, value string
	}{
		{Budget(ctx, "bytes", 1<<30), "Data changed in one task", "1.1 GB"},
		{Budget(ctx, "recipients", 1200), "Recipients in one task", "1,200"},
		{Budget(ctx, "money", 100_050), "Money moved in one task", "1,000.50"},
		{Budget(ctx, "orders", 7), "orders", "7"},
		{Rate(ctx, "yellow_external", "600/1m0s"), "“Goes outside”, by one agent with one tool", "600 in 1 min"},
		{Rate(ctx, "red", "many"), "“Deletes or removes”, by one agent with one tool", "many"},
	} {
		if c.got.Name != c.name || c.got.Value != c.value {
			t.Errorf("%q: %q, want %q: %q", c.got.Name, c.got.Value, c.name, c.value)
		}
	}
}
