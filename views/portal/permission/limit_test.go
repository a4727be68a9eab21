package permission

import (
	"strings"
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
		{Budget(ctx, "bytes", 1<<30), "Bytes changed in one run", "1.1 GB"},
		{Budget(ctx, "recipients", 1200), "Recipients in one run", "1,200"},
		{Budget(ctx, "money", 100_050), "Money moved in one run", "1,000.50"},
		{Budget(ctx, "orders", 7), "orders", "7"},
		{Rate(ctx, "yellow_external", "600/1m0s"), "“Goes outside”, by one agent with one tool", "600 in 1 min"},
		{Rate(ctx, "red", "many"), "“Deletes or removes”, by one agent with one tool", "many"},
	} {
		if c.got.Name != c.name || c.got.Value != c.value {
			t.Errorf("%q: %q, want %q: %q", c.got.Name, c.got.Value, c.name, c.value)
		}
	}
}

// TestPreviewWords: rules that let more through are never said to change nothing, also when no call tells.
func TestPreviewWords(t *testing.T) {
	t.Parallel()
	for _, looser := range []int{0, 1, 5} {
		got := previewWords(t.Context(), PreviewProps{Loosens: true, Looser: looser})
		if !strings.HasPrefix(got, "This lets through more") || !strings.Contains(got, "takes your key") || strings.Contains(got, " 0 ") {
			t.Errorf("%d: %s", looser, got)
		}
	}
}
